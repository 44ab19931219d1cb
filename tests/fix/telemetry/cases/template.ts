import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const quotas = new Map<string, { used: number; until: number }>();

function withinQuota(sessionId: string | undefined): boolean {
  const key = `quota:${sessionId ?? 'none'}`;
  const quota = quotas.get(key);
  if (quota === undefined || quota.until <= Date.now()) {
    quotas.set(key, { used: 1, until: Date.now() + 1000 });
    return true;
  }
  quota.used += 1;
  return quota.used < 4;
}

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }, extra) => {
    if (!extra.sessionId) {
      return { isError: true, content: [{ type: 'text', text: 'no session' }] };
    }
    if (!withinQuota(extra.sessionId)) throw new Error('quota');
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
    };
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
