import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => {
      sessions.set(id, transport);
    },
  });
  transport.onclose = () => {
    if (transport.sessionId) sessions.delete(transport.sessionId);
  };
  await buildServer().connect(transport);
  return transport;
}

const quiet = process.env.QUIET === '1';

const http = createServer(async (req, res) => {
  const path = req.url ?? '/';
  if (path === '/mcp' && req.method === 'POST') {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = JSON.parse(text);
    const id = req.headers['mcp-session-id'] as string | undefined;
    let transport: WebStandardStreamableHTTPServerTransport;
    if (id) {
      const known = sessions.get(id);
      if (!known) {
        res.writeHead(404).end();
        return;
      }
      transport = known;
    } else if (isInitializeRequest(body)) {
      transport = await open();
    } else {
      res.writeHead(400).end();
      return;
    }
    const request = new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: text,
    });
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (!quiet) console.error('answered', response.status);
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.end(Buffer.from(await response.arrayBuffer()));
    return;
  }
  if (path === '/mcp') {
    const id = req.headers['mcp-session-id'] as string | undefined;
    if (!id) {
      res.writeHead(400).end('Missing session id');
      return;
    }
    const known = sessions.get(id);
    if (!known) {
      res.writeHead(404).end();
      return;
    }
    const response = await known.handleRequest(new Request(`http://localhost${path}`, { method: req.method }));
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.end(Buffer.from(await response.arrayBuffer()));
    return;
  }
  res.writeHead(404).end();
});
http.listen(3000);

process.on('SIGTERM', async () => {
  for (const transport of sessions.values()) await transport.close();
  http.close();
});
