import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
let server: ReturnType<typeof buildServer> | undefined;
let starting: Promise<void> | undefined;

async function start(): Promise<void> {
  server = buildServer();
  await server.connect(transport);
  console.log('MCP server started');
}

async function once(): Promise<void> {
  starting ??= start();
  return starting;
}

app.use(async (_req, _res, next) => {
  await once();
  next();
});

app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
app.get('/mcp', async (req, res) => {
  await once();
  await transport.handleRequest(req, res);
});
app.listen(3000);
