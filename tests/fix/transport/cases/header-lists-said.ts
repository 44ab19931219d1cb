import { randomUUID } from 'node:crypto';
import cors from 'cors';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
app.use(
  cors({
    origin: '*', // for production, say which:
    // origin: ['https://clock.example'],
    exposedHeaders: ['Mcp-Session-Id'],
    allowedHeaders: 'Content-Type,Authorization,mcp-session-id',
  }),
);

const transports: Record<string, StreamableHTTPServerTransport> = {};

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? transports[id] : undefined;
  try {
    if (transport) {
      await transport.handleRequest(req, res, req.body);
      return;
    }
    if (!id && isInitializeRequest(req.body)) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          transports[sid] = transport!;
        },
      });
      await buildServer().connect(transport);
      await transport.handleRequest(req, res, req.body);
      return;
    } else {
      res.status(400).end();
      return;
    }
  } catch (error) {
    console.error('failed', error);
    res.status(500).end();
  }
});

app.listen(3000);
