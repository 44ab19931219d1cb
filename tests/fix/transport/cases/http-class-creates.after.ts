import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

// Requests being answered.
const inFlight = new Set<ServerResponse>();

const track = (res: ServerResponse): void => {
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
};

class Gateway {
  constructor(private readonly build: () => McpServer) {}

  async serve(req: IncomingMessage, res: ServerResponse, body?: unknown): Promise<void> {
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
    const transport = await this.begin();
    res.on('close', () => void transport.close());
    return transport.handleRequest(req, res, body);
  }

  // The key keeps its name for whoever reads it; it counts requests in flight now.
  get size(): number {
    return inFlight.size;
  }

  private async begin(): Promise<StreamableHTTPServerTransport> {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    await this.build().connect(transport);
    return transport;
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
