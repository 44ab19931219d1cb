import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

export const server = new McpServer({ name: 'notes', version: '1.0.0' }, { instructions: 'Be kind.' });

const names = ['a', 'b'];
for (const name of names) {
  server.registerTool(name, { description: name, inputSchema: { x: z.string() } }, async ({ x }) => ({
    content: [{ type: 'text', text: name + x }],
  }));
}
