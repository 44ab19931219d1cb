import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
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
        id: null
      });
    return;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

class DateService {
  async start(port: number) {
    const app = express();
    app.use(express.json());
    app.post('/mcp', track, async (req, res) => {
      const server = buildServer();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined
      });
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
          id: null
        });
    });
    app.listen(port);
  }

  async stop() {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  }
}

const service = new DateService();
await service.start(3000);
process.on('SIGTERM', async () => {
  await service.stop();
  process.exit(0);
});
