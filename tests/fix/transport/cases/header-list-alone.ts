import { randomUUID } from 'node:crypto';
import cors from 'cors';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
app.use(cors({ origin: '*', exposedHeaders: 'Mcp-Session-Id' }));
app.use('/mcp', cors({ exposedHeaders: 'Mcp-Session-Id, X-Request-Id' }));
app.use((_req, res, next) => {
  res.setHeader('Access-Control-Allow-Headers', ['Content-Type', 'Mcp-Session-Id'].join(', '));
  res.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id');
  next();
});
const transports = new Map<string, StreamableHTTPServerTransport>();

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
app.listen(3000);
