import { randomUUID } from 'node:crypto';
import express from 'express';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const streams = new Map<string, StreamableHTTPServerTransport>();
let sse: SSEServerTransport | undefined;

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? streams.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('No session');
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void streams.set(sid, created),
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.get('/sse', async (_req, res) => {
  sse = new SSEServerTransport('/messages', res);
  await buildServer().connect(sse);
});

app.post('/messages', async (req, res) => {
  await sse?.handlePostMessage(req, res, req.body);
});
app.listen(3000);
