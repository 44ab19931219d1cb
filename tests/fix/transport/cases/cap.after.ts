import express, { type NextFunction, type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const MAX_SESSIONS = Number(process.env.MAX_SESSIONS ?? 100);

// Requests being answered.
const inFlight = new Set<Response>();

const track = (_req: Request, res: Response, next: NextFunction) => {
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

app.post('/mcp', track, async (req, res) => {
  if (inFlight.size > MAX_SESSIONS) {
    res.status(503).json({ error: 'Too many sessions' });
    return;
  }
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
