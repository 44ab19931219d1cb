import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

export class ClockHost {
  private readonly app: Express = express();
  private listener?: Server;
  private transports: Record<string, StreamableHTTPServerTransport> = {};
  private opened = 0;

  constructor(private readonly port: number) {
    this.app.use(express.json());
    this.app.get('/stats', (_req, res) => {
      const active = Object.keys(this.transports).length;
      res.json({ active, opened: this.opened });
    });
    this.app.get('/metrics', (_req, res) => {
      res.type('text/plain');
      res.send(`clock_sessions_active ${Object.keys(this.transports).length}\nclock_sessions_total ${this.opened}\n`);
    });
    this.app.post('/mcp', (req, res) => this.post(req, res));
    this.app.get('/mcp', (req, res) => this.forward(req, res));
    this.app.delete('/mcp', (req, res) => this.forward(req, res));
  }

  private async post(req: Request, res: Response): Promise<void> {
    const id = req.headers['mcp-session-id'] as string | undefined;
    let transport = id ? this.transports[id] : undefined;
    if (!transport) {
      if (!isInitializeRequest(req.body)) {
        res.status(400).json({ error: 'initialize first' });
        return;
      }
      const created = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          this.transports[sid] = created;
          this.opened += 1;
        },
      });
      created.onclose = () => {
        if (created.sessionId) delete this.transports[created.sessionId];
      };
      await buildServer().connect(created);
      transport = created;
    }
    await transport.handleRequest(req, res, req.body);
  }

  private async forward(req: Request, res: Response): Promise<void> {
    const transport = this.transports[(req.headers['mcp-session-id'] as string | undefined) ?? ''];
    if (!transport) {
      res.status(404).end();
      return;
    }
    await transport.handleRequest(req, res);
  }

  listen(): void {
    this.listener = this.app.listen(this.port);
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.transports).map((transport) => transport.close()));
    this.transports = {};
    this.listener?.close();
  }
}

const host = new ClockHost(3000);
host.listen();
process.on('SIGTERM', async () => {
  await host.stop();
  process.exit(0);
});
