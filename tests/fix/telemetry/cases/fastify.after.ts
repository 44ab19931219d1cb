import Fastify from 'fastify';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that a tool is called by. */
const requestContext = new AsyncLocalStorage<{ address: string | undefined }>();

// This server knows no user, so calls are counted by address. Behind a proxy, set Fastify's `trustProxy`.
const rateBuckets = new Map<string | undefined, { count: number; resetAt: number }>();

setInterval(() => {
  for (const [address, bucket] of rateBuckets) {
    if (bucket.resetAt < Date.now()) rateBuckets.delete(address);
  }
}, 60_000).unref();

function allowed(address: string | undefined): boolean {
  const bucket = rateBuckets.get(address);
  if (!bucket || bucket.resetAt < Date.now()) {
    rateBuckets.set(address, { count: 1, resetAt: Date.now() + 1000 });
    return true;
  }
  bucket.count += 1;
  return bucket.count < 5;
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }) => {
    if (!allowed(requestContext.getStore()?.address)) throw new Error('rate limit');
    return { content: [{ type: 'text', text: city }] };
  });
  return server;
}

const app = Fastify();

app.addHook('preHandler', (request, _reply, done) => {
  requestContext.run({ address: request.ip }, done);
});

app.post('/mcp', async (request, reply) => {
  // Runs on each request: clients, pools and caches stay outside.
  const created = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  reply.raw.on('close', () => void server.close());
  await server.connect(created);
  reply.hijack();
  await created.handleRequest(request.raw, reply.raw, request.body);
});

await app.listen({ port: 3000 });
