import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

class Notes {
  private server: McpServer;

  constructor() {
    this.server = new McpServer({ name: 'n', version: '1' });
    this.setupTools();
  }

  private setupTools() {
    this.server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));
  }

  async run() {
    const app = express();
    app.use(express.json());
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
    await this.server.connect(transport);
    app.all('/mcp', async (req, res) => {
      await transport.handleRequest(req, res, req.body);
    });
    app.listen(3000);
  }
}

new Notes().run();
