import express, { type NextFunction, type Request, type Response } from 'express';
import { registry } from './registry.js';
import { once } from 'node:events';

const app = express();
app.use(express.json());

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
        id: null
      });
    return;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

app.post('/mcp', track, async (req, res) => {
  const transport = await registry.open();
  res.on('close', () => void transport.close());
  await transport.handleRequest(req, res, req.body);
});

app.all('/mcp', (_req, res) => {
  res
    .status(405)
    .set('Allow', 'POST')
    .json({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null
    });
});

const listener = app.listen(3000);
process.on('SIGTERM', async () => {
  draining = true;
  await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  listener.close();
});
