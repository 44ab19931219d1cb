import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

class SessionManager {
  private readonly sessions = new Map<string, { transport: StreamableHTTPServerTransport; seen: number }>();

  get(id: string | undefined) {
    if (!id) return undefined;
    const entry = this.sessions.get(id);
    if (entry) entry.seen = Date.now();
    return entry?.transport;
  }

  async create(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.sessions.set(id, { transport, seen: Date.now() });
      },
    });
    transport.onclose = () => {
      if (transport.sessionId) this.remove(transport.sessionId);
    };
    await buildServer().connect(transport);
    return transport;
  }

  remove(id: string) {
    this.sessions.delete(id);
  }
}

const manager = new SessionManager();

app.post('/mcp', async (req, res) => {
  const sessionId = req.header('Mcp-Session-Id');
  let transport = manager.get(sessionId);
  if (!transport) {
    if (sessionId || !isInitializeRequest(req.body)) {
      res.status(404).json({ error: 'unknown session' });
      return;
    }
    transport = await manager.create();
  }
  await transport.handleRequest(req, res, req.body);
});

app.get('/mcp', async (req, res) => {
  const transport = manager.get(req.header('Mcp-Session-Id'));
  if (!transport) {
    res.status(404).end();
    return;
  }
  await transport.handleRequest(req, res);
});

app.delete('/mcp', async (req, res) => {
  const transport = manager.get(req.header('Mcp-Session-Id'));
  if (!transport) {
    res.status(404).end();
    return;
  }
  await transport.handleRequest(req, res);
});

app.listen(3000);
