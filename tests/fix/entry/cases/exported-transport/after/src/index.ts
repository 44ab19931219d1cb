import { createServer } from 'node:http';
import { buildServer } from './server.js';
import { createTransport } from './transport.js';

async function main() {
  const http = createServer(async (req, res) => {
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
      const transport = createTransport();
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
  });
  http.listen(3000, () => console.log('listening'));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
