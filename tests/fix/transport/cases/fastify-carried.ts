import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

declare module 'fastify' {
  interface FastifyRequest {
    clock: StreamableHTTPServerTransport | null;
  }
}

const app = Fastify();
const open = new Map<string, StreamableHTTPServerTransport>();

app.decorateRequest('clock', null);

const checkKey = async (request: FastifyRequest, reply: FastifyReply) => {
  if (request.headers['x-key'] !== process.env.KEY) return reply.code(401).send();
};

const findSession = async (request: FastifyRequest, reply: FastifyReply) => {
  const id = request.headers['mcp-session-id'] as string | undefined;
  if (id === undefined) {
    if (request.method !== 'POST' || !isInitializeRequest(request.body)) return reply.code(400).send('No session');
    return;
  }
  request.clock = open.get(id) ?? null;
  if (request.clock === null) return reply.code(404).send('Unknown session');
};

async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      open.set(id, transport);
    },
    onsessionclosed: (id) => {
      open.delete(id);
    },
  });
  await buildServer().connect(transport);
  return transport;
}

app.route({
  method: ['GET', 'POST', 'DELETE'],
  url: '/mcp',
  preHandler: [checkKey, findSession],
  handler: async (request, reply) => {
    const transport = request.clock ?? (await begin());
    reply.hijack();
    await transport.handleRequest(request.raw, reply.raw, request.body);
  },
});

app.addHook('onClose', async () => {
  for (const transport of open.values()) await transport.close();
});

await app.listen({ port: 3000 });
