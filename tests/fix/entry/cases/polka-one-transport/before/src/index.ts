import polka from 'polka';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'Tell the time.' }, async () => ({
  content: [{ type: 'text', text: new Date().toISOString() }],
}));

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
await server.connect(transport);

const app = polka();
app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res);
});
app.listen(3000);
