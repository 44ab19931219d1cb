import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';

export class DatesServer {
  private readonly server: McpServer;

  constructor() {
    this.server = new McpServer({ name: 'dates', version: '1.0.0' });
    this.register();
  }

  private register() {
    this.server.registerTool('weekday', { description: 'Weekday of a date', inputSchema: { date: z.string() } }, async ({ date }) => ({
      content: [{ type: 'text', text: new Date(date).toDateString() }],
    }));
  }

  async connect(transport: Transport) {
    await this.server.connect(transport);
  }

  async close() {
    await this.server.close();
  }
}
