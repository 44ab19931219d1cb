import { serve } from '@hono/node-server';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import * as z from 'zod';

const server = new McpServer({ name: 'n', version: '1' });
server.registerTool('t', { inputSchema: z.object({ a: z.string() }) }, async ({ a }) => ({
  content: [{ type: 'text', text: a }],
}));

const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
await server.connect(transport);

const app = new Hono();
app.all('/mcp', (c) => transport.handleRequest(c.req.raw));
serve({ fetch: app.fetch, port: 3000 });
