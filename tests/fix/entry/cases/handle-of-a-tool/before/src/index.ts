import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

// The one MCP server.
const server = new McpServer({ name: 'n', version: '1' });

const prices = new Map([['apple', 3]]);

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

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await server.connect(transport);

const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
