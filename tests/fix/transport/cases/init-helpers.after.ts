import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const containsInitialize = (body: unknown): boolean => {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (message?.method === 'initialize') return true;
  }
  return false;
};

app.post('/mcp', async (req, res) => {
  console.log('POST', { initializes: containsInitialize(req.body) });
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
