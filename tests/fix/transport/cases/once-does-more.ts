import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

import { catalog } from './catalog.js';

const app = express();
app.use(express.json());
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
const server = buildServer();
let connected = false;

async function ensureConnected(): Promise<void> {
  if (connected) return;
  catalog.load('words');
  await server.connect(transport);
  connected = true;
}

app.post('/mcp', async (req, res) => {
  await ensureConnected();
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
