import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

class Connections {
  private readonly open = new Map<string, StreamableHTTPServerTransport>();

  constructor(private readonly create: () => McpServer) {}

  get count(): number {
    return this.open.size;
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = request.headers['mcp-session-id'] as string | undefined;
    let transport = id ? this.open.get(id) : undefined;
    if (!transport) {
      if (request.method !== 'POST' || !isInitializeRequest(request.body)) {
        await reply.code(400).send({ error: 'initialize first' });
        return;
      }
      transport = await this.begin();
    }
    reply.hijack();
    await transport.handleRequest(request.raw, reply.raw, request.body);
  }

  private async begin(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        this.open.set(sid, transport);
      },
      onsessionclosed: (sid) => {
        this.open.delete(sid);
      },
    });
    await this.create().connect(transport);
    return transport;
  }

  async closeAll(): Promise<void> {
    for (const transport of this.open.values()) {
      await transport.close();
    }
    this.open.clear();
  }
}

const app = Fastify();
const connections = new Connections(buildServer);
const checkKey = async (request: FastifyRequest, reply: FastifyReply) => {
  if (request.headers['x-key'] !== process.env.KEY) return reply.code(401).send();
};

app.get('/health', async () => ({ open: connections.count }));

app.post('/mcp', { preHandler: [checkKey] }, (request, reply) => connections.handle(request, reply));
app.get('/mcp', { preHandler: [checkKey] }, (request, reply) => connections.handle(request, reply));

app.addHook('onClose', async () => {
  await connections.closeAll();
});

await app.listen({ port: 3000 });
