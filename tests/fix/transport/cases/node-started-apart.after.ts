import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { once } from 'node:events';

function buildServer(): McpServer {
  return new McpServer({ name: 'tape', version: '1.0.0' });
}

async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function handleMcp(req: IncomingMessage, res: ServerResponse) {
  if (!track(res)) return;
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
  const body = await readBody(req);
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, body);
}

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<ServerResponse>();
let draining = false;

const track = (res: ServerResponse): boolean => {
  if (draining) {
    res
      .writeHead(503, { Connection: 'close', 'Content-Type': 'application/json' })
      .end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Server is shutting down' },
          id: null,
        }),
      );
    return false;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  return true;
};

export function startHttp(port: number) {
  const http = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    if (pathname === '/healthz') {
      // The key keeps its name for whoever reads it; it counts requests in flight now.
      res.end(JSON.stringify({ ok: true, sessions: inFlight.size }));
      return;
    }
    if (pathname !== '/mcp') {
      res.writeHead(404).end();
      return;
    }
    void handleMcp(req, res);
  });
  http.listen(port);
  process.on('SIGTERM', async () => {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
    http.close(() => process.exit(0));
  });
}
