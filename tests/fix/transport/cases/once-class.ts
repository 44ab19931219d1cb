import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

class Endpoint {
  private readonly server = buildServer();
  private readonly transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  private connected = false;

  private async ensureConnected(): Promise<void> {
    if (this.connected) {
      return;
    }
    await this.server.connect(this.transport);
    this.connected = true;
  }

  mount(app: express.Express): void {
    app.post('/mcp', async (req, res) => {
      await this.ensureConnected();
      await this.transport.handleRequest(req, res, req.body);
    });
  }
}

const app = express();
app.use(express.json());
new Endpoint().mount(app);
app.listen(3000);
