import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const sessions = new Map<string, StreamableHTTPServerTransport>();
const streams = new Map<string, SSEServerTransport>();

createServer(async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  const known = id ? sessions.get(id) : undefined;
  if (known) {
    await known.handleRequest(req, res);
    return;
  }
  // One path for both: whoever asks without an id gets an old stream as well.
  const stream = new SSEServerTransport('/messages', res);
  streams.set(stream.sessionId, stream);
  if (req.method === 'GET') {
    await buildServer().connect(stream);
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => void sessions.set(sid, transport),
  });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res);
}).listen(3000);
