import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

import type { Database } from './database.js';

export function buildServer(database: Database): McpServer {
  const server = new McpServer({ name: 'dates', version: '1.0.0' });
  server.registerTool('weekday', { description: 'Weekday of a date', inputSchema: { date: z.string() } }, async ({ date }) => ({
    content: [{ type: 'text', text: database.weekday(date) }],
  }));
  return server;
}
