import http, { type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

// Requests being answered.
const inFlight = new Set<ServerResponse>();

const track = (res: ServerResponse): void => {
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
};

http.createServer(async (req, res) => {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost');
  if (pathname === '/health') {
    res.writeHead(200, { 'Content-Type': 'application/json' });
    // The key keeps its name for whoever reads it; it counts requests in flight now.
    res.end(JSON.stringify({ status: 'ok', sessions: inFlight.size }));
    return;
  }
  if (pathname !== '/mcp') {
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
          id: null,
        }),
      );
    return;
  }
  track(res);
  // Runs on each request: clients, pools and caches stay outside.
  const fresh = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  res.on('close', () => void server.close());
  await server.connect(fresh);
  await fresh.handleRequest(req, res);
}).listen(3000);
