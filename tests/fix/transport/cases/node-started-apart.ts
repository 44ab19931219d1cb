import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';

const transports = new Map<string, StreamableHTTPServerTransport>();

function buildServer(): McpServer {
  return new McpServer({ name: 'tape', version: '1.0.0' });
}

async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function handleMcp(req: IncomingMessage, res: ServerResponse) {
  const header = req.headers['mcp-session-id'];
  const known = typeof header === 'string' ? transports.get(header) : undefined;
  if (req.method === 'GET' || req.method === 'DELETE') {
    if (!known) {
      res.writeHead(400).end();
      return;
    }
    await known.handleRequest(req, res);
    return;
  }
  const body = await readBody(req);
  if (known) {
    await known.handleRequest(req, res, body);
    return;
  }
  if (!isInitializeRequest(body)) {
    res.writeHead(400).end();
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      transports.set(id, transport);
    },
  });
  transport.onclose = () => {
    if (transport.sessionId) transports.delete(transport.sessionId);
  };
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, body);
}

export function startHttp(port: number) {
  const http = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    if (pathname === '/healthz') {
      res.end(JSON.stringify({ ok: true, sessions: transports.size }));
      return;
    }
    if (pathname !== '/mcp') {
      res.writeHead(404).end();
      return;
    }
    void handleMcp(req, res);
  });
  http.listen(port);
  process.on('SIGTERM', () => {
    for (const transport of transports.values()) void transport.close();
    http.close(() => process.exit(0));
  });
}
