import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';
import type { Request, Response, NextFunction } from 'express';

const app = express();
app.use(express.json());

app.post('/mcp', track, async (req, res) => {
  try {
    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  } catch (error) {
    console.error(error);
    if (!res.headersSent) res.status(500).end();
  }
});

app.get('/mcp', (_req, res) => {
  res.status(405).end();
});

process.on('SIGTERM', async () => {
  draining = true;
  await Promise.allSettled([...inFlight].map((res) => once(res, 'close')));
  process.exit(0);
});

app.listen(3000);
