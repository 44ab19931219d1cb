import cors from 'cors';
import express from "express";
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

// Sessions are kept in memory, and are gone after a deployment.
const app = express();
app.use(cors({ origin: "*", allowedHeaders: ["Content-Type"] }));
app.use(express.json({ limit: "1mb" }));

app.post('/mcp', async (req, res) => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });

  const server: McpServer = buildServer();

  res.on('close', () => void server.close());
  // Connect before the request is handled, or its answer is lost
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
