import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { DatesServer } from './dates.js';
import { once } from 'node:events';

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<express.Response>();
let draining = false;

const track = (_req: express.Request, res: express.Response, next: express.NextFunction) => {
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

class Front {
  async handle(req: express.Request, res: express.Response) {
    // Runs on each request: clients, pools and caches stay outside.
    const server = new DatesServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    await server.connect(transport);
    res.on('close', () => void transport.close());
    await transport.handleRequest(req, res, req.body);
  }

  async stop() {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
    draining = false;
  }
}

const front = new Front();
const app = express();
app.use(express.json());
app.post('/mcp', track, (req, res) => front.handle(req, res));

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
const listener = app.listen(3000);
process.on('SIGTERM', async () => {
  await front.stop();
  listener.close();
});
