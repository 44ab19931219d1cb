import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that a tool is called by. */
const requestContext = new AsyncLocalStorage<{ address: string | undefined }>();

// This server knows no user, so calls are counted by address. Behind a proxy, set Express's "trust proxy".
const usageWindows: Map<string | undefined, { count: number; resetAt: number }> = new Map();

setInterval(() => {
  for (const [address, usage] of usageWindows) {
    if (Date.now() > usage.resetAt) usageWindows.delete(address);
  }
}, 60_000).unref();

function spend(): boolean {
  const address = requestContext.getStore()?.address;
  const usage = usageWindows.get(address);
  if (!usage || Date.now() > usage.resetAt) {
    usageWindows.set(address, { count: 1, resetAt: Date.now() + 60_000 });
    return true;
  }
  return ++usage.count <= 10;
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }) => {
    if (!spend()) throw new Error('limit');
    return { content: [{ type: 'text', text: city }] };
  });
  server.registerTool('now', { description: 'Tell the time.' }, async () => {
    if (!spend()) throw new Error('limit');
    return { content: [{ type: 'text', text: new Date().toISOString() }] };
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
