import express, { type Express, type Request, type Response, type NextFunction } from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<Response>();
let draining = false;

const track = (_req: Request, res: Response, next: NextFunction) => {
  if (draining) {
    res
      .status(503)
      .set('Connection', 'close')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Server is shutting down' },
        id: null,
      });
    return;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

export function makeApp(build: () => McpServer): Express {
  const app = express();
  app.use(express.json());
  app.post('/mcp', track, async (req, res) => {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = build();
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  });

  app.all('/mcp', (_req, res) => {
    res
      .status(405)
      .set('Allow', 'POST')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Method not allowed.' },
        id: null,
      });
  });
  return app;
}

const http = makeApp(buildServer).listen(3000);

process.on('SIGTERM', async () => {
  draining = true;
  await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  http.close(() => process.exit(0));
});
