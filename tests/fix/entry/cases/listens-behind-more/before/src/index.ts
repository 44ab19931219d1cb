import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'Tell the time.' }, async () => ({
  content: [{ type: 'text', text: new Date().toISOString() }],
}));

const app = express();
app.use(express.json());

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });

app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});

server
  .connect(transport)
  .then(async () => {
    await import('./warm-up.js');
    app.listen(3000);
  })
  .catch(() => process.exit(1));
