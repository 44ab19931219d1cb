import { createServer, type ServerResponse } from 'node:http';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';

async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await buildServer().connect(transport);
  return transport;
}

const quiet = process.env.QUIET === '1';

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<ServerResponse>();
let draining = false;

const track = (res: ServerResponse): boolean => {
  if (draining) {
    res
      .writeHead(503, { Connection: 'close', 'Content-Type': 'application/json' })
      .end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Server is shutting down' },
          id: null,
        }),
      );
    return false;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  return true;
};

const http = createServer(async (req, res) => {
  const path = req.url ?? '/';
  if (!track(res)) return;
  if (path === '/mcp' && req.method === 'POST') {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = JSON.parse(text);
    const transport = await open();
    const request = new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: text,
    });
    res.on('close', () => void transport.close());
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (!quiet) console.error('answered', response.status);
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.end(Buffer.from(await response.arrayBuffer()));
    return;
  }
  if (path === '/mcp') {
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
  res.writeHead(404).end();
});
http.listen(3000);

process.on('SIGTERM', async () => {
  draining = true;
  await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  http.close();
});
