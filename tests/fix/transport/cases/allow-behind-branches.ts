import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './server.js';

const transports = new Map<string, StreamableHTTPServerTransport>();

async function readBody(req: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function handleMcp(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  const header = req.headers['mcp-session-id'];
  const sessionId = Array.isArray(header) ? header[0] : header;

  if (req.method === 'POST') {
    const body = await readBody(req);
    if (sessionId) {
      const known = transports.get(sessionId);
      if (!known) {
        res.writeHead(404).end();
        return;
      }
      await known.handleRequest(req, res, body);
      return;
    }
    if (!isInitializeRequest(body)) {
      res.writeHead(400).end();
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, transport);
      },
    });
    await buildServer().connect(transport);
    await transport.handleRequest(req, res, body);
    return;
  }

  if (req.method === 'GET' || req.method === 'DELETE') {
    const transport = sessionId ? transports.get(sessionId) : undefined;
    if (!transport) {
      res.writeHead(404).end();
      return;
    }
    await transport.handleRequest(req, res);
    return;
  }

  // Nothing else is served.
  res.writeHead(405, { Allow: 'GET, POST, DELETE' }).end();
}

http
  .createServer((req, res) => {
    if (req.url === '/mcp') void handleMcp(req, res);
    else res.writeHead(405, { Allow: 'GET, POST, DELETE' }).end();
  })
  .listen(3000);
