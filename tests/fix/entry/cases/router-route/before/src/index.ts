import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const server = new McpServer({ name: 'n', version: '1' });
server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
const router = express.Router();
router.route('/').all(async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
const app = express();
app.use(express.json());
app.use('/mcp', router);

await server.connect(transport);
app.listen(3000);
