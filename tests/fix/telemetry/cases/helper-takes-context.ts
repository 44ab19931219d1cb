import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const usageWindows: Map<string, { count: number; resetAt: number }> = new Map();

function spend(extra: { sessionId?: string }): boolean {
  const sid = extra.sessionId ?? 'anonymous';
  const usage = usageWindows.get(sid);
  if (!usage || Date.now() > usage.resetAt) {
    usageWindows.set(sid, { count: 1, resetAt: Date.now() + 60_000 });
    return true;
  }
  return ++usage.count <= 10;
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }, extra) => {
    if (!spend(extra)) throw new Error('limit');
    return { content: [{ type: 'text', text: city }] };
  });
  server.registerTool('now', { description: 'Tell the time.' }, async (extra) => {
    if (!spend(extra)) throw new Error('limit');
    return { content: [{ type: 'text', text: new Date().toISOString() }] };
  });
  return server;
}

const transports = new Map<string, StreamableHTTPServerTransport>();
const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, created);
      },
    });
    created.onclose = () => {
      if (created.sessionId) transports.delete(created.sessionId);
    };
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
