import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';

const app = new Hono<{ Bindings: HttpBindings }>();

app.post('/mcp', async (c) => {
  const parsedBody = await c.req.json();
  // Runs on each request: clients, pools and caches stay outside.
  const created = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  await server.connect(created);
  const response = await created.handleRequest(c.req.raw, { parsedBody });
  if (!response.body) {
    await server.close();
    return response;
  }
  // The answer may stream on after the handler: the server closes when it ends, or when nobody reads it any more.
  const { readable, writable } = new TransformStream();
  void response.body
    .pipeTo(writable)
    .catch(() => {})
    .finally(() => server.close());
  return new Response(readable, response);
});

export default app;
