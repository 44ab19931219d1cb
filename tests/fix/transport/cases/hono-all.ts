import { Hono } from 'hono';
import { serve } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = new Hono();

const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

app.all('/mcp', async (c) => {
  const sessionId = c.req.header('mcp-session-id');
  const existing = sessionId ? transports.get(sessionId) : undefined;
  if (existing) {
    return existing.handleRequest(c.req.raw);
  }
  if (sessionId) {
    return c.json({ error: 'Session not found' }, 404);
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => {
      transports.set(id, transport);
    },
  });
  const server = buildServer();
  await server.connect(transport);
  return transport.handleRequest(c.req.raw);
});

serve({ fetch: app.fetch, port: 3000 });
