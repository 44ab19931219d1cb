import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serveHttp } from './http.js';
import { server } from './server.js';

if (process.argv.includes('--http')) {
  await serveHttp(3000, server);
} else {
  await server.connect(new StdioServerTransport());
}
