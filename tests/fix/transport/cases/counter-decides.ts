import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const transports = new Map<string, StreamableHTTPServerTransport>();
let opened = 0;

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  const known = id ? transports.get(id) : undefined;
  if (known) {
    await known.handleRequest(req, res, req.body);
    return;
  }
  if (!isInitializeRequest(req.body)) {
    res.status(400).send('Initialize first');
    return;
  }
  if (opened >= 1000) {
    res.status(503).send('This server is worn out');
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      transports.set(sid, transport);
      opened++;
    },
  });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
