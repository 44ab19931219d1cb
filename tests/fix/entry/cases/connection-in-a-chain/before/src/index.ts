import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const server = new McpServer({ name: 'n', version: '1' });
server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

const stateless = process.env.STATELESS === '1';
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: stateless ? undefined : () => randomUUID() });
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

server.connect(transport).then(() => app.listen(3000));
