import { randomUUID } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

interface Entry {
  transport: StreamableHTTPServerTransport;
  lastSeen: number;
}

class Endpoint {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly idleMs: number, private readonly name: string) {}

  async post(req: Request, res: Response) {
    console.error(`${this.name} is asked`);
    const id = req.header('mcp-session-id');
    const known = id ? this.entries.get(id) : undefined;
    if (known) {
      known.lastSeen = Date.now();
      await known.transport.handleRequest(req, res, req.body);
      return;
    }
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('No session');
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        this.entries.set(sid, { transport, lastSeen: Date.now() });
      },
    });
    await buildServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  }

  sweep() {
    for (const [id, entry] of this.entries) {
      if (Date.now() - entry.lastSeen > this.idleMs) {
        void entry.transport.close();
        this.entries.delete(id);
      }
    }
  }
}

const endpoint = new Endpoint(60_000, 'clock');
setInterval(() => endpoint.sweep(), 10_000).unref();

const app = express();
app.use(express.json());
app.post('/mcp', (req, res) => endpoint.post(req, res));
app.listen(3000);
