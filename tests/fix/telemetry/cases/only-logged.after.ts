import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that a tool is called by. */
const requestContext = new AsyncLocalStorage<{ address: string | undefined }>();

// Only written to the log.
// This server knows no user, so calls are counted by address. Behind a proxy, set Express's "trust proxy".
const callsByAddress = new Map<string | undefined, Record<string, number>>();

// Only log lines tell these counts: they begin anew each day, so that addresses do not pile up.
setInterval(() => callsByAddress.clear(), 24 * 60 * 60 * 1000).unref();

function count(address: string | undefined, tool: string): number {
  const mine = callsByAddress.get(address) ?? {};
  mine[tool] = (mine[tool] ?? 0) + 1;
  callsByAddress.set(address, mine);
  return mine[tool];
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }) => {
    const address = requestContext.getStore()?.address;
    console.log(`locate address=${address} n=${count(address, 'locate')}`);
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
