import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const fastify = Fastify();

const transports: Record<string, StreamableHTTPServerTransport> = {};

fastify.route({
  method: ['GET', 'POST', 'DELETE'],
  url: '/mcp',
  handler: async (request, reply) => {
    const id = request.headers['mcp-session-id'] as string | undefined;
    let transport = id ? transports[id] : undefined;
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          transports[sid] = transport!;
        },
      });
      await buildServer().connect(transport);
    }
    reply.hijack();
    await transport.handleRequest(request.raw, reply.raw, request.body);
  },
});

await fastify.listen({ port: 3000 });
