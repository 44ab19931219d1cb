import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';

export async function POST(request: Request): Promise<Response> {
  // Runs on each request: clients, pools and caches stay outside.
  const created = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  await server.connect(created);
  const response = await created.handleRequest(request);
  if (!response.body) {
    await server.close();
    return response;
  }
  // The answer may stream on after the handler: the server closes when it ends, or when nobody reads it any more.
  const { readable, writable } = new TransformStream();
  void response.body
    .pipeTo(writable)
    .catch(() => {})
    .finally(() => server.close());
  return new Response(readable, response);
}

export function GET(_request: Request) {
  return Response.json(
    {
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null,
    },
    { status: 405, headers: { Allow: 'POST' } },
  );
}
