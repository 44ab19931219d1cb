import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const streams = new Map<string, StreamableHTTPServerTransport>();
const legacy = new Map<string, SSEServerTransport>();

createServer(async (req, res) => {
  const url = new URL(req.url ?? '/', 'http://localhost');
  if (url.pathname === '/mcp') {
    const id = req.headers['mcp-session-id'] as string | undefined;
    const known = id ? streams.get(id) : undefined;
    if (known) {
      await known.handleRequest(req, res);
      return;
    }
    if (req.method !== 'POST') {
      res.writeHead(400).end();
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void streams.set(sid, transport),
    });
    transport.onclose = () => {
      if (transport.sessionId) streams.delete(transport.sessionId);
    };
    await buildServer().connect(transport);
    await transport.handleRequest(req, res);
    return;
  }
  if (url.pathname === '/sse' && req.method === 'GET') {
    const transport = new SSEServerTransport('/messages', res);
    legacy.set(transport.sessionId, transport);
    res.on('close', () => legacy.delete(transport.sessionId));
    await buildServer().connect(transport);
    return;
  }
  if (url.pathname === '/messages' && req.method === 'POST') {
    const transport = legacy.get(url.searchParams.get('sessionId') ?? '');
    if (!transport) {
      res.writeHead(404).end();
      return;
    }
    await transport.handlePostMessage(req, res);
    return;
  }
  res.writeHead(404).end();
}).listen(3000);
