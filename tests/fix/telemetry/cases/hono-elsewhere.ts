import { Hono } from 'hono';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { z } from 'zod';

const rateBuckets = new Map<string, { count: number; resetAt: number }>();

function allowed(sessionId: string | undefined): boolean {
  const key = sessionId ?? 'anonymous';
  const bucket = rateBuckets.get(key);
  if (!bucket || bucket.resetAt < Date.now()) {
    rateBuckets.set(key, { count: 1, resetAt: Date.now() + 1000 });
    return true;
  }
  bucket.count += 1;
  return bucket.count < 5;
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }, extra) => {
    if (!allowed(extra.sessionId)) throw new Error('rate limit');
    return { content: [{ type: 'text', text: city }] };
  });
  return server;
}

const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
const app = new Hono();

app.all('/mcp', async (c) => {
  const id = c.req.header('mcp-session-id');
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    const created = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, created);
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  return transport.handleRequest(c.req.raw);
});

export default app;
