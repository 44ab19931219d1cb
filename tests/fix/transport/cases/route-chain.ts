import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

app
  .route('/mcp')
  .post(async (req, res) => {
    const sessionId = req.get('mcp-session-id');
    let transport = transports.get(sessionId ?? '');
    if (!transport) {
      if (!isInitializeRequest(req.body)) {
        res.sendStatus(400);
        return;
      }
      const fresh = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => {
          transports.set(id, fresh);
        },
      });
      fresh.onclose = () => {
        transports.delete(fresh.sessionId!);
      };
      await buildServer().connect(fresh);
      transport = fresh;
    }
    await transport.handleRequest(req, res, req.body);
  })
  .get(async (req, res) => {
    const transport = transports.get(req.get('mcp-session-id') ?? '');
    if (!transport) {
      res.sendStatus(400);
      return;
    }
    await transport.handleRequest(req, res);
  })
  .delete(async (req, res) => {
    const transport = transports.get(req.get('mcp-session-id') ?? '');
    if (!transport) {
      res.sendStatus(400);
      return;
    }
    await transport.handleRequest(req, res);
  });

app.listen(3000);
