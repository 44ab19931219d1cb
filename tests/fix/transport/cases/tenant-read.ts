import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();
const tenants = new Map<string, string>();

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    const tenant = req.header('x-tenant') ?? '';
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport!);
        tenants.set(sid, tenant);
      },
    });
    await buildServer().connect(transport);
  }
  res.setHeader('x-tenant', tenants.get(id ?? '') ?? '');
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
