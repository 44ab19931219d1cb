import { once } from 'node:events';
import type { Request, Response, NextFunction } from 'express';

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<Response>();
let draining = false;

export const track = (_req: Request, res: Response, next: NextFunction) => {
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

export function onSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, async () => {
      draining = true;
      await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
      process.exit(0);
    });
  }
}
