import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

const app = express();
const transports = {};

const build = () => new McpServer({ name: 'x', version: '1' });

app.post('/mcp', express.json(), async (req, res) => {
  const id = req.headers['mcp-session-id'];
  let t = id ? transports[id] : undefined;
  if (!t) {
    t = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: sid => { transports[sid] = t } });
    t.onclose = () => { delete transports[t.sessionId] };
    await build().connect(t);
  }
  await t.handleRequest(req, res, req.body);
});

app.listen(3000);
