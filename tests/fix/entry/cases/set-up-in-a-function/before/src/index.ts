import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const server = new McpServer({ name: 'n', version: '1' });
server.registerTool('t', { inputSchema: { a: z.string() } }, async ({ a }) => ({ content: [{ type: 'text', text: a }] }));

const app = express();
app.use(express.json());

const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
  sessionIdGenerator: () => randomUUID(),
  onsessioninitialized: (id) => console.log('session', id),
});

transport.onerror = (error) => console.error('transport', error);

const setupServer = async () => {
  try {
    await server.connect(transport);
    console.log('Server connected successfully');
  } catch (error) {
    console.error('Failed to set up the server:', error);
    throw error;
  }
};

const handle = async (req: express.Request, res: express.Response) => {
  try {
    await transport.handleRequest(req, res, req.body);
  } catch (error) {
    if (!res.headersSent) res.status(500).end();
  }
};

app.post('/mcp', handle);
app.get('/mcp', handle);
app.delete('/mcp', handle);

setupServer().then(() => {
  app.listen(3000);
}).catch((error) => {
  console.error(error);
  process.exit(1);
});

process.on('SIGINT', async () => {
  try {
    await server.close();
  } catch (error) {
    console.error(error);
  }
  process.exit(0);
});
