import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const prices = new Map([['apple', 3]]);

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'n', version: '1' });

  const admin = server.registerTool('reset', { inputSchema: {} }, async () => ({ content: [] }));
  if (!process.env.ADMIN) {
    admin.disable();
  }

  setUp();

  function setUp() {
    server.registerTool('price', { inputSchema: { of: z.string() } }, async ({ of }) => ({
      content: [{ type: 'text', text: String(prices.get(of)) }],
    }));
  }

  return server;
}

const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
