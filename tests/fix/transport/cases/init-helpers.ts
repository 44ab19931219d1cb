import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports: Record<string, StreamableHTTPServerTransport> = {};

// An initialize request may come alone or within a batch.
function isInit(body: unknown): boolean {
  const list = Array.isArray(body) ? body : [body];
  return list.some((message) => message && message.jsonrpc === '2.0' && message.method === 'initialize');
}

const containsInitialize = (body: unknown): boolean => {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (message?.method === 'initialize') return true;
  }
  return false;
};

app.post('/mcp', async (req, res) => {
  console.log('POST', { initializes: containsInitialize(req.body) });
  const sid = req.headers['mcp-session-id'] as string;
  let transport = transports[sid];
  if (!transport) {
    if (!isInit(req.body) || !containsInitialize(req.body)) {
      res.status(400).send('Bad request');
      return;
    }
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports[id] = transport;
      },
    });
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
