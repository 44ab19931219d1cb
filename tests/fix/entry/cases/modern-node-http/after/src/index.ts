import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

async function main() {
  /** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
  function buildServer(): McpServer {
    const mcpServer = new McpServer({ name: 'n', version: '1' });
    mcpServer.registerTool('t', { inputSchema: z.object({ a: z.string() }) }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

    return mcpServer;
  }

  const handler = createMcpHandler(buildServer, {
    responseMode: 'json'
  });
  const mcp = toNodeHandler(handler);

  const http = createServer(async (req, res) => {
    if (req.url?.startsWith('/mcp')) {
      await mcp(req, res);
      return;
    }
    res.writeHead(404).end();
  });
  http.listen(Number(process.env.PORT ?? 3000));
  process.on('SIGTERM', async () => {
    await handler.close();
    process.exit(0);
  });
}
void main();
