import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const calls = new Map<string, number>();

function buildServer(): McpServer {
  const server = new McpServer({ name: 'geo', version: '0.1.0' });
  server.registerTool('locate', { description: 'Locate a city.', inputSchema: { city: z.string() } }, async ({ city }, extra) => {
    calls.set(extra.sessionId!, (calls.get(extra.sessionId!) ?? 0) + 1);
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
