import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';

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

class Connections {
  constructor(private readonly create: () => McpServer) {}

  // The key keeps its name for whoever reads it; it counts requests in flight now.
  get count(): number {
    return inFlight.size;
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const transport = await this.begin();
    reply.hijack();
    reply.raw.on('close', () => void transport.close());
    await transport.handleRequest(request.raw, reply.raw, request.body);
  }

  private async begin(): Promise<StreamableHTTPServerTransport> {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    await this.create().connect(transport);
    return transport;
  }

  async closeAll(): Promise<void> {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
    draining = false;
  }
}

const app = Fastify();
const connections = new Connections(buildServer);
const checkKey = async (request: FastifyRequest, reply: FastifyReply) => {
  if (request.headers['x-key'] !== process.env.KEY) return reply.code(401).send();
};

app.get('/health', async () => ({ open: connections.count }));

app.route({
  method: 'POST',
  url: '/mcp',
  bodyLimit: 65536,
  preHandler: track,
  handler: (request, reply) => connections.handle(request, reply),
});

app.route({
  method: ['GET', 'DELETE'],
  url: '/mcp',
  handler: (_request, reply) => {
    reply
      .code(405)
      .header('Allow', 'POST')
      .send({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Method not allowed.' },
        id: null,
      });
  },
});

app.addHook('onClose', async () => {
  await connections.closeAll();
});

await app.listen({ port: 3000 });
