import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

function newTransport() {
  const made = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'fixed' });
  made.onerror = (error) => console.error(error);
  return made;
}

const transport = newTransport();
await buildServer().connect(transport);

createServer(async (req, res) => {
  if (req.url !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  await transport.handleRequest(req, res);
}).listen(3000);
