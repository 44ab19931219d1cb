import express, { type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { closeOnSignal, track } from './helpers.js';
import { buildServer } from './tools.js';

const pick = async () => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  await buildServer().connect(transport);
  return transport;
};

export const start = () => {
  const app = express();
  app.use(express.json());
  app.post('/mcp', track, async (req: Request, res: Response) => {
    try {
      const transport = await pick();
      res.on('close', () => void transport.close());
      await transport.handleRequest(req, res, req.body);
    } catch {
      if (!res.headersSent) res.status(500).json({ jsonrpc: '2.0', error: { code: -32603, message: 'Internal server error' }, id: null });
    }
  });

  app.all('/mcp', (_req, res) => {
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
  closeOnSignal();
};

start();
