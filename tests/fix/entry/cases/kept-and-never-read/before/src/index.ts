import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'Tell the time.' }, async () => ({
  content: [{ type: 'text', text: new Date().toISOString() }],
}));

let active: StreamableHTTPServerTransport | StdioServerTransport | null = null;

async function serveHttp(): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  active = transport;
  await server.connect(transport);
  createServer(async (req, res) => {
    await transport.handleRequest(req, res);
  }).listen(3000);
}

async function serveStdio(): Promise<void> {
  const transport = new StdioServerTransport();
  active = transport;
  await server.connect(transport);
}

await (process.argv.includes('--http') ? serveHttp() : serveStdio());
