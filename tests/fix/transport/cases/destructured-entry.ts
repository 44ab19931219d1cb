import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const sessions = new Map<string, { transport: StreamableHTTPServerTransport; createdAt: number }>();

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  const entry = id ? sessions.get(id) : undefined;
  if (entry) {
    const { transport } = entry;
    await transport.handleRequest(req, res, req.body);
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      sessions.set(sid, { transport, createdAt: Date.now() });
    },
  });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
