import { randomUUID } from 'node:crypto';
import express from 'express';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';


const streams = new Map<string, StreamableHTTPServerTransport>();
const legacy = new Map<string, SSEServerTransport>();

function startHttp(): void {
  const app = express();
  app.use(express.json());
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

  app.listen(3000);
}

function startSse(): void {
  const app = express();
  app.get('/sse', async (_req, res) => {
    const transport = new SSEServerTransport('/messages', res);
    legacy.set(transport.sessionId, transport);
    transport.onclose = () => legacy.delete(transport.sessionId);
    await buildServer().connect(transport);
  });

  app.post('/messages', async (req, res) => {
    const transport = legacy.get(String(req.query.sessionId));
    if (!transport) {
      res.status(404).send('Unknown session');
      return;
    }
    await transport.handlePostMessage(req, res, req.body);
  });

  app.listen(3000);
}

if (process.argv.includes('--sse')) startSse();
else startHttp();
