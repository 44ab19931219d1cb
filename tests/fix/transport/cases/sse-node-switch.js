import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const transports = {};

async function openStream(res) {
  const transport = new SSEServerTransport('/message', res);
  transports[transport.sessionId] = transport;
  transport.onclose = () => {
    delete transports[transport.sessionId];
  };
  await buildServer().connect(transport);
}

async function takeMessage(req, res, id) {
  const transport = transports[id];
  if (transport instanceof SSEServerTransport) {
    await transport.handlePostMessage(req, res);
  } else {
    res.writeHead(400).end('No stream of that id');
  }
}

async function serveMcp(req, res) {
  const id = req.headers['mcp-session-id'];
  if (id && transports[id] instanceof StreamableHTTPServerTransport) {
    await transports[id].handleRequest(req, res);
    return;
  }
  if (req.method !== 'POST') {
    res.writeHead(400).end('Bad request');
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      transports[sid] = transport;
    },
  });
  transport.onclose = () => {
    delete transports[transport.sessionId];
  };
  await buildServer().connect(transport);
  await transport.handleRequest(req, res);
}

const server = http.createServer(async (req, res) => {
  const url = new URL(req.url, 'http://localhost');
  switch (url.pathname) {
    case '/mcp':
      await serveMcp(req, res);
      break;
    case '/sse':
      await openStream(res);
      break;
    case '/message': {
      await takeMessage(req, res, url.searchParams.get('sessionId'));
      break;
    }
    default:
      res.writeHead(404).end();
  }
});

server.listen(3000, () => {
  console.log('MCP on http://localhost:3000/mcp');
  console.log('SSE on http://localhost:3000/sse');
});
