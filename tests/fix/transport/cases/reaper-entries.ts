import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const TTL = 30 * 60_000;
const transports: Record<string, StreamableHTTPServerTransport> = {};
const seen: Record<string, number> = {};

setInterval(() => {
  for (const [id, at] of Object.entries(seen)) {
    if (Date.now() - at > TTL) {
      transports[id]?.close();
      delete transports[id];
      delete seen[id];
    }
  }
}, 60_000).unref();

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports[id] : undefined;
  if (id && transport) {
    seen[id] = Date.now();
  }
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports[sid] = transport!;
        seen[sid] = Date.now();
      },
    });
    transport.onclose = () => {
      const sid = transport!.sessionId;
      if (sid) {
        delete transports[sid];
        delete seen[sid];
      }
    };
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
