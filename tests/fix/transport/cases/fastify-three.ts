import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const fastify = Fastify();

const transports: Record<string, StreamableHTTPServerTransport> = {};

fastify.post('/mcp', async (request, reply) => {
  const sessionId = request.headers['mcp-session-id'] as string | undefined;
  let transport: StreamableHTTPServerTransport;
  if (sessionId && transports[sessionId]) {
    transport = transports[sessionId];
  } else if (!sessionId && isInitializeRequest(request.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports[id] = transport;
      },
    });
    await buildServer().connect(transport);
  } else {
    return reply.code(400).send({ error: 'Bad Request' });
  }
  reply.hijack();
  await transport.handleRequest(request.raw, reply.raw, request.body);
});

fastify.get('/mcp', async (request, reply) => {
  const transport = transports[request.headers['mcp-session-id'] as string];
  if (!transport) {
    return reply.code(400).send({ error: 'No session' });
  }
  reply.hijack();
  await transport.handleRequest(request.raw, reply.raw);
});

await fastify.listen({ port: 3000 });
