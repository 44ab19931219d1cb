import { randomUUID } from 'node:crypto';
import express from 'express';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const transports = {
  streamable: {} as Record<string, StreamableHTTPServerTransport>,
  sse: {} as Record<string, SSEServerTransport>,
};

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports.streamable[id] : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).end();
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.streamable[sid] = created;
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.get('/sse', async (_req, res) => {
  const transport = new SSEServerTransport('/messages', res);
  transports.sse[transport.sessionId] = transport;
  res.on('close', () => {
    delete transports.sse[transport.sessionId];
  });
  await buildServer().connect(transport);
});

app.post('/messages', async (req, res) => {
  const transport = transports.sse[req.query.sessionId as string];
  if (transport) await transport.handlePostMessage(req, res, req.body);
  else res.status(400).end();
});

app.get('/health', (_req, res) => {
  res.json({ sessions: Object.keys(transports.streamable).length + Object.keys(transports.sse).length });
});

app.get('/stats', (_req, res) => {
  const modern = Object.keys(transports.streamable).length;
  const older = Object.keys(transports.sse).length;
  res.json({ modern, older, all: (Object.keys(transports.sse).length) + Object.keys(transports.streamable).length });
});

app.listen(3000);
