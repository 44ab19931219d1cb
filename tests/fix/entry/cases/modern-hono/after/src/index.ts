import { serve } from '@hono/node-server';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import * as z from 'zod';

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'n', version: '1' });
  server.registerTool('t', { inputSchema: z.object({ a: z.string() }) }, async ({ a }) => ({
    content: [{ type: 'text', text: a }],
  }));

  return server;
}

const handler = createMcpHandler(buildServer);

const app = new Hono();
// GET and DELETE reach the handler too: it answers them with 405.
app.all('/mcp', (c) => handler.fetch(c.req.raw));
serve({ fetch: app.fetch, port: 3000 });
