import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

class Gateway {
  private open = new Map<string, StreamableHTTPServerTransport>();
  constructor(private readonly build: () => McpServer) {}

  async serve(req: IncomingMessage, res: ServerResponse, body?: unknown): Promise<void> {
    const header = req.headers['mcp-session-id'];
    const id = typeof header === 'string' ? header : undefined;
    if (id === undefined) {
      if (req.method !== 'POST') return this.fail(res, 400, 'a session id is required');
      return (await this.begin()).handleRequest(req, res, body);
    }
    const transport = this.open.get(id);
    if (!transport) return this.fail(res, 404, 'Session not found');
    await transport.handleRequest(req, res, body);
  }

  get size(): number {
    return this.open.size;
  }

  private async begin(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.open.set(id, transport);
      },
      onsessionclosed: (id) => {
        this.open.delete(id);
      },
    });
    await this.build().connect(transport);
    return transport;
  }

  private fail(res: ServerResponse, status: number, message: string): void {
    res.writeHead(status).end(message);
  }
}

const gateway = new Gateway(buildServer);

async function read(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined;
}

createServer(async (req, res) => {
  if (req.url === '/mcp') {
    await gateway.serve(req, res, req.method === 'POST' ? await read(req) : undefined);
  } else if (req.url === '/health') {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ ok: true, sessions: gateway.size }));
  } else {
    res.writeHead(404).end();
  }
}).listen(3000);
