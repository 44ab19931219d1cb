import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

class DateService {
  private server: McpServer;

  constructor() {
    this.server = new McpServer({ name: 'dates', version: '1.0.0' });
    this.server.registerTool('weekday', { description: 'Weekday of a date', inputSchema: { date: z.string() } }, async ({ date }) => ({
      content: [{ type: 'text', text: new Date(date).toDateString() }],
    }));
  }

  async handle(req: express.Request, res: express.Response) {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = new DateService().server;
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  }

  start() {
    const app = express();
    app.use(express.json());
    app.post('/mcp', async (req, res) => {
      await this.handle(req, res);
    });

    app.all('/mcp', (_req, res) => {
      res
        .status(405)
        .set('Allow', 'POST')
        .json({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null,
        });
    });
    app.listen(3000);
  }
}

new DateService().start();
