import express from 'express';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const legacy = new Map<string, SSEServerTransport>();

app.post('/mcp', async (req, res) => {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});

app.get('/sse', async (_req, res) => {
  const transport = new SSEServerTransport('/messages', res);
  legacy.set(transport.sessionId, transport);
  transport.onclose = () => legacy.delete(transport.sessionId);
  await buildServer().connect(transport);
});

app.post('/messages', async (req, res) => {
  const transport = legacy.get(String(req.query.sessionId));
  if (!transport) {
    res.status(404).send('Unknown session');
    return;
  }
  await transport.handlePostMessage(req, res, req.body);
});

app.listen(3000);
