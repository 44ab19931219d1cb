import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that a tool is called by. */
const requestContext = new AsyncLocalStorage<{ address: string | undefined }>();

// This server knows no user, so calls are counted by address. Behind a proxy, set Express's "trust proxy".
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
  console.error('calls of', address, bucket.count);
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

const app = express();
app.use(express.json());

app.use('/mcp', (req, _res, next) => {
  requestContext.run({ address: req.ip }, next);
});

app.post('/mcp', async (req, res) => {
  // Runs on each request: clients, pools and caches stay outside.
  const created = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(created);
  await created.handleRequest(req, res, req.body);
});

app.listen(3000);
