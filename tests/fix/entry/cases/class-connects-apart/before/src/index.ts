import express, { type Request, type Response } from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

class DateService {
  private readonly server: McpServer;
  private transport: StreamableHTTPServerTransport | null = null;

  constructor() {
    this.server = new McpServer({ name: 'dates', version: '1.0.0' });
    this.registerTools();
  }

  private registerTools() {
    this.server.registerTool('weekday', { description: 'Weekday of a date', inputSchema: { date: z.string() } }, async ({ date }) => ({
      content: [{ type: 'text', text: new Date(date).toDateString() }],
    }));
  }

  async connectHttp() {
    this.transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
    await this.server.connect(this.transport);
  }

  async run(port: number) {
    await this.connectHttp();
    const app = express();
    app.use(express.json());
    app.post('/mcp', this.onPost.bind(this));
    app.get('/mcp', (req, res) => this.onGet(req, res));
    app.get('/health', (req, res) => {
      res.status(405).end();
    });
    app.listen(port);
  }

  private async onPost(req: Request, res: Response) {
    if (!this.transport) {
      res.status(503).end();
      return;
    }
    await this.transport.handleRequest(req, res, req.body);
  }

  private async onGet(req: Request, res: Response) {
    await this.transport!.handleRequest(req, res);
  }

  async stop() {
    if (this.transport) {
      await this.transport.close();
      this.transport = null;
    }
  }
}

const service = new DateService();
await service.run(3000);
process.on('SIGTERM', async () => {
  await service.stop();
  process.exit(0);
});
