import { randomUUID } from 'node:crypto';
import express, { Router, type NextFunction, type Request, type Response } from 'express';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

interface Sessions {
  take(id: string | undefined): Promise<StreamableHTTPServerTransport>;
  find(id: string): StreamableHTTPServerTransport | undefined;
  end(id: string): Promise<void>;
  endAll(): Promise<void>;
  watch(): void;
}

function createSessions(build: () => McpServer): Sessions {
  const open = new Map<string, StreamableHTTPServerTransport>();
  const seen = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function end(id: string) {
    const transport = open.get(id);
    if (!transport) return;
    await transport.close();
    open.delete(id);
    seen.delete(id);
  }

  async function sweep() {
    const old: string[] = [];
    for (const [id, at] of seen) {
      if (Date.now() - at > 60_000) old.push(id);
    }
    for (const id of old) await end(id);
  }

  return {
    take: async (id) => {
      if (id && open.has(id)) {
        seen.set(id, Date.now());
        return open.get(id)!;
      }
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          open.set(sid, transport);
          seen.set(sid, Date.now());
        },
      });
      await build().connect(transport);
      return transport;
    },
    find: (id) => open.get(id),
    end,
    endAll: async () => {
      for (const id of [...open.keys()]) await end(id);
    },
    watch: () => {
      timer = setInterval(() => void sweep(), 60_000);
      timer.unref();
    },
  };
}

const sessions = createSessions(buildServer);
sessions.watch();

function requireSession() {
  return (req: Request, res: Response, next: NextFunction) => {
    const id = req.header('mcp-session-id');
    const transport = id ? sessions.find(id) : undefined;
    if (!transport) {
      res.status(404).json({ error: 'unknown session' });
      return;
    }
    res.locals.transport = transport;
    next();
  };
}

const router = Router();
router.post('/', async (req, res) => {
  const transport = await sessions.take(req.header('mcp-session-id'));
  await transport.handleRequest(req, res, req.body);
});
router.get('/', requireSession(), async (req, res) => {
  await res.locals.transport.handleRequest(req, res);
});
router.delete('/', requireSession(), async (req, res) => {
  await res.locals.transport.handleRequest(req, res);
});

const app = express();
app.use(express.json());
app.use('/mcp', router);
const listener = app.listen(3000);

process.on('SIGTERM', async () => {
  await sessions.endAll();
  listener.close(() => process.exit(0));
});
