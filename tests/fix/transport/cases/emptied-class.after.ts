import type { Server } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
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

export class ClockHost {
  private readonly app: Express = express();
  private listener?: Server;
  private opened = 0;

  constructor(private readonly port: number) {
    this.app.use(express.json());
    this.app.get('/stats', (_req, res) => {
      // The key keeps its name for whoever reads it; it counts requests in flight now.
      const active = inFlight.size;
      res.json({ active, opened: this.opened });
    });
    this.app.get('/metrics', (_req, res) => {
      res.type('text/plain');
      // The key keeps its name for whoever reads it; it counts requests in flight now.
      res.send(`clock_sessions_active ${inFlight.size}\nclock_sessions_total ${this.opened}\n`);
    });
    const methodNotAllowed = (_req: Request, res: Response) => {
      res
        .status(405)
        .set('Allow', 'POST')
        .json({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null,
        });
    };

    this.app.post('/mcp', track, (req, res) => this.post(req, res));
    this.app.get('/mcp', methodNotAllowed);
    this.app.delete('/mcp', methodNotAllowed);
  }

  private async post(req: Request, res: Response): Promise<void> {
    // Runs on each request: clients, pools and caches stay outside.
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    res.on('close', () => void server.close());
    await server.connect(created);
    await created.handleRequest(req, res, req.body);
  }

  listen(): void {
    this.listener = this.app.listen(this.port);
  }

  async stop(): Promise<void> {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
    draining = false;
    this.listener?.close();
  }
}

const host = new ClockHost(3000);
host.listen();
process.on('SIGTERM', async () => {
  await host.stop();
  process.exit(0);
});
