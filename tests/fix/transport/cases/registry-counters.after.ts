import express, { type NextFunction, type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

// Requests being answered.
const inFlight = new Set<Response>();

const track = (_req: Request, res: Response, next: NextFunction) => {
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

class Registry {
  private readonly counters = { opened: 0, closed: 0, reaped: 0 };

  constructor(_ttlMs: number) {
  }

  async open(): Promise<StreamableHTTPServerTransport> {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    await buildServer().connect(transport);
    return transport;
  }

  metrics(): string {
    const oldest = Math.min(Date.now());
    // The key keeps its name for whoever reads it; it counts requests in flight now.
    return [
      `sessions_active ${inFlight.size}`,
      `session_oldest_ms ${Date.now() - oldest}`,
      ...Object.entries(this.counters).map(([name, value]) => `sessions_${name}_total ${value}`),
    ].join('\n');
  }
}

const registry = new Registry(30 * 60_000);
const app = express();
app.use(express.json());

app.get('/metrics', (_req, res) => {
  res.type('text/plain').send(registry.metrics());
});

app.post('/mcp', track, async (req, res) => {
  const transport = await registry.open();
  res.on('close', () => void transport.close());
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
