import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

interface Entry {
  transport: StreamableHTTPServerTransport;
  lastActivityAt: number;
}

function idleLimit(seconds?: number): number {
  const value = seconds ?? Number(process.env.SESSION_TTL ?? 3600);
  if (!Number.isFinite(value) || value < 0) throw new Error(`Invalid time to live: ${value}`);
  return Math.floor(value * 1000);
}

export async function start(options: { port: number; ttl?: number; verbose?: boolean } = { port: 3000, verbose: true }) {
  const sessions = new Map<string, Entry>();
  const app = express();
  app.use(express.json());

  function log(line: string) {
    if (options.verbose) console.error(line);
  }

  // Sessions that nobody uses are closed.
  const ttl = idleLimit(options.ttl);
  let reaper: ReturnType<typeof setInterval> | null = null;
  if (ttl > 0) {
    reaper = setInterval(() => {
      const now = Date.now();
      for (const [id, entry] of sessions) {
        if (now - entry.lastActivityAt < ttl) continue;
        const idle = Math.round((now - entry.lastActivityAt) / 1000);
        log(`session ${id} idle for ${idle} s, closing (${sessions.size - 1} left)`);
        entry.transport.close().catch((error: unknown) => {
          sessions.delete(id);
          log(`closing ${id} failed: ${error}`);
        });
      }
    }, Math.min(ttl, 60_000));
    reaper.unref();
  }

  app.post('/mcp', async (req, res) => {
    const id = req.header('mcp-session-id');
    if (id) {
      const entry = sessions.get(id);
      if (!entry) {
        res.status(404).json({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null });
        return;
      }
      entry.lastActivityAt = Date.now();
      await entry.transport.handleRequest(req, res, req.body);
      return;
    }
    if (!isInitializeRequest(req.body)) {
      res.status(400).json({ jsonrpc: '2.0', error: { code: -32000, message: 'Initialize first' }, id: null });
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        sessions.set(sid, { transport, lastActivityAt: Date.now() });
      },
    });
    transport.onclose = () => {
      if (transport.sessionId) sessions.delete(transport.sessionId);
    };
    await buildServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  });

  const listener = app.listen(options.port);
  const stop = async () => {
    if (reaper) clearInterval(reaper);
    for (const entry of sessions.values()) await entry.transport.close();
    sessions.clear();
    listener.close();
  };
  process.on('SIGTERM', () => void stop().then(() => process.exit(0)));
  return { stop };
}

await start();
