import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports: Record<string, StreamableHTTPServerTransport> = {};

app.post('/mcp', express.json(), async (req, res, next) => {
  try {
    const sessionId = req.headers['mcp-session-id'] as string | undefined;
    const isInit = Array.isArray(req.body) ? req.body.some(isInitializeRequest) : isInitializeRequest(req.body);
    let transport: StreamableHTTPServerTransport;
    if (sessionId && transports[sessionId]) {
      transport = transports[sessionId];
    } else if (!sessionId && isInit) {
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized: (id) => { transports[id] = transport; } });
      transport.onclose = () => { if (transport.sessionId) delete transports[transport.sessionId]; };
      const server = buildServer();
      await server.connect(transport);
    } else {
      res.status(400).json({ error: 'Bad Request' });
      return;
    }
    await transport.handleRequest(req, res, req.body);
  } catch (e) {
    next(e);
  }
});

app.listen(3000);
