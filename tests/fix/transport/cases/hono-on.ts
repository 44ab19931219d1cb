import { Hono } from 'hono';
import { serve } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';

const app = new Hono();
const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

app.on(['GET', 'POST', 'DELETE'], '/mcp', async (c) => {
  const id = c.req.header('mcp-session-id');
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport!);
      },
    });
    await buildServer().connect(transport);
  }
  return transport.handleRequest(c.req.raw);
});

serve({ fetch: app.fetch, port: 3000 });
