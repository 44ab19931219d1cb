import express, { type NextFunction, type Request, type Response } from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { once } from 'node:events';

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<Response>();
let draining = false;

const track = (_req: Request, res: Response, next: NextFunction) => {
  if (draining) {
    res
      .status(503)
      .set('Connection', 'close')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Server is shutting down' },
        id: null,
      });
    return;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  next();
};

class DateService {
  private readonly server: McpServer;

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
  }

  async run(port: number) {
    await this.connectHttp();
    const app = express();
    app.use(express.json());
    app.post('/mcp', track, this.onPost.bind(this));
    app.get('/mcp', (_req, res) => {
      res
        .status(405)
        .set('Allow', 'POST')
        .json({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null,
        });
    });
    app.get('/health', (req, res) => {
      res.status(405).end();
    });
    app.listen(port);
  }

  private async onPost(req: Request, res: Response) {
    const server = new DateService().server;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  }

  async stop() {
    draining = true;
    await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  }
}

const service = new DateService();
await service.run(3000);
process.on('SIGTERM', async () => {
  await service.stop();
  process.exit(0);
});
