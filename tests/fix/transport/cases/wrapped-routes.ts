import { randomUUID } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transports = new Map<string, StreamableHTTPServerTransport>();

const wrap = (fn: (req: Request, res: Response) => Promise<unknown>) => (req: Request, res: Response, next: NextFunction) => {
  fn(req, res).catch(next);
};

app.post(
  '/mcp',
  wrap(async (req, res) => {
    const id = req.header('mcp-session-id');
    const known = id ? transports.get(id) : undefined;
    if (known) return known.handleRequest(req, res, req.body);
    if (id) return res.status(404).json({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null });
    if (!isInitializeRequest(req.body)) {
      return res.status(400).json({ jsonrpc: '2.0', error: { code: -32000, message: 'Initialize first' }, id: null });
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport);
      },
    });
    transport.onclose = () => {
      if (transport.sessionId) transports.delete(transport.sessionId);
    };
    await buildServer().connect(transport);
    return transport.handleRequest(req, res, req.body);
  }),
);

const existingOnly = wrap(async (req, res) => {
  const id = req.header('mcp-session-id');
  const transport = id ? transports.get(id) : undefined;
  if (!transport) return res.status(404).send('Session not found');
  return transport.handleRequest(req, res);
});
app.get('/mcp', existingOnly);
app.delete('/mcp', existingOnly);

app.listen(3000);
