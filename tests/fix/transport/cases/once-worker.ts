import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';

interface Env {
  ZONE: string;
}

const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
let started = false;

function createServer(env: Env): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('zone', { description: 'Tell the zone.' }, async () => ({
    content: [{ type: 'text', text: env.ZONE }],
  }));
  return server;
}

async function start(env: Env): Promise<void> {
  if (started) return;
  started = true;
  const server = createServer(env);
  await server.connect(transport);
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    await start(env);
    return transport.handleRequest(request);
  },
};
