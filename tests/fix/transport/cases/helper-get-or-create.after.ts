import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

async function getTransport(): Promise<StreamableHTTPServerTransport> {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  await server.connect(transport);
  return transport;
}

app.post('/mcp', async (req, res) => {
  const transport = await getTransport();
  res.on('close', () => void transport.close());
  await transport.handleRequest(req, res, req.body);
});

app.get('/mcp', (_req, res) => {
  res
    .status(405)
    .set('Allow', 'POST')
    .json({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    });
});

app.listen(3000);
