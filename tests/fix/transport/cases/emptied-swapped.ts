import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

let open = new Map<string, StreamableHTTPServerTransport>();
const spare = new Map<string, StreamableHTTPServerTransport>();

const app = express();
app.use(express.json());

app.all('/mcp', async (req, res) => {
  const id = req.get('mcp-session-id');
  let transport = id ? open.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).end();
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        open.set(sid, created);
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

const listener = app.listen(3000);

process.once('SIGINT', () => {
  open = spare;
  listener.close();
});
