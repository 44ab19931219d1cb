import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';

interface Env {
  ZONE: string;
}

function createServer(env: Env): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('zone', { description: 'Tell the zone.' }, async () => ({
    content: [{ type: 'text', text: env.ZONE }],
  }));
  return server;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.method !== 'POST') {
      return Response.json(
        {
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null,
        },
        { status: 405, headers: { Allow: 'POST' } },
      );
    }

    const server = createServer(env);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
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
  },
};
