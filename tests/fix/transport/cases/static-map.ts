import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

class Registry {
  static transports = new Map<string, StreamableHTTPServerTransport>();
  static get(id: string | undefined) {
    return id ? Registry.transports.get(id) : undefined;
  }
}

app.post('/mcp', async (req, res) => {
  let transport = Registry.get(req.header('mcp-session-id'));
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        Registry.transports.set(id, transport!);
      },
    });
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
