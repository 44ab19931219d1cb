import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const SESSION_HEADER = 'mcp-session-id';
const transports: { [sessionId: string]: StreamableHTTPServerTransport } = {};

async function openSession(req: express.Request, res: express.Response) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      transports[sid] = transport;
    },
  });
  transport.onclose = () => {
    if (transport.sessionId) delete transports[transport.sessionId];
  };
  const server = buildServer();
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
}

app.all('/mcp', async (req, res) => {
  const sid = req.get(SESSION_HEADER);
  if (sid !== undefined && sid in transports) {
    await transports[sid].handleRequest(req, res, req.body);
  } else if (req.method === 'POST' && isInitializeRequest(req.body)) {
    await openSession(req, res);
  } else {
    res.status(400).json({ jsonrpc: '2.0', error: { code: -32000, message: 'Unknown session' }, id: null });
  }
});

app.listen(3000);
