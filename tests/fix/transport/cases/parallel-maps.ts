import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();
const servers = new Map<string, ReturnType<typeof buildServer>>();
const lastSeen = new Map<string, number>();

function touch(id: string) {
  lastSeen.set(id, Date.now());
}

function dropSession(id: string) {
  transports.delete(id);
  servers.delete(id);
  lastSeen.delete(id);
  console.log('dropped', id);
}

app.post('/mcp', async (req, res) => {
  const sessionId = req.headers['mcp-session-id'] as string | undefined;
  try {
    if (sessionId) {
      const transport = transports.get(sessionId);
      if (!transport) {
        res.status(404).json({ error: 'Session not found' });
        return;
      }
      touch(sessionId);
      await transport.handleRequest(req, res, req.body);
      return;
    }
    if (!isInitializeRequest(req.body)) {
      res.status(400).json({ error: 'Expected initialize' });
      return;
    }
    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, transport);
        servers.set(id, server);
        touch(id);
      },
      onsessionclosed: dropSession,
    });
    transport.onclose = () => {
      const id = transport.sessionId;
      if (id) {
        dropSession(id);
      }
    };
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  } catch (error) {
    console.error(error);
    if (!res.headersSent) res.status(500).end();
  }
});

app.get('/mcp', (_req, res) => {
  res.status(405).end();
});

process.on('SIGTERM', () => {
  for (const transport of transports.values()) {
    void transport.close();
  }
  process.exit(0);
});

app.listen(3000);
