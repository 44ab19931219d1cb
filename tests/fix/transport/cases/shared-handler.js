import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transports = {};

const handle = async (req, res) => {
  const id = req.headers['mcp-session-id'];
  if (id && transports[id]) {
    await transports[id].handleRequest(req, res, req.body);
    return;
  }
  if (req.method !== 'POST' || !isInitializeRequest(req.body)) {
    res.status(400).end();
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      transports[sid] = transport;
    },
  });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
};

app.post('/mcp', handle);
app.get('/mcp', handle);
app.delete('/mcp', handle);
app.put('/mcp', (_req, res) => {
  res.set('Allow', 'GET, POST, DELETE').sendStatus(405);
});
app.listen(3000);
