import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { listen } from './http.js';
import { buildServer } from './tools.js';

const server = buildServer();
if (process.argv.includes('--http')) {
  const { transport, listener } = await listen(server, 3000);
  await server.connect(transport);
  process.on('SIGTERM', () => listener.close());
} else {
  await server.connect(new StdioServerTransport());
}
