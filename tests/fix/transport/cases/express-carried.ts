import { randomUUID } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports: Record<string, StreamableHTTPServerTransport> = {};

function resolveTransport(req: Request, res: Response, next: NextFunction): void {
  const id = req.header('mcp-session-id');
  if (id && transports[id]) {
    res.locals.transport = transports[id];
    return next();
  }
  if (!id && req.method === 'POST' && isInitializeRequest(req.body)) {
    return next();
  }
  res.status(400).json({ jsonrpc: '2.0', error: { code: -32000, message: 'No valid session' }, id: null });
}

app.post('/mcp', resolveTransport, async (req, res) => {
  let transport = res.locals.transport as StreamableHTTPServerTransport | undefined;
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports[id] = transport!;
      },
    });
    transport.onclose = () => {
      if (transport?.sessionId) delete transports[transport.sessionId];
    };
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

const pass = async (req: Request, res: Response) => {
  await res.locals.transport.handleRequest(req, res);
};
app.get('/mcp', resolveTransport, pass);
app.delete('/mcp', resolveTransport, pass);

app.listen(3000);
