import express, { type NextFunction, type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

export function createApp() {
  const app = express();
  app.use(express.json());

  // Requests being answered.
  const inFlight = new Set<Response>();

  const track = (_req: Request, res: Response, next: NextFunction) => {
    inFlight.add(res);
    res.on('close', () => inFlight.delete(res));
    next();
  };

  app.post('/mcp', track, async (req, res) => {
    // Runs on each request: clients, pools and caches stay outside.
    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    res.on('close', () => void server.close());
    await server.connect(transport);
    const session = { server, transport };
    await session.transport.handleRequest(req, res, req.body);
  });

  app.all('/mcp', (_req, res) => {
    res
      .status(405)
      .set('Allow', 'POST')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Method not allowed.' },
        id: null
      });
  });

  // The key keeps its name for whoever reads it; it counts requests in flight now.
  app.get('/health', (_req, res) => {
    res.json({ ok: true, busy: inFlight.size > 0 });
  });
  return app;
}

createApp().listen(3000);
