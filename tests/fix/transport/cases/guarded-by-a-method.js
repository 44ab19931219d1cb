import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transports = {};

const safely = {
  run: (handler) => (req, res) => handler(req, res).catch((error) => res.status(500).send(String(error))),
};

async function handlePost(req, res) {
  const id = req.headers['mcp-session-id'];
  let transport = id && transports[id];
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).end();
      return;
    }
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports[sid] = transport;
      },
    });
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
}

async function handleOther(req, res) {
  const transport = transports[req.headers['mcp-session-id']];
  if (!transport) {
    res.status(400).end();
    return;
  }
  await transport.handleRequest(req, res);
}

app.post('/mcp', safely.run(handlePost));
app.get('/mcp', safely.run(handleOther));
app.delete('/mcp', safely.run(handleOther));
app.listen(3000);
