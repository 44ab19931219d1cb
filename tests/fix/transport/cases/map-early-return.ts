import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

app.post('/mcp', async (req, res) => {
  const sessionId = req.header('mcp-session-id');
  const existing = sessionId ? transports.get(sessionId) : undefined;
  if (existing) {
    await existing.handleRequest(req, res, req.body);
    return;
  }
  if (sessionId || !isInitializeRequest(req.body)) {
    res.status(404).json({ error: 'Session not found' });
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      transports.set(id, transport);
    },
    onsessionclosed: (id) => {
      transports.delete(id);
    },
  });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
});

for (const method of ['get', 'delete'] as const) {
  app[method]('/mcp', async (req, res) => {
    const transport = transports.get(req.header('mcp-session-id') ?? '');
    if (!transport) {
      res.status(404).send('Session not found');
      return;
    }
    await transport.handleRequest(req, res);
  });
}

app.listen(3000);
