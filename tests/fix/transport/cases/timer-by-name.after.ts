import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

interface Client {
  transport: StreamableHTTPServerTransport;
  seen: number;
}

async function body(req: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function mcp(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const parsed = req.method === 'POST' ? await body(req) : undefined;
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
  const client = await open();
  client.seen = Date.now();
  res.on('close', () => void client.transport.close());
  await client.transport.handleRequest(req, res, parsed);
}

async function open(): Promise<Client> {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const client = { transport, seen: Date.now() };
  await buildServer().connect(transport);
  return client;
}

// Requests being answered.
const inFlight = new Set<ServerResponse>();

const track = (res: ServerResponse): void => {
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
};

createServer((req, res) => {
  if (req.url === '/mcp') {
    void mcp(req, res);
    return;
  }
  if (req.url === '/status') {
    // The key keeps its name for whoever reads it; it counts requests in flight now.
    res.end(JSON.stringify({ clients: inFlight.size }));
    return;
  }
  res.writeHead(404).end();
}).listen(3000);
