import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

app.all('/mcp', async (req, res) => {
  const sessionId = req.headers['mcp-session-id'] as string | undefined;
  switch (req.method) {
    case 'POST': {
      let transport = sessionId ? transports.get(sessionId) : undefined;
      if (!transport) {
        transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (id) => void transports.set(id, transport!),
        });
        await buildServer().connect(transport);
      }
      await transport.handleRequest(req, res, req.body);
      break;
    }
    case 'GET':
    case 'DELETE': {
      const transport = sessionId ? transports.get(sessionId) : undefined;
      if (!transport) {
        res.status(400).end();
        return;
      }
      await transport.handleRequest(req, res);
      break;
    }
    default:
      res.status(405).end();
  }
});

app.listen(3000);
