import Fastify from 'fastify';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = Fastify();

app.post('/mcp', async (request, reply) => {
  // Runs on each request: clients, pools and caches stay outside.
  const created = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  reply.raw.on('close', () => void server.close());
  await server.connect(created);
  reply.hijack();
  await created.handleRequest(request.raw, reply.raw, request.body);
});

await app.listen({ port: 3000 });
