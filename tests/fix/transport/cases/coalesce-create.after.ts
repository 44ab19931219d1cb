import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const createTransport = async () => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  await buildServer().connect(transport);
  return transport;
};

app.post('/mcp', async (req, res) => {
  const transport = await createTransport();
  res.on('close', () => void transport.close());
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
