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

const setUp = async () => {
  await server.connect(transport);
};

app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});

const port = Number(process.env.PORT ?? 3000);
setUp()
  .then(() => {
    // Nothing answers before this.
    app.listen(port, () => {
      console.log(`Listening on ${port}`);
    });
  })
  .catch((error) => {
    console.error('Failed to set up the server:', error);
    process.exit(1);
  });
