import { randomUUID } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

class Http {
  readonly app = express();
  #open = new Map<string, StreamableHTTPServerTransport>();

  constructor(private readonly most: number) {
    this.app.use(express.json());
    this.app.post('/mcp', this.#onPost);
  }

  get open(): number {
    return this.#open.size;
  }

  async closeAll(): Promise<void> {
    for (const transport of this.#open.values()) await transport.close();
  }

  #onPost = async (req: Request, res: Response): Promise<void> => {
    const id = req.headers['mcp-session-id'] as string | undefined;
    const known = id ? this.#open.get(id) : undefined;
    if (known) {
      await known.handleRequest(req, res, req.body);
      return;
    }
    if (!isInitializeRequest(req.body)) {
      res.status(400).end();
      return;
    }
    if (this.open >= this.most) {
      res.status(503).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void this.#open.set(sid, transport),
    });
    await buildServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  };
}

const http = new Http(100);
const listener = http.app.listen(3000);

process.on('SIGTERM', async () => {
  await http.closeAll();
  listener.close(() => process.exit(0));
});
