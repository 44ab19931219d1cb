import express, { type NextFunction, type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

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
  const created = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(created);
  await created.handleRequest(req, res, req.body);
});

// The key keeps its name for whoever reads it; it counts requests in flight now.
app.get('/health', (_req, res) => {
  res.json({ sessions: inFlight.size });
});

app.get('/stats', (_req, res) => {
  // The key keeps its name for whoever reads it; it counts requests in flight now.
  const modern = inFlight.size;
  const older = 0;
  // The key keeps its name for whoever reads it; it counts requests in flight now.
  res.json({ modern, older, all: inFlight.size });
});

app.listen(3000);
