import Fastify, { type FastifyInstance, type FastifyRequest, type FastifyReply } from 'fastify';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';

interface Store {
}

export async function mcp(app: FastifyInstance, options: { store?: Store }): Promise<void> {
  app.addHook('onClose', async () => {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  });

  // Requests being answered, so that shutdown can wait for them.
  const inFlight = new Set<FastifyReply['raw']>();
  let draining = false;

  const track = async (_request: FastifyRequest, reply: FastifyReply) => {
    if (draining) {
      return reply
        .code(503)
        .header('Connection', 'close')
        .send({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Server is shutting down' },
          id: null,
        });
    }
    inFlight.add(reply.raw);
    reply.raw.on('close', () => inFlight.delete(reply.raw));
  };

  app.post('/mcp', { preHandler: track }, async (request, reply) => {
    // Runs on each request: clients, pools and caches stay outside.
    const made = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    reply.raw.on('close', () => void server.close());
    await server.connect(made);
    reply.hijack();
    await made.handleRequest(request.raw, reply.raw, request.body);
  });
}

const app = Fastify();
await app.register(mcp, {});
await app.listen({ port: 3000 });
