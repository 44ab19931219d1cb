import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that a tool is called by. */
const requestContext = new AsyncLocalStorage<{ address: string | undefined }>();

// This server knows no user, so calls are counted by address. Behind a proxy, set Express's "trust proxy".
const seen = new Map<string | undefined, { start: number; count: number }>();

setInterval(() => {
  const now = Date.now();
  for (const [address, entry] of seen) {
    if (now - entry.start > 60_000) seen.delete(address);
  }
}, 60_000).unref();

function allow(address: string | undefined): boolean {
  const now = Date.now();
  const entry = seen.get(address);
  if (!entry || now - entry.start > 60_000) {
    seen.set(address, { start: now, count: 1 });
    return true;
  }
  entry.count += 1;
  return entry.count <= 30;
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }) => {
    if (!allow(requestContext.getStore()?.address!)) return { isError: true, content: [{ type: 'text', text: 'slow down' }] };
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
