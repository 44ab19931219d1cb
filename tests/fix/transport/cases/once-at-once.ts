import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
let server: ReturnType<typeof buildServer> | null = null;
let ready: Promise<void> | null = null;

app.post('/mcp', async (req, res) => {
  ready ??= (async () => {
    server = buildServer();
    await server.connect(transport);
  })();
  await ready;
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
