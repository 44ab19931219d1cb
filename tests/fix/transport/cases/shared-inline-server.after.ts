import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { once } from 'node:events';

const zones = new Map([['paris', 'Europe/Paris']]);

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });

  server.registerTool('now', { description: 'Tell the time.' }, async () => ({
    content: [{ type: 'text', text: new Date().toISOString() }],
  }));

  // One tool for each place.
  for (const [place, timeZone] of zones) {
    server.registerTool(`now_in_${place}`, { description: `Tell the time in ${place}.` }, async () => ({
      content: [{ type: 'text', text: new Date().toLocaleString('en', { timeZone }) }],
    }));
  }

  return server;
}

const app = express();
app.use(express.json());

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<express.Response>();
let draining = false;

const track = (_req: express.Request, res: express.Response, next: express.NextFunction) => {
  if (draining) {
    res
      .status(503)
      .set('Connection', 'close')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Server is shutting down' },
        id: null,
      });
    return;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

app.post('/mcp', track, async (req, res) => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});

const methodNotAllowed = (_req: express.Request, res: express.Response) => {
  res
    .status(405)
    .set('Allow', 'POST')
    .json({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    });
};
app.get('/mcp', methodNotAllowed);
app.delete('/mcp', methodNotAllowed);

app.listen(3000);

process.on('SIGINT', async () => {
  draining = true;
  await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  process.exit(0);
});
