import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  console.log(`POST from session ${id ?? 'new'}`);
  console.log('request', { id, method: req.body.method });
  console.log(`Session ${id} calls ${req.body.method}`);
  console.log(`[${id?.slice(0, 8) ?? '-'}] ${req.body.method} (session: ${id}) of ${transports.size}`);
  console.info('method', req.body.method, 'in session', id);
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport!);
        console.log('opened', sid);
      },
    });
    transport.onerror = (error) => console.error(`Error in session ${transport?.sessionId}:`, error);
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

async function shutdown(signal: string) {
  console.log('shutting down', { signal, sessions: transports.size });
  await Promise.allSettled([...transports.values()].map((transport) => transport.close()));
}
process.once('SIGTERM', () => void shutdown('SIGTERM'));

app.listen(3000);
