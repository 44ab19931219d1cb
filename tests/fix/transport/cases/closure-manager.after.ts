import express, { Router, type NextFunction, type Request, type Response } from 'express';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';

interface Sessions {
  take(id: string | undefined): Promise<StreamableHTTPServerTransport>;
  endAll(): Promise<void>;
}

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

function createSessions(build: () => McpServer): Sessions {
  return {
    take: async () => {
      // Runs on each request: clients, pools and caches stay outside.
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
      });
      await build().connect(transport);
      return transport;
    },
    endAll: async () => {
      draining = true;
      await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
      draining = false;
    },
  };
}

const sessions = createSessions(buildServer);

const router = Router();
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

router.post('/', track, async (req, res) => {
  const transport = await sessions.take();
  res.on('close', () => void transport.close());
  await transport.handleRequest(req, res, req.body);
});
router.get('/', methodNotAllowed);
router.delete('/', methodNotAllowed);

const app = express();
app.use(express.json());
app.use('/mcp', router);
const listener = app.listen(3000);

process.on('SIGTERM', async () => {
  await sessions.endAll();
  listener.close(() => process.exit(0));
});
