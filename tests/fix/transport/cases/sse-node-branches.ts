import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

// Serves /mcp, and for older clients /sse with /messages.
const sessions = new Map<string, StreamableHTTPServerTransport>();
const streams: Record<string, SSEServerTransport> = {};

createServer(async (req, res) => {
  const url = new URL(req.url ?? '/', 'http://localhost');
  if (url.pathname === '/livez') {
    res.writeHead(200).end('ok');
    return;
  }

  // Old clients open a stream.
  if (req.method === 'GET' && url.pathname === '/sse') {
    const stream = new SSEServerTransport('/messages', res);
    streams[stream.sessionId] = stream;
    res.on('close', () => delete streams[stream.sessionId]);
    await buildServer().connect(stream);
    return;
  }

  // And send their messages here.
  if (req.method === 'POST' && url.pathname === '/messages') {
    const stream = streams[url.searchParams.get('sessionId') ?? ''];
    if (!stream) {
      res.writeHead(404).end();
      return;
    }
    await stream.handlePostMessage(req, res);
    return;
  }

  if (url.pathname !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? sessions.get(id) : undefined;
  if (!transport) {
    if (req.method !== 'POST') {
      res.writeHead(400).end('no session');
      return;
    }
    const fresh = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void sessions.set(sid, fresh),
    });
    fresh.onclose = () => {
      if (fresh.sessionId) sessions.delete(fresh.sessionId);
    };
    await buildServer().connect(fresh);
    transport = fresh;
  }
  await transport.handleRequest(req, res);
}).listen(3000);
