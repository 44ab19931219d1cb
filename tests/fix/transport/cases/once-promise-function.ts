import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
const server = buildServer();
let ready: Promise<void> | null = null;

function ensureReady(): Promise<void> {
  if (!ready) {
    ready = server.connect(transport).catch((error) => {
      ready = null;
      throw error;
    });
  }
  return ready;
}

app.post('/mcp', async (req, res) => {
  await ensureReady();
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
