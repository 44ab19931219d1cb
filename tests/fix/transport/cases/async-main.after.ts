import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

async function main() {
  app.post('/mcp', async (req, res) => {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableDnsRebindingProtection: true,
    });

    const server = buildServer();

    res.on('close', () => void server.close());
    // Connect to the MCP server
    await server.connect(transport);

    // Handle the request
    await transport.handleRequest(req, res, req.body);
  });

  // Reusable handler for GET and DELETE requests
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
}

main().catch(console.error);
