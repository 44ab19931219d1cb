import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

class Sessions {
  mount(app: express.Express): void {
    app.post('/mcp', this.post.bind(this));
  }

  private async post(req: express.Request, res: express.Response): Promise<void> {
    // Runs on each request: clients, pools and caches stay outside.
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    res.on('close', () => void server.close());
    await server.connect(created);
    await created.handleRequest(req, res, req.body);
  }
}

const app = express();
app.use(express.json());
new Sessions().mount(app);
app.listen(3000);
