import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

export function getServer() {
  const server = new McpServer({ name: 'n', version: '1' });
  server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));
  return server;
}

const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const server = getServer();
  const transport = new StreamableHTTPServerTransport();
  res.on('close', () => void server.close());
  await server.connect(transport as Transport);
  await transport.handleRequest(req, res, req.body);
});
app.get('/mcp', (_req, res) => {
  res
    .status(405)
    .set('Allow', 'POST')
    .json({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    });
});
app.listen(3000);
