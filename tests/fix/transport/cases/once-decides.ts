import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
const server = buildServer();
let connected = false;

app.post('/mcp', async (req, res) => {
  if (!connected) {
    await server.connect(transport);
    connected = true;
    console.log('connected');
  }
  await transport.handleRequest(req, res, req.body);
});
app.get('/ready', (_req, res) => {
  if (!connected) return void res.status(503).end();
  res.end();
});
app.get('/health', (_req, res) => {
  res.json({ connected });
});
app.listen(3000);
