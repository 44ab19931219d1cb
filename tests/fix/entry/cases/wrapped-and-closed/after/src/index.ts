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

const web = express();
web.use(express.json());
web.post('/mcp', async (req, res) => {
  const app = new App('ping');
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined
  });
  res.on('close', () => void app.close());
  await app.attach(transport);
  await transport.handleRequest(req, res, req.body);
});
web.listen(3000);
