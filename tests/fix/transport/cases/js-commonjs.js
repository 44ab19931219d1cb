'use strict';
const { randomUUID } = require('node:crypto');
const express = require('express');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { CallToolRequestSchema, isInitializeRequest } = require('@modelcontextprotocol/sdk/types.js');
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');

const transports = {};

function createServer() {
  const server = new Server({ name: 'x', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [] }));
  return server;
}

const app = express();
app.use(express.json());

app.all('/mcp', async (req, res) => {
  const sessionId = req.headers['mcp-session-id'];
  let transport = transports[sessionId];
  if (!transport) {
    if (!isInitializeRequest(req.body)) return res.status(400).send('No session');
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => (transports[id] = transport),
    });
    transport.onclose = () => {
      delete transports[transport.sessionId];
    };
    await createServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
