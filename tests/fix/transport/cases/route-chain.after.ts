import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

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

app
  .route('/mcp')
  .post(async (req, res) => {
    // Runs on each request: clients, pools and caches stay outside.
    const fresh = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    res.on('close', () => void server.close());
    await server.connect(fresh);
    await fresh.handleRequest(req, res, req.body);
  })
  .get(methodNotAllowed)
  .delete(methodNotAllowed);

app.listen(3000);
