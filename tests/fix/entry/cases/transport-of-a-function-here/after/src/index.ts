import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

function newTransport() {
  const made = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  made.onerror = (error) => console.error(error);
  return made;
}

createServer(async (req, res) => {
  if (req.url !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  if (req.method !== 'POST') {
    res
      .writeHead(405, { Allow: 'POST', 'Content-Type': 'application/json' })
      .end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null
        })
      );
    return;
  }

  try {
    const server = buildServer();
    const transport = newTransport();
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res);
  } catch (error) {
    console.error('request failed', error);
    if (!res.headersSent) {
      res.writeHead(500, { 'Content-Type': 'application/json' }).end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32603, message: 'Internal server error' },
          id: null
        })
      );
    }
  }
}).listen(3000);
