import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const app = express();
app.use(express.json());
const open = new Map<string, StreamableHTTPServerTransport>();

function logCall(session: string | undefined, tool: string, ms: number): void {
  console.error(JSON.stringify({ session: session ?? 'none', tool, ms }));
}

const build = (sessionId: () => string | undefined) => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'Tell the time.' }, async () => {
    const started = Date.now();
    const text = new Date().toISOString();
    logCall(sessionId(), 'now', Date.now() - started);
    return { content: [{ type: 'text', text }] };
  });
  return server;
};

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? open.get(id) : undefined;
  if (!transport) {
    const made = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        open.set(sid, made);
      },
    });
    await build(() => made.sessionId).connect(made);
    transport = made;
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
