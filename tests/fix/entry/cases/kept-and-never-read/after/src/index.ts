import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'Tell the time.' }, async () => ({
    content: [{ type: 'text', text: new Date().toISOString() }],
  }));

  return server;
}

let active: StreamableHTTPServerTransport | StdioServerTransport | null = null;

async function serveHttp(): Promise<void> {
  createServer(async (req, res) => {
    if (req.method !== 'POST') {
      res
        .writeHead(405, { Allow: 'POST', 'Content-Type': 'application/json' })
        .end(
          JSON.stringify({
            jsonrpc: '2.0',
            error: { code: -32000, message: 'Method not allowed.' },
            id: null,
          }),
        );
      return;
    }

    try {
      const server = buildServer();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
      });
      res.on('close', () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(req, res);
    } catch (error) {
      console.error('request failed', error);
      if (!res.headersSent) {
        res.writeHead(500, { 'Content-Type': 'application/json' }).end(
          JSON.stringify({
            jsonrpc: '2.0',
            error: { code: -32603, message: 'Internal server error' },
            id: null,
          }),
        );
      }
    }
  }).listen(3000);
}

async function serveStdio(): Promise<void> {
  const transport = new StdioServerTransport();
  active = transport;
  await buildServer().connect(transport);
}

await (process.argv.includes('--http') ? serveHttp() : serveStdio());
