import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = new Hono<{ Bindings: HttpBindings }>();
const streams = new Map<string, WebStandardStreamableHTTPServerTransport>();
const legacy = new Map<string, SSEServerTransport>();

app.post('/mcp', async (c) => {
  const id = c.req.header('mcp-session-id');
  const parsedBody = await c.req.json();
  let transport = id ? streams.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(parsedBody)) return c.text('no session', 400);
    const created = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void streams.set(sid, created),
    });
    await buildServer().connect(created);
    transport = created;
  }
  return transport.handleRequest(c.req.raw, { parsedBody });
});

app.get('/sse', async (c) => {
  const transport = new SSEServerTransport('/messages', c.env.outgoing);
  legacy.set(transport.sessionId, transport);
  c.env.outgoing.on('close', () => legacy.delete(transport.sessionId));
  await buildServer().connect(transport);
  return RESPONSE_ALREADY_SENT;
});

app.post('/messages', async (c) => {
  const transport = legacy.get(c.req.query('sessionId') ?? '');
  if (!transport) return c.text('unknown session', 404);
  await transport.handlePostMessage(c.env.incoming, c.env.outgoing, await c.req.json());
  return RESPONSE_ALREADY_SENT;
});

export default app;
