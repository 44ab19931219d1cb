import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const safely = {
  run: (handler) => (req, res) => handler(req, res).catch((error) => res.status(500).send(String(error))),
};

async function handlePost(req, res) {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
}

async function methodNotAllowed(_req, res) {
  res
    .status(405)
    .set('Allow', 'POST')
    .json({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    });
}

app.post('/mcp', safely.run(handlePost));
app.get('/mcp', safely.run(methodNotAllowed));
app.delete('/mcp', safely.run(methodNotAllowed));
app.listen(3000);
