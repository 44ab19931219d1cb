import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { once } from 'node:events';

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'n', version: '1' });
  server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

  return server;
}

const app = express();
app.use(express.json());

const setupServer = async () => {
  try {
    console.log('Server connected successfully');
  } catch (error) {
    console.error('Failed to set up the server:', error);
    throw error;
  }
};

const handle = async (req: express.Request, res: express.Response) => {
  try {
    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    transport.onerror = (error) => console.error('transport', error);
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  } catch (error) {
    if (!res.headersSent) res.status(500).end();
  }
};

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

app.post('/mcp', track, handle);

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

setupServer().then(() => {
  app.listen(3000);
}).catch((error) => {
  console.error(error);
  process.exit(1);
});

process.on('SIGINT', async () => {
  try {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  } catch (error) {
    console.error(error);
  }
  process.exit(0);
});
