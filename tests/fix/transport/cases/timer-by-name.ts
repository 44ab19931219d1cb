import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

interface Client {
  transport: StreamableHTTPServerTransport;
  seen: number;
}

const clients = new Map<string, Client>();
const IDLE = 30 * 60_000;

async function body(req: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function mcp(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const id = req.headers['mcp-session-id'] as string | undefined;
  const parsed = req.method === 'POST' ? await body(req) : undefined;
  let client = id ? clients.get(id) : undefined;
  if (!client) {
    if (!isInitializeRequest(parsed)) {
      res.writeHead(400).end();
      return;
    }
    client = await open();
  }
  client.seen = Date.now();
  await client.transport.handleRequest(req, res, parsed);
}

async function open(): Promise<Client> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      sweep();
      clients.set(sid, client);
    },
  });
  const client = { transport, seen: Date.now() };
  await buildServer().connect(transport);
  return client;
}

function sweep(): void {
  for (const [id, client] of clients) {
    if (Date.now() - client.seen < IDLE) continue;
    clients.delete(id);
    void client.transport.close();
  }
}

setInterval(sweep, 60_000).unref();

createServer((req, res) => {
  if (req.url === '/mcp') {
    void mcp(req, res);
    return;
  }
  if (req.url === '/status') {
    res.end(JSON.stringify({ clients: clients.size }));
    return;
  }
  res.writeHead(404).end();
}).listen(3000);
