import Fastify from 'fastify';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'n', version: '1' });
  server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

  return server;
}

const app = Fastify();

app.post('/mcp', async (request, reply) => {
  reply.hijack();
  try {
    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined
    });
    reply.raw.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request.raw, reply.raw, request.body);
  } catch (error) {
    console.error('request failed', error);
    if (!reply.raw.headersSent) {
      reply.raw.writeHead(500, { 'Content-Type': 'application/json' }).end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32603, message: 'Internal server error' },
          id: null
        })
      );
    }
  }
});
app.get('/mcp', (_request, reply) => {
  reply
    .code(405)
    .header('Allow', 'POST')
    .send({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null
    });
});

await app.listen({ port: 3000 });
