import { randomUUID } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { closeOnSignal } from './helpers.js';
import { buildServer } from './tools.js';

const pick = async (req: Request, open: Map<string, StreamableHTTPServerTransport>, id?: string | string[]) => {
  if (id && open.has(id as string)) {
    return open.get(id as string) as StreamableHTTPServerTransport;
  }
  if (!id && isInitializeRequest(req.body)) {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        open.set(sid, transport);
      },
    });
    transport.onclose = () => open.delete(transport.sessionId as string);
    await buildServer().connect(transport);
    return transport;
  }
  throw new Error('no session and no initialize request');
};

export const start = () => {
  const app = express();
  const open = new Map<string, StreamableHTTPServerTransport>();
  app.use(express.json());
  app.all('/mcp', async (req: Request, res: Response) => {
    try {
      const transport = await pick(req, open, req.headers['mcp-session-id']);
      await transport.handleRequest(req, res, req.body);
    } catch {
      if (!res.headersSent) res.status(500).json({ jsonrpc: '2.0', error: { code: -32603, message: 'Internal server error' }, id: null });
    }
  });
  app.listen(3000);
  closeOnSignal(open);
};

start();
