import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  // Runs on each request: clients, pools and caches stay outside.
  const fresh = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(fresh);
  await fresh.handleRequest(req, res, req.body);
});

const listener = app.listen(3000);
process.on('SIGTERM', () => {
  listener.close(() => process.exit(0));
  setTimeout(() => process.exit(1), 3000).unref();
});
