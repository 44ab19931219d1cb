import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

const createTransport = async () => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      transports.set(id, transport);
    },
  });
  await buildServer().connect(transport);
  return transport;
};

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  const transport = (id && transports.get(id)) || (await createTransport());
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
