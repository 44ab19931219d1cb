import { randomUUID } from 'node:crypto';
import cors from 'cors';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const HEADER = 'mcp-session-id';
const app = express();
app.use(
  cors({
    origin: '*',
    allowedHeaders: ['Content-Type', HEADER, 'Mcp-Protocol-Version'],
    exposedHeaders: ['Mcp-Session-Id', 'WWW-Authenticate'],
  }),
);
app.use(express.json());

const transports = new Map<string, StreamableHTTPServerTransport>();

app.post('/mcp', async (req, res) => {
  const id = req.header(HEADER);
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).end();
      return;
    }
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport!);
      },
    });
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
