import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const transports = new Map<string, StreamableHTTPServerTransport>();
const state = { ready: true };

async function readBody(req: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined;
}

async function serve(req: http.IncomingMessage, res: http.ServerResponse) {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports.get(id) : undefined;
  const body = req.method === 'POST' ? await readBody(req) : undefined;
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, transport!);
      },
    });
    await buildServer().connect(transport);
  }
  if (req.method === 'GET' || req.method === 'DELETE') {
    console.log('no body to read');
  }
  await transport.handleRequest(req, res, body);
}

const httpServer = http.createServer((req, res) => {
  if (!state.ready) {
    res.writeHead(503).end();
    return;
  }
  if (req.url !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  void serve(req, res);
});

process.on('SIGTERM', () => {
  state.ready = false;
  httpServer.close();
});

httpServer.listen(3000);
