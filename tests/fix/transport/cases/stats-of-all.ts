import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

interface Entry {
  transport: StreamableHTTPServerTransport;
  since: number;
}

class Sessions {
  private readonly entries = new Map<string, Entry>();
  private sweeper: NodeJS.Timeout | null = null;

  begin(): void {
    this.sweeper = setInterval(() => this.sweep(), 60_000);
  }

  get(id: string): Entry | undefined {
    return this.entries.get(id);
  }

  put(id: string, transport: StreamableHTTPServerTransport): void {
    this.entries.set(id, { transport, since: Date.now() });
  }

  drop(id: string): void {
    this.entries.delete(id);
  }

  stats(): { open: number; oldestMs: number } {
    const now = Date.now();
    let oldestMs = 0;
    for (const entry of this.entries.values()) {
      oldestMs = Math.max(oldestMs, now - entry.since);
    }
    return { open: this.entries.size, oldestMs };
  }

  async end(): Promise<void> {
    if (this.sweeper) {
      clearInterval(this.sweeper);
      this.sweeper = null;
    }
    for (const entry of [...this.entries.values()]) await entry.transport.close();
    this.entries.clear();
  }

  private sweep(): void {
    for (const [id, entry] of this.entries) {
      if (Date.now() - entry.since > 3_600_000) {
        this.entries.delete(id);
        void entry.transport.close();
      }
    }
  }
}

const sessions = new Sessions();
sessions.begin();
const app = express();
app.use(express.json());

app.get('/stats', (_req, res) => {
  res.json(sessions.stats());
});

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  const known = id ? sessions.get(id) : undefined;
  if (known) {
    await known.transport.handleRequest(req, res, req.body);
    return;
  }
  if (!isInitializeRequest(req.body)) {
    res.status(400).end();
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => sessions.put(sid, transport),
  });
  transport.onclose = () => {
    if (transport.sessionId) sessions.drop(transport.sessionId);
  };
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
});

const http = app.listen(3000);
process.on('SIGINT', async () => {
  console.log('stopping', { sessions: sessions.stats().open });
  await sessions.end();
  http.close(() => process.exit(0));
});
