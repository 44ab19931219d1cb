import Router from '@koa/router';
import Koa from 'koa';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'Tell the time.' }, async () => ({
  content: [{ type: 'text', text: new Date().toISOString() }],
}));

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
await server.connect(transport);

const app = new Koa();
const router = new Router();
router.post('/mcp', async (ctx) => {
  ctx.respond = false;
  await transport.handleRequest(ctx.req, ctx.res);
});
app.use(router.routes());
app.listen(3000);
