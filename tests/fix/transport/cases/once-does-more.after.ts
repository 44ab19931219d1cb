import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

import { catalog } from './catalog.js';

const app = express();
app.use(express.json());
let connected = false;

async function ensureConnected(): Promise<void> {
  if (connected) return;
  catalog.load('words');
  connected = true;
}

app.post('/mcp', async (req, res) => {
  await ensureConnected();
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined
  });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
