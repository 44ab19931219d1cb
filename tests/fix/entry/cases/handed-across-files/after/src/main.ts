import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serveHttp } from './http.js';
import { buildServer } from './server.js';

if (process.argv.includes('--http')) {
  await serveHttp(3000, buildServer);
} else {
  await buildServer().connect(new StdioServerTransport());
}
