import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const transports = new Map<string, StreamableHTTPServerTransport>();
const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('No session');
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void transports.set(sid, created),
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.delete('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  const transport = id ? transports.get(id) : undefined;
  if (!transport) {
    res.status(204).end();
    return;
  }
  await transport.handleRequest(req, res);
});

app.listen(3000);
