import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const WINDOW_MS = 60_000;
const rateBySession = new Map<string, { count: number; resetAt: number }>();

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }, extra) => {
    const sessionId = extra.sessionId;
    if (!sessionId) throw new Error('a session is required');
    const window = rateBySession.get(sessionId);
    if (!window || window.resetAt <= Date.now()) {
      rateBySession.set(sessionId, { count: 1, resetAt: Date.now() + WINDOW_MS });
    } else if (++window.count > 10) {
      throw new Error('rate limit');
    }
    return { content: [{ type: 'text', text: city }] };
  });
  return server;
}

const transports = new Map<string, StreamableHTTPServerTransport>();
const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, created);
      },
    });
    created.onclose = () => {
      if (created.sessionId) transports.delete(created.sessionId);
      if (created.sessionId) rateBySession.delete(created.sessionId);
    };
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
