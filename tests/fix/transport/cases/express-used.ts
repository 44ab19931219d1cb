import { randomUUID } from 'node:crypto';
import express, { type Request } from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

interface Session {
  server: McpServer;
  transport: StreamableHTTPServerTransport;
}

type McpRequest = Request & { session?: Session };

const sessions = new Map<string, Session>();
const app = express();
app.use(express.json());

app.use('/mcp', (req: McpRequest, res, next) => {
  const id = req.headers['mcp-session-id'];
  if (typeof id === 'string') {
    req.session = sessions.get(id);
    if (!req.session) {
      res.status(404).send('Session not found');
      return;
    }
  }
  next();
});

app.post('/mcp', async (req: McpRequest, res) => {
  if (!req.session) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('Initialize first');
      return;
    }
    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { server, transport });
      },
    });
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
    return;
  }
  await req.session.transport.handleRequest(req, res, req.body);
});

app.get('/mcp', async (req: McpRequest, res) => {
  if (!req.session) {
    res.status(400).end();
    return;
  }
  await req.session.transport.handleRequest(req, res);
});

app.listen(3000);
