import express, { type NextFunction, type Request, type Response } from 'express';
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

class Http {
  readonly app = express();

  constructor(private readonly most: number) {
    this.app.use(express.json());
    this.app.post('/mcp', track, this.#onPost);
  }

  // The key keeps its name for whoever reads it; it counts requests in flight now.
  get open(): number {
    return inFlight.size;
  }

  async closeAll(): Promise<void> {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
    draining = false;
  }

  #onPost = async (req: Request, res: Response): Promise<void> => {
    if (this.open > this.most) {
      res.status(503).end();
      return;
    }
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  };
}

const http = new Http(100);
const listener = http.app.listen(3000);

process.on('SIGTERM', async () => {
  await http.closeAll();
  listener.close(() => process.exit(0));
});
