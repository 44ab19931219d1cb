import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { DatesServer } from './dates.js';

class Front {
  private readonly open: Map<string, { server: DatesServer; transport: StreamableHTTPServerTransport }> = new Map();

  async handle(req: express.Request, res: express.Response) {
    const id = req.headers['mcp-session-id'] as string | undefined;
    const known = id ? this.open.get(id) : undefined;
    if (known) {
      await known.transport.handleRequest(req, res, req.body);
      return;
    }
    if (!isInitializeRequest(req.body)) {
      res.status(400).json({ error: 'initialize first' });
      return;
    }
    const server = new DatesServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        this.open.set(sid, { server, transport });
      },
      onsessionclosed: (sid) => {
        this.open.delete(sid);
      },
    });
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  }

  async stop() {
    for (const [id, { server }] of this.open) {
      await server.close();
      this.open.delete(id);
    }
  }
}

const front = new Front();
const app = express();
app.use(express.json());
app.all('/mcp', (req, res) => front.handle(req, res));
const listener = app.listen(3000);
process.on('SIGTERM', async () => {
  await front.stop();
  listener.close();
});
