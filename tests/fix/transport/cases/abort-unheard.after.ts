import express, { Router, type Request, type Response, type NextFunction } from 'express';
import { pino } from 'pino';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const log = pino();

interface Endpoint {
  limit: number;
  stop: AbortSignal;
}

// Requests being answered.
const inFlight = new Set<Response>();

const track = (_req: Request, res: Response, next: NextFunction) => {
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

export function endpoint({ limit, stop }: Endpoint): Router {
  const router = Router();
  router.use(express.json());
  router.post('/', track, async (req, res) => {
    await answer(limit, req, res);
  });

  router.all('/', (_req, res) => {
    res
      .status(405)
      .set('Allow', 'POST')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Method not allowed.' },
        id: null,
      });
  });
  return router;
}

async function answer(limit: number, req: Request, res: Response): Promise<void> {
  if (inFlight.size > limit) {
    log.warn({ live: inFlight.size }, 'too many at once');
    res.status(503).json({ error: 'busy' });
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
}

const controller = new AbortController();
const app = express();
app.use('/mcp', endpoint({ limit: 50, stop: controller.signal }));
const server = app.listen(3000);
process.once('SIGTERM', () => {
  controller.abort();
  server.close();
});
