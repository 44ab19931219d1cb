import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
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

const transports = new Map<string, StreamableHTTPServerTransport>();
const app = Fastify();

app.post('/mcp', async (request, reply) => {
  const id = request.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, created);
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  reply.hijack();
  await transport.handleRequest(request.raw, reply.raw, request.body);
});

await app.listen({ port: 3000 });
