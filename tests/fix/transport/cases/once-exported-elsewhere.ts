import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
const server = buildServer();
let connected = false;

export async function ensureConnected(): Promise<void> {
  if (connected) return;
  await server.connect(transport);
  connected = true;
}

app.post('/mcp', async (req, res) => {
  await ensureConnected();
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
