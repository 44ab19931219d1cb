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

setInterval(() => {
  void transport?.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
}, 60_000);

process.on('SIGINT', async () => {
  if (transport) {
    await transport.close();
  }
  process.exit(0);
});

app.listen(3000);
