import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const stopping = new AbortController();

function main() {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const app = express();
  app.use(express.json());

  app.post('/mcp', async (req, res) => {
    const id = req.get('mcp-session-id');
    let transport = id ? sessions.get(id) : undefined;
    if (!transport) {
      if (!isInitializeRequest(req.body)) {
        res.status(400).end();
        return;
      }
      const created = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          sessions.set(sid, created);
        },
      });
      await buildServer().connect(created);
      transport = created;
    }
    await transport.handleRequest(req, res, req.body);
  });

  const listener = app.listen(3000);

  stopping.signal.addEventListener('abort', async () => {
    for (const transport of sessions.values()) {
      await transport.close();
    }
    listener.close();
  });
}

main();
process.on('SIGTERM', () => stopping.abort());
