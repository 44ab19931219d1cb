import { Hono } from 'hono';
import { serve } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';

const app = new Hono();

app.on('POST', '/mcp', async (c) => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  await server.connect(transport);
  const response = await transport.handleRequest(c.req.raw);
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

app.all('/mcp', (c) =>
  c.json(
    {
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    },
    405,
    { Allow: 'POST' },
  ),
);

serve({ fetch: app.fetch, port: 3000 });
