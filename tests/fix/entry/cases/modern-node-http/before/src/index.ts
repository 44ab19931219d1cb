import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

async function main() {
  const mcpServer = new McpServer({ name: 'n', version: '1' });
  mcpServer.registerTool('t', { inputSchema: z.object({ a: z.string() }) }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), enableJsonResponse: true });
  await mcpServer.connect(transport);

  const http = createServer(async (req, res) => {
    if (req.url?.startsWith('/mcp')) {
      await transport.handleRequest(req, res);
      return;
    }
    res.writeHead(404).end();
  });
  http.listen(Number(process.env.PORT ?? 3000));
  process.on('SIGTERM', async () => {
    await mcpServer.close();
    process.exit(0);
  });
}
void main();
