import { randomUUID } from 'node:crypto';
import express from 'express';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

export function createApp() {
  let session: { server: McpServer; transport: StreamableHTTPServerTransport } | undefined;
  const app = express();
  app.use(express.json());

  app.all('/mcp', async (req, res) => {
    if (req.method === 'POST' && isInitializeRequest(req.body)) {
      if (session) await session.server.close();
      const server = buildServer();
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
      transport.onclose = () => {
        session = undefined;
      };
      await server.connect(transport);
      session = { server, transport };
    }
    if (session === undefined) {
      res.status(404).json({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null });
      return;
    }
    await session.transport.handleRequest(req, res, req.body);
  });

  app.get('/health', (_req, res) => {
    res.json({ ok: true, busy: Boolean(session) });
  });
  return app;
}

createApp().listen(3000);
