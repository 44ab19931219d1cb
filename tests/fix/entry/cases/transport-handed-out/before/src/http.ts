import express from 'express';
import type { Server } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export interface Listening {
  transport: StreamableHTTPServerTransport;
  listener: Server;
}

export async function listen(server: McpServer, port: number): Promise<Listening> {
  const app = express();
  app.use(express.json());
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
  app.post('/mcp', async (req, res) => {
    await transport.handleRequest(req, res, req.body);
  });
  app.get('/mcp', async (req, res) => {
    await transport.handleRequest(req, res);
  });
  app.delete('/mcp', async (req, res) => {
    await transport.handleRequest(req, res);
  });
  const listener = await new Promise<Server>((resolve) => {
    const opened = app.listen(port, () => resolve(opened));
  });
  return { transport, listener };
}
