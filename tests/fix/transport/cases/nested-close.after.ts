import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  try {
    try {
      // Runs on each request: clients, pools and caches stay outside.
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
      });

      const server = buildServer();
      res.on('close', () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(req, res, req.body);
      return;
    } catch (initError) {
      if (!res.headersSent) {
        res.status(500).json({ error: String(initError) });
      }
      return;
    }
  } catch (error) {
    console.error('request failed', error);
  }
});

app.listen(3000);
