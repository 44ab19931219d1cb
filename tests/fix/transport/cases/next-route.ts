import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';

const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

export async function POST(request: Request): Promise<Response> {
  const sessionId = request.headers.get('mcp-session-id');
  let transport = sessionId ? transports.get(sessionId) : undefined;
  if (!transport) {
    const created = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, created);
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  return transport.handleRequest(request);
}

export async function GET(request: Request): Promise<Response> {
  const transport = transports.get(request.headers.get('mcp-session-id') ?? '');
  if (!transport) return new Response('No session', { status: 404 });
  return transport.handleRequest(request);
}
