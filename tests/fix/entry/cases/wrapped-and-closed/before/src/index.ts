import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

class App {
  private server: McpServer;

  constructor(name: string) {
    this.server = new McpServer({ name, version: '1.0.0' });
    this.server.registerTool('ping', {}, async () => ({ content: [{ type: 'text', text: 'pong' }] }));
  }

  attach(transport: StreamableHTTPServerTransport) {
    return this.server.connect(transport);
  }

  close() {
    return this.server.close();
  }
}

const app = new App('ping');
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await app.attach(transport);

const web = express();
web.use(express.json());
web.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
web.listen(3000);
