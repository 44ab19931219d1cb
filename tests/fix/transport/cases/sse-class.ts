import { randomUUID } from 'node:crypto';
import express from 'express';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

class Sessions {
  private readonly streams = new Map<string, StreamableHTTPServerTransport>();
  private readonly legacy = new Map<string, SSEServerTransport>();

  mount(app: express.Express): void {
    app.post('/mcp', this.post.bind(this));
    app.get('/sse', (req, res) => this.openSse(req, res));
    app.post('/messages', (req, res) => this.message(req, res));
  }

  private async post(req: express.Request, res: express.Response): Promise<void> {
    const id = req.header('mcp-session-id');
    let transport = id ? this.streams.get(id) : undefined;
    if (!transport) {
      if (!isInitializeRequest(req.body)) {
        res.status(400).send('No session');
        return;
      }
      const created = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => void this.streams.set(sid, created),
      });
      await buildServer().connect(created);
      transport = created;
    }
    await transport.handleRequest(req, res, req.body);
  }

  private async openSse(_req: express.Request, res: express.Response): Promise<void> {
    const transport = new SSEServerTransport('/messages', res);
    this.legacy.set(transport.sessionId, transport);
    res.on('close', () => this.legacy.delete(transport.sessionId));
    await buildServer().connect(transport);
  }

  private async message(req: express.Request, res: express.Response): Promise<void> {
    const transport = this.legacy.get(String(req.query.sessionId));
    if (!transport) {
      res.status(404).end();
      return;
    }
    await transport.handlePostMessage(req, res, req.body);
  }
}

const app = express();
app.use(express.json());
new Sessions().mount(app);
app.listen(3000);
