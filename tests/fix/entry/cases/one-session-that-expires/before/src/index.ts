import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { DatesServer } from './dates.js';

interface Session {
  server: DatesServer;
  transport: StreamableHTTPServerTransport;
  lastAccess: Date;
  sessionId: string;
}

class OneSession {
  private session: Session | null = null;
  private readonly timeout = 30 * 60 * 1000;

  async handle(req: express.Request, res: express.Response) {
    if (!this.session || Date.now() - this.session.lastAccess.getTime() > this.timeout) {
      await this.reset();
    }
    this.session!.lastAccess = new Date();
    await this.session!.transport.handleRequest(req, res, req.body);
  }

  private async reset() {
    if (this.session) {
      await this.session.transport.close();
    }
    const server = new DatesServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'single' });
    await server.connect(transport);
    this.session = { server, transport, lastAccess: new Date(), sessionId: 'single' };
  }

  start(port: number) {
    const app = express();
    app.use(express.json());
    app.post('/mcp', async (req, res) => {
      await this.handle(req, res);
    });
    app.listen(port);
  }

  async shutdown() {
    if (this.session) {
      await this.session.transport.close();
      this.session = null;
    }
  }
}

const one = new OneSession();
one.start(3000);
process.on('SIGINT', async () => {
  await one.shutdown();
  process.exit(0);
});
