import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { z } from 'zod';
import { getConnInfo } from '@hono/node-server/conninfo';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that a tool is called by. */
const requestContext = new AsyncLocalStorage<{ address: string | undefined }>();

// This server knows no user, so calls are counted by address. Behind a proxy, it is that of the proxy.
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

const app = new Hono();

app.use('/mcp', (c, next) =>
  requestContext.run({ address: getConnInfo(c).remote.address }, next),
);

app.post('/mcp', async (c) => {
  // Runs on each request: clients, pools and caches stay outside.
  const created = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  await server.connect(created);
  const response = await created.handleRequest(c.req.raw);
  if (!response.body) {
    await server.close();
    return response;
  }
  // The answer may stream on after the handler: the server closes when it ends, or when nobody reads it any more.
  const { readable, writable } = new TransformStream();
  void response.body
    .pipeTo(writable)
    .catch(() => {})
    .finally(() => server.close());
  return new Response(readable, response);
});

app.all('/mcp', (c) =>
  c.json(
    {
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    },
    405,
    { Allow: 'POST' },
  ),
);

serve({ fetch: app.fetch, port: 3000 });
