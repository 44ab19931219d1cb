import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

async function theTransport(): Promise<StreamableHTTPServerTransport> {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await buildServer().connect(transport);
  return transport;
}

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const current = await theTransport();
  res.on('close', () => void current.close());
  await current.handleRequest(req, res, req.body);
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

process.on('SIGINT', async () => {
  process.exit(0);
});

app.listen(3000);
