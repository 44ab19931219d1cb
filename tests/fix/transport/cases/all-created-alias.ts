import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

app.all('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id === undefined ? undefined : transports.get(id);
  if (!transport && isInitializeRequest(req.body)) {
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, created);
      },
      onsessionclosed: (sid) => {
        transports.delete(sid);
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  if (!transport) {
    res.status(404).end();
    return;
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
