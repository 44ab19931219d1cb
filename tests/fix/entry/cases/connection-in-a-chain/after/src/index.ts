import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'n', version: '1' });
  server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

  return server;
}

const app = express();
app.use(express.json());
app.use('/mcp', async (req, res, next) => {
  try {
    console.log(req.method);
    if (req.method !== 'POST') {
      res
        .status(405)
        .set('Allow', 'POST')
        .json({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null
        });
      return;
    }

    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined
    });
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  } catch (error) {
    next(error);
  }
});

app.listen(3000);
