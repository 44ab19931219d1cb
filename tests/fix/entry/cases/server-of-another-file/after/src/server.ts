import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

const names = ['a', 'b'];

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
export function buildServer(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' }, { instructions: 'Be kind.' });

  for (const name of names) {
    server.registerTool(name, { description: name, inputSchema: { x: z.string() } }, async ({ x }) => ({
      content: [{ type: 'text', text: name + x }],
    }));
  }

  return server;
}
