import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

let transport: StreamableHTTPServerTransport | undefined;

async function theTransport(): Promise<StreamableHTTPServerTransport> {
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
    });
    await buildServer().connect(transport);
  }
  return transport;
}

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const current = await theTransport();
  await current.handleRequest(req, res, req.body);
});

app.get('/mcp', async (req, res) => {
  const current = await theTransport();
  await current.handleRequest(req, res);
});

app.get('/ready', (_req, res) => {
  if (!transport) return res.status(503).end();
  res.end();
});

process.on('SIGINT', async () => {
  if (transport) {
    await transport.close();
  }
  process.exit(0);
});

app.listen(3000);
