import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const transports = new Map<string, StreamableHTTPServerTransport>();

async function handle(req: IncomingMessage, res: ServerResponse) {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id === undefined ? undefined : transports.get(id);
  if (!transport) {
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void transports.set(sid, created),
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res);
}

export function start(port: number) {
  const http = createServer((req, res) => void handle(req, res));
  http.listen(port);
  process.once('SIGTERM', async () => {
    await Promise.all([...transports.values()].map((transport) => transport.close()));
    http.close(() => process.exit(0));
  });
}

start(3000);
