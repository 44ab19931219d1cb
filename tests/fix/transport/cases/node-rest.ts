import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

function serve(port: number): void {
  const sessions = new Map<string, { transport: StreamableHTTPServerTransport; server: McpServer }>();
  const httpServer = createServer(async (req, res) => {
    if (req.url !== '/mcp') {
      res.writeHead(404).end();
      return;
    }
    const id = req.headers['mcp-session-id'] as string | undefined;
    if (id && sessions.has(id)) {
      await sessions.get(id)!.transport.handleRequest(req, res);
      return;
    }
    if (req.method === 'POST') {
      const server = buildServer();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => void sessions.set(sid, { transport, server }),
      });
      await server.connect(transport);
      await transport.handleRequest(req, res);
      return;
    }
    // Nothing else is understood.
    res.writeHead(400, { 'Content-Type': 'text/plain' });
    res.end('No session');
  });
  httpServer.listen(port);
}

async function main(): Promise<void> {
  if (process.argv.includes('--http')) {
    serve(3000);
    return;
  }
  await buildServer().connect(new StdioServerTransport());
}

void main();
