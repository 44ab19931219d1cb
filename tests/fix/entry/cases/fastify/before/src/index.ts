import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const server = new McpServer({ name: 'n', version: '1' });
server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

const app = Fastify();
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await server.connect(transport);

app.post('/mcp', async (request, reply) => {
  await transport.handleRequest(request.raw, reply.raw, request.body);
});
app.get('/mcp', async (request, reply) => {
  await transport.handleRequest(request.raw, reply.raw);
});

await app.listen({ port: 3000 });
