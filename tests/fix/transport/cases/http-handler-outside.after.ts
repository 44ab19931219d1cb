import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';

async function handle(req: IncomingMessage, res: ServerResponse) {
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
  if (!track(res)) return;
  // Runs on each request: clients, pools and caches stay outside.
  const created = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(created);
  await created.handleRequest(req, res);
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

export function start(port: number) {
  const http = createServer((req, res) => void handle(req, res));
  http.listen(port);
  process.once('SIGTERM', async () => {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
    http.close(() => process.exit(0));
  });
}

start(3000);
