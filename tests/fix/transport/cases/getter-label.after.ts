import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const app = express();
app.use(express.json());

function logCall(tool: string, ms: number): void {
  console.error(JSON.stringify({ tool, ms }));
}

const build = () => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'Tell the time.' }, async () => {
    const started = Date.now();
    const text = new Date().toISOString();
    logCall('now', Date.now() - started);
    return { content: [{ type: 'text', text }] };
  });
  return server;
};

app.post('/mcp', async (req, res) => {
  // Runs on each request: clients, pools and caches stay outside.
  const made = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = build();
  res.on('close', () => void server.close());
  await server.connect(made);
  await made.handleRequest(req, res, req.body);
});

app.listen(3000);
