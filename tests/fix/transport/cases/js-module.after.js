import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

const app = express();

const build = () => new McpServer({ name: 'x', version: '1' });

app.post('/mcp', express.json(), async (req, res) => {
  // Runs on each request: clients, pools and caches stay outside.
  const t = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  const server = build();
  res.on('close', () => void server.close());
  await server.connect(t);
  await t.handleRequest(req, res, req.body);
});

app.listen(3000);
