import http from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const state = { ready: true };

async function readBody(req: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined;
}

async function serve(req: http.IncomingMessage, res: http.ServerResponse) {
  const body = req.method === 'POST' ? await readBody(req) : undefined;
  if (req.method !== 'POST') {
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
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, body);
}

const httpServer = http.createServer((req, res) => {
  if (!state.ready) {
    res.writeHead(503).end();
    return;
  }
  if (req.url !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  void serve(req, res);
});

process.on('SIGTERM', () => {
  state.ready = false;
  httpServer.close();
});

httpServer.listen(3000);
