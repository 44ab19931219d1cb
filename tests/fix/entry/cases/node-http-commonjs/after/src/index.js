'use strict';
const http = require('node:http');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { z } = require('zod');
const { createServer } = require('./tools.js');

async function start() {
  const server = http.createServer(async (req, res) => {
    if (req.url === '/health') {
      res.end('ok');
      return;
    }
    if (req.url !== '/mcp') {
      res.writeHead(404).end();
      return;
    }
    if (req.method !== 'POST') {
      res
        .writeHead(405, { Allow: 'POST', 'Content-Type': 'application/json' })
        .end(
          JSON.stringify({
            jsonrpc: '2.0',
            error: { code: -32000, message: 'Method not allowed.' },
            id: null
          })
        );
      return;
    }

    try {
      const mcp = createServer();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined
      });
      res.on('close', () => void mcp.close());
      await mcp.connect(transport);
      await transport.handleRequest(req, res);
    } catch (error) {
      console.error('request failed', error);
      if (!res.headersSent) {
        res.writeHead(500, { 'Content-Type': 'application/json' }).end(
          JSON.stringify({
            jsonrpc: '2.0',
            error: { code: -32603, message: 'Internal server error' },
            id: null
          })
        );
      }
    }
  });
  server.listen(process.env.PORT || 3000);
}

start();
