import { randomUUID } from 'node:crypto';
import express from 'express';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export async function serveHttp(port: number, server: McpServer): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  await server.connect(transport);
  const app = express();
  app.use(express.json());
  app.all('/mcp', (req, res) => {
    void transport.handleRequest(req, res, req.body);
  });
  app.listen(port);
}
