import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

interface Store {
  find(id: string): Promise<StreamableHTTPServerTransport | undefined>;
  keep(id: string, transport: StreamableHTTPServerTransport): Promise<void>;
  list(): StreamableHTTPServerTransport[];
}

class MemoryStore implements Store {
  private readonly held = new Map<string, StreamableHTTPServerTransport>();

  async find(id: string) {
    return this.held.get(id);
  }

  async keep(id: string, transport: StreamableHTTPServerTransport) {
    this.held.set(id, transport);
  }

  list() {
    return [...this.held.values()];
  }
}

export async function mcp(app: FastifyInstance, options: { store?: Store }): Promise<void> {
  const store = options.store ?? new MemoryStore();

  app.addHook('onClose', async () => {
    for (const transport of store.list()) await transport.close();
  });

  app.post('/mcp', async (request, reply) => {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? await store.find(id) : undefined;
    if (!transport) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: async (sid) => {
          await store.keep(sid, made);
        },
      });
      await buildServer().connect(made);
      transport = made;
    }
    reply.hijack();
    await transport.handleRequest(request.raw, reply.raw, request.body);
  });
}

const app = Fastify();
await app.register(mcp, {});
await app.listen({ port: 3000 });
