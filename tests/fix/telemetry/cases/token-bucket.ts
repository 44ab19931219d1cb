import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const buckets = new Map<string, { tokens: number; refilled: number }>();

function allow(sessionId: string): boolean {
  const now = Date.now();
  const bucket = buckets.get(sessionId) ?? { tokens: 10, refilled: now };
  bucket.tokens = Math.min(10, bucket.tokens + (now - bucket.refilled) / 1000);
  bucket.refilled = now;
  buckets.set(sessionId, bucket);
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }, extra) => {
    if (!allow(extra.sessionId!)) return { isError: true, content: [{ type: 'text', text: 'slow down' }] };
    return { content: [{ type: 'text', text: city }] };
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
