import cors from 'cors';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
app.use(
  cors({
    origin: '*', // for production, say which:
    // origin: ['https://clock.example'],
    allowedHeaders: 'Content-Type,Authorization',
  }),
);

app.post('/mcp', async (req, res) => {
  try {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  } catch (error) {
    console.error('failed', error);
    res.status(500).end();
  }
});

app.listen(3000);
