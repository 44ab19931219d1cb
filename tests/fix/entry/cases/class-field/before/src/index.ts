import express from 'express';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

class DateService {
  private transport: StreamableHTTPServerTransport;
  private server: McpServer;

  constructor() {
    this.server = buildServer();
    this.transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'only-one' });
  }

  async start(port: number) {
    await this.server.connect(this.transport);
    const app = express();
    app.use(express.json());
    app.all('/mcp', async (req, res) => {
      await this.transport.handleRequest(req, res, req.body);
    });
    app.listen(port);
  }

  async stop() {
    await this.transport.close();
    await this.server.close();
  }
}

const service = new DateService();
await service.start(3000);
process.on('SIGTERM', async () => {
  await service.stop();
  process.exit(0);
});
