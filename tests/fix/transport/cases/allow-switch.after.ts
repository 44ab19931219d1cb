import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

createServer(async (req, res) => {
  if (req.url === '/notes') {
    res.writeHead(405, { Allow: 'GET, POST' }).end();
    return;
  }
  if (req.url !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  switch (req.method) {
    case 'POST': {
      // Runs on each request: clients, pools and caches stay outside.
      const created = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
      });
      const server = buildServer();
      res.on('close', () => void server.close());
      await server.connect(created);
      await created.handleRequest(req, res);
      break;
    }
    case 'GET':
    case 'DELETE': {
      res
        .writeHead(405, { Allow: 'POST', 'Content-Type': 'application/json' })
        .end(
          JSON.stringify({
            jsonrpc: '2.0',
            error: { code: -32000, message: 'Method not allowed.' },
            id: null,
          }),
        );
      break;
    }
    default:
      res.setHeader('Allow', 'POST, OPTIONS');
      res.writeHead(405).end();
  }
}).listen(3000);
