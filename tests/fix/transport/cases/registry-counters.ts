import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

interface Entry {
  transport: StreamableHTTPServerTransport;
  createdAt: number;
  lastSeen: number;
}

class Registry {
  private readonly entries = new Map<string, Entry>();
  private readonly reaper: NodeJS.Timeout;
  private readonly counters = { opened: 0, closed: 0, reaped: 0 };

  constructor(private readonly ttlMs: number) {
    this.reaper = setInterval(() => this.sweep(), 60_000);
    this.reaper.unref();
  }

  touch(id: string): StreamableHTTPServerTransport | undefined {
    const entry = this.entries.get(id);
    if (!entry) return undefined;
    entry.lastSeen = Date.now();
    return entry.transport;
  }

  async open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        const now = Date.now();
        this.entries.set(id, { transport, createdAt: now, lastSeen: now });
        this.counters.opened++;
      },
    });
    transport.onclose = () => this.forget(transport.sessionId);
    await buildServer().connect(transport);
    return transport;
  }

  metrics(): string {
    const oldest = Math.min(Date.now(), ...[...this.entries.values()].map((entry) => entry.createdAt));
    return [
      `sessions_active ${this.entries.size}`,
      `session_oldest_ms ${Date.now() - oldest}`,
      ...Object.entries(this.counters).map(([name, value]) => `sessions_${name}_total ${value}`),
    ].join('\n');
  }

  private forget(id: string | undefined): void {
    if (id && this.entries.delete(id)) this.counters.closed++;
  }

  private sweep(now = Date.now()): void {
    for (const [id, entry] of this.entries) {
      if (now - entry.lastSeen <= this.ttlMs) continue;
      this.counters.reaped++;
      console.log(`session ${id} idle for ${now - entry.lastSeen} ms, closing`);
      void entry.transport.close();
    }
  }
}

const registry = new Registry(30 * 60_000);
const app = express();
app.use(express.json());

app.get('/metrics', (_req, res) => {
  res.type('text/plain').send(registry.metrics());
});

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  const known = id ? registry.touch(id) : undefined;
  if (known) {
    await known.handleRequest(req, res, req.body);
    return;
  }
  if (!isInitializeRequest(req.body)) {
    res.status(400).json({ jsonrpc: '2.0', error: { code: -32000, message: 'Initialize first' }, id: null });
    return;
  }
  const transport = await registry.open();
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
