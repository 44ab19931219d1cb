import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports: Record<string, StreamableHTTPServerTransport> = {};

async function getTransport(sessionId: string | undefined, body: unknown): Promise<StreamableHTTPServerTransport | undefined> {
  if (sessionId && transports[sessionId]) {
    return transports[sessionId];
  }
  if (!sessionId && isInitializeRequest(body)) {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports[id] = transport;
      },
    });
    const server = buildServer();
    await server.connect(transport);
    return transport;
  }
  return undefined;
}

app.post('/mcp', async (req, res) => {
  const transport = await getTransport(req.headers['mcp-session-id'] as string, req.body);
  if (!transport) {
    res.status(400).json({ error: 'no session' });
    return;
  }
  await transport.handleRequest(req, res, req.body);
});

app.get('/mcp', async (req, res) => {
  const transport = await getTransport(req.headers['mcp-session-id'] as string, undefined);
  if (!transport) {
    res.status(400).end();
    return;
  }
  await transport.handleRequest(req, res);
});

app.listen(3000);
