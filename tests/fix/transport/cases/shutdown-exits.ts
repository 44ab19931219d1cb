import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const open = new Map<string, StreamableHTTPServerTransport>();

function fail(text: string): never {
  throw new Error(text);
}

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? open.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) fail('no session');
    const made = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        open.set(sid, made);
      },
    });
    await buildServer().connect(made);
    transport = made;
  }
  await transport.handleRequest(req, res, req.body);
});

const listener = app.listen(3000);

function stop(): void {
  for (const transport of open.values()) void transport.close();
  listener.close(() => process.exit(0));
}

process.on('SIGINT', stop);
process.once("SIGTERM", () => {
  stop();
  process.exit(0);
});
