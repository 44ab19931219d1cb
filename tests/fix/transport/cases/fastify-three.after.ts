import Fastify from 'fastify';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const fastify = Fastify();

fastify.post('/mcp', async (request, reply) => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  reply.raw.on('close', () => void server.close());
  await server.connect(transport);
  reply.hijack();
  await transport.handleRequest(request.raw, reply.raw, request.body);
});

fastify.get('/mcp', (_request, reply) => {
  reply
    .code(405)
    .header('Allow', 'POST')
    .send({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    });
});

await fastify.listen({ port: 3000 });
