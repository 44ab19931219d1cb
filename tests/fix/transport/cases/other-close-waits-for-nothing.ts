import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const open = new Map<string, StreamableHTTPServerTransport>();

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? open.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).end();
      return;
    }
    const fresh = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void open.set(sid, fresh),
    });
    await buildServer().connect(fresh);
    transport = fresh;
  }
  await transport.handleRequest(req, res, req.body);
});

import { db } from './db.js';

app.listen(3000);
process.on('SIGTERM', () => {
  for (const transport of open.values()) void transport.close();
  db.close(() => process.exit(0));
  setTimeout(() => process.exit(1), 3000).unref();
});
