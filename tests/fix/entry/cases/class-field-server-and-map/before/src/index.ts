import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

class DateService {
  private server: McpServer;
  private transports: { [id: string]: StreamableHTTPServerTransport } = {};

  constructor() {
    this.server = new McpServer({ name: 'dates', version: '1.0.0' });
    this.server.registerTool('weekday', { description: 'Weekday of a date', inputSchema: { date: z.string() } }, async ({ date }) => ({
      content: [{ type: 'text', text: new Date(date).toDateString() }],
    }));
  }

  async handle(req: express.Request, res: express.Response) {
    const id = req.headers['mcp-session-id'] as string | undefined;
    let transport: StreamableHTTPServerTransport;
    if (id && this.transports[id]) {
      transport = this.transports[id];
    } else if (!id && isInitializeRequest(req.body)) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          this.transports[sid] = transport;
        },
      });
      transport.onclose = () => {
        if (transport.sessionId) delete this.transports[transport.sessionId];
      };
      await this.server.connect(transport);
    } else {
      res.status(400).json({ error: 'no session' });
      return;
    }
    await transport.handleRequest(req, res, req.body);
  }

  start() {
    const app = express();
    app.use(express.json());
    app.all('/mcp', async (req, res) => {
      await this.handle(req, res);
    });
    app.listen(3000);
  }
}

new DateService().start();
