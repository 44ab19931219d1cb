import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

async function handlePost(req: express.Request, res: express.Response): Promise<void> {
  const id = req.header('mcp-session-id');
  const known = id ? transports.get(id) : undefined;
  if (known) {
    await known.handleRequest(req, res, req.body);
  } else if (!id && isInitializeRequest(req.body)) {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport);
      },
    });
    await buildServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  } else {
    res.status(400).end();
  }
}

async function handleGet(req: express.Request, res: express.Response): Promise<void> {
  const transport = transports.get(req.header('mcp-session-id') ?? '');
  if (!transport) {
    res.status(400).end();
    return;
  }
  await transport.handleRequest(req, res);
}

async function handleDelete(req: express.Request, res: express.Response): Promise<void> {
  const id = req.header('mcp-session-id') ?? '';
  const transport = transports.get(id);
  if (!transport) {
    res.status(400).end();
    return;
  }
  await transport.close();
  transports.delete(id);
  res.status(204).end();
}

app.post('/mcp', handlePost);
app.get('/mcp', handleGet);
app.delete('/mcp', handleDelete);
app.listen(3000);
