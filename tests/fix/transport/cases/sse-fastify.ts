import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = Fastify();
const streams = new Map<string, StreamableHTTPServerTransport>();
const legacy = new Map<string, SSEServerTransport>();

app.post('/mcp', async (request, reply) => {
  const id = request.headers['mcp-session-id'] as string | undefined;
  let transport = id ? streams.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(request.body)) {
      return reply.code(400).send({ error: 'no session' });
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void streams.set(sid, created),
    });
    await buildServer().connect(created);
    transport = created;
  }
  reply.hijack();
  await transport.handleRequest(request.raw, reply.raw, request.body);
});

app.get('/sse', async (_request, reply) => {
  reply.hijack();
  const transport = new SSEServerTransport('/messages', reply.raw);
  legacy.set(transport.sessionId, transport);
  reply.raw.on('close', () => legacy.delete(transport.sessionId));
  await buildServer().connect(transport);
});

app.post<{ Querystring: { sessionId?: string } }>('/messages', async (request, reply) => {
  const transport = legacy.get(request.query.sessionId ?? '');
  if (!transport) return reply.code(404).send({ error: 'unknown session' });
  reply.hijack();
  await transport.handlePostMessage(request.raw, reply.raw, request.body);
});

await app.listen({ port: 3000 });
