import { randomUUID } from 'node:crypto';
import express from 'express';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const streams = new Map<string, StreamableHTTPServerTransport>();
const legacy: { [id: string]: SSEServerTransport } = {};

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? streams.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('No session');
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void streams.set(sid, created),
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

async function openStream(_req: express.Request, res: express.Response) {
  const transport = new SSEServerTransport('/messages', res);
  legacy[transport.sessionId] = transport;
  res.on('close', () => delete legacy[transport.sessionId]);
  await buildServer().connect(transport);
}

const message = async (req: express.Request, res: express.Response) => {
  const id = req.query.sessionId as string;
  if (!legacy[id]) return void res.status(400).send('no session');
  await legacy[id].handlePostMessage(req, res);
};

app.get('/sse', openStream);
app.post('/messages', message);
app.listen(3000);
