import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that a tool is called by. */
const requestContext = new AsyncLocalStorage<{ address: string | undefined }>();

// This server knows no user, so calls are counted by address. Behind a proxy, set Express's "trust proxy".
const calls = new Map<string | undefined, number>();

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }) => {
    calls.set(requestContext.getStore()?.address!, (calls.get(requestContext.getStore()?.address!) ?? 0) + 1);
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
