import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();
const seen = new Map<string, number>();

const reaper = setInterval(() => {
  for (const [id, at] of seen) {
    if (Date.now() - at > 60_000) {
      void transports.get(id)?.close();
      seen.delete(id);
    }
  }
}, 5_000);

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      // One id for each client.
      sessionIdGenerator: () => randomUUID(),
      // Remember it.
      onsessioninitialized: (sid) => {
        transports.set(sid, transport!);
        seen.set(sid, Date.now());
      },
    });
    transport.onerror = (error) => {
      console.error('transport failed', { session: transport!.sessionId, error });
    };
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

const listener = app.listen(3000);

process.on('SIGTERM', () => {
  clearInterval(reaper);
  listener.close();
  process.exit(0);
});
