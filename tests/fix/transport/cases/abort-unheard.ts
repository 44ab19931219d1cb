import { randomUUID } from 'node:crypto';
import express, { Router, type Request, type Response } from 'express';
import { pino } from 'pino';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const log = pino();

interface Endpoint {
  limit: number;
  stop: AbortSignal;
}

export function endpoint({ limit, stop }: Endpoint): Router {
  const live = new Map<string, StreamableHTTPServerTransport>();
  const router = Router();
  router.use(express.json());
  router.all('/', async (req, res) => {
    await answer(limit, live, req, res);
  });
  stop.addEventListener('abort', () => {
    void Promise.allSettled([...live.values()].map((transport) => transport.close()));
  });
  return router;
}

async function answer(limit: number, live: Map<string, StreamableHTTPServerTransport>, req: Request, res: Response): Promise<void> {
  const id = req.get('mcp-session-id');
  const known = id === undefined ? undefined : live.get(id);
  if (known) {
    await known.handleRequest(req, res, req.body);
    return;
  }
  if (req.method !== 'POST' || !isInitializeRequest(req.body)) {
    res.status(400).json({ error: 'initialize first' });
    return;
  }
  if (live.size >= limit) {
    log.warn({ live: live.size }, 'too many at once');
    res.status(503).json({ error: 'busy' });
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      live.set(sid, transport);
      log.info({ sid, live: live.size }, 'opened');
    },
  });
  await buildServer().connect(transport);
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
