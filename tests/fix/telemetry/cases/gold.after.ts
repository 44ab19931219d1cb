import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const requestContext = new AsyncLocalStorage<{ requestId: string; address: string | undefined }>();

const LIMIT = 3;
// This server knows no user, so calls are counted by address. Behind a proxy, set Express's "trust proxy".
const callsByAddress = new Map<string | undefined, { count: number; resetAt: number }>();

setInterval(() => {
  const now = Date.now();
  for (const [address, bucket] of callsByAddress) {
    if (bucket.resetAt < now) callsByAddress.delete(address);
  }
}, 60_000).unref();

function allow(address: string | undefined): boolean {
  const now = Date.now();
  const bucket = callsByAddress.get(address);
  if (!bucket || bucket.resetAt < now) {
    callsByAddress.set(address, { count: 1, resetAt: now + 60_000 });
    return true;
  }
  bucket.count += 1;
  return bucket.count <= LIMIT;
}

function log(event: string): void {
  const requestId = requestContext.getStore()?.requestId;
  console.error(JSON.stringify({ event, requestId }));
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo-lookup', version: '0.1.0' });
  server.registerTool(
    'locate',
    { description: 'Locate a city.', inputSchema: { city: z.enum(['oslo', 'lima']) } },
    async ({ city }) => {
      log(`locate:${city}`);
      if (!allow(requestContext.getStore()?.address)) {
        return { isError: true, content: [{ type: 'text', text: 'Rate limit reached, try again in a minute' }] };
      }
      const at = { oslo: '59.91,10.75', lima: '-12.05,-77.04' }[city];
      return { content: [{ type: 'text', text: at }] };
    },
  );
  return server;
}

const app = express();
app.use(express.json());

app.use('/mcp', (req, _res, next) => {
  requestContext.run({ requestId: randomUUID(), address: req.ip }, next);
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

app.all('/mcp', (_req, res) => {
  res
    .status(405)
    .set('Allow', 'POST')
    .json({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    });
});

const port = Number(process.env.PORT ?? 3000);
app.listen(port, () => console.error(`listening on ${port}`));
