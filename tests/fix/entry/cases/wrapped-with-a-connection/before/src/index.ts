import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

class App {
  private server = new McpServer({ name: 'ping', version: '1.0.0' });
  private socket = new Socket();

  constructor() {
    this.server.registerTool('ping', {}, async () => {
      this.socket.write('ping');
      return { content: [{ type: 'text', text: 'sent' }] };
    });
  }

  connect(transport: StreamableHTTPServerTransport) {
    return this.server.connect(transport);
  }
}

const app = new App();
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await app.connect(transport);

const web = express();
web.use(express.json());
web.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
web.listen(3000);
