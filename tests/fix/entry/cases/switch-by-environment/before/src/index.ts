import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const STATELESS = process.env.STATELESS === 'true';
const server = new McpServer({ name: 'n', version: '1' });
server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

const transport = new StreamableHTTPServerTransport({
  sessionIdGenerator: STATELESS ? undefined : () => randomUUID(),
});
await server.connect(transport);

const app = express();
app.use(express.json());
app.use('/mcp', async (req, res, next) => {
  try {
    console.log(req.method);
    await transport.handleRequest(req, res, req.body);
  } catch (error) {
    next(error);
  }
});
app.listen(3000);
