import Router from '@koa/router';
import Koa from 'koa';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'Tell the time.' }, async () => ({
    content: [{ type: 'text', text: new Date().toISOString() }],
  }));

  return server;
}

const app = new Koa();
const router = new Router();
router.post('/mcp', async (ctx) => {
  ctx.respond = false;
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  ctx.res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(ctx.req, ctx.res);
});
app.use(router.routes());
app.listen(3000);
