import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const rateLimits = new Map<string, { hits: number; resetAt: number }>();

setInterval(() => {
  const now = Date.now();
  for (const [key, limit] of rateLimits) {
    if (limit.resetAt < now) rateLimits.delete(key);
  }
}, 30_000).unref();

function checkRate(key: string): void {
  const limit = rateLimits.get(key) ?? { hits: 0, resetAt: Date.now() + 60_000 };
  limit.hits += 1;
  rateLimits.set(key, limit);
  if (limit.hits > 5) throw new Error('rate limit');
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }, extra) => {
    checkRate(extra.sessionId || 'anonymous');
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
