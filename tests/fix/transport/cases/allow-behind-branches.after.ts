import http from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';

async function readBody(req: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function handleMcp(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  if (req.method === 'POST') {
    const body = await readBody(req);
    // Runs on each request: clients, pools and caches stay outside.
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    await buildServer().connect(transport);
    res.on('close', () => void transport.close());
    await transport.handleRequest(req, res, body);
    return;
  }

  if (req.method === 'GET' || req.method === 'DELETE') {
    res
      .writeHead(405, { Allow: 'POST', 'Content-Type': 'application/json' })
      .end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null,
        }),
      );
    return;
  }

  // Nothing else is served.
  res.writeHead(405, { Allow: 'POST' }).end();
}

http
  .createServer((req, res) => {
    if (req.url === '/mcp') void handleMcp(req, res);
    else res.writeHead(405, { Allow: 'GET, POST, DELETE' }).end();
  })
  .listen(3000);
