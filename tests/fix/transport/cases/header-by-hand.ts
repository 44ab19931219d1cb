import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transports: Record<string, StreamableHTTPServerTransport> = {};

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  if (id && transports[id]) {
    await transports[id].handleRequest(req, res, req.body);
    return;
  }
  if (!isInitializeRequest(req.body)) {
    res.status(400).json({ error: 'no session' });
    return;
  }
  const newId = randomUUID();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => newId });
  transports[newId] = transport;
  await buildServer().connect(transport);
  res.setHeader('Mcp-Session-Id', newId);
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
