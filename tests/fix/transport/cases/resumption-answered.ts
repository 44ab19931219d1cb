import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();
const resumed = new Set<string>();

app.all('/mcp', async (req, res) => {
  const sessionId = req.header('mcp-session-id');
  let transport = sessionId ? transports.get(sessionId) : undefined;
  if (!transport && isInitializeRequest(req.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport!);
      },
    });
    await buildServer().connect(transport);
  }
  if (!transport) {
    res.status(404).end();
    return;
  }
  const last = req.header('Last-Event-ID');
  if (last) {
    console.error(`resumed from ${last}`);
    resumed.add(last);
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
