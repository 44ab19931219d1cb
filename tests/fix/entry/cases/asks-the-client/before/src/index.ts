import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const server = new McpServer({ name: 'n', version: '1' });
server.registerTool('del', { inputSchema: { a: z.string() } }, async ({ a }) => {
  const r = await server.server.elicitInput({ message: 'sure?', requestedSchema: { type: 'object', properties: {} } });
  await server.server.sendLoggingMessage({ level: 'info', data: 'x' });
  return { content: [{ type: 'text', text: r.action }] };
});
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await server.connect(transport);
const app = express();
app.post('/mcp', async (req, res) => { await transport.handleRequest(req, res); });
setInterval(() => server.server.ping(), 1000);
app.listen(3000);
