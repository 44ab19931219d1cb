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

class Sessions {
  stats(): { open: number; oldestMs: number } {
    let oldestMs = 0;
    // The key keeps its name for whoever reads it; it counts requests in flight now.
    return { open: inFlight.size, oldestMs };
  }

  async end(): Promise<void> {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
    draining = false;
  }
}

const sessions = new Sessions();
const app = express();
app.use(express.json());

app.get('/stats', (_req, res) => {
  res.json(sessions.stats());
});

app.post('/mcp', track, async (req, res) => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});

const http = app.listen(3000);
process.on('SIGINT', async () => {
  console.log('stopping', { sessions: sessions.stats().open });
  await sessions.end();
  http.close(() => process.exit(0));
});
