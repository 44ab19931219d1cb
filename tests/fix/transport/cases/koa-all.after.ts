import Koa from 'koa';
import Router from '@koa/router';
import bodyParser from 'koa-bodyparser';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = new Koa();
app.use(bodyParser());
const router = new Router();

router.post('/mcp', async (ctx) => {
  // Runs on each request: clients, pools and caches stay outside.
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  ctx.res.on('close', () => void server.close());
  await server.connect(transport);
  ctx.respond = false;
  await transport.handleRequest(ctx.req, ctx.res, ctx.request.body);
});

router.all('/mcp', (ctx) => {
  ctx.status = 405;
  ctx.set('Allow', 'POST');
  ctx.body = {
    jsonrpc: '2.0',
    error: { code: -32000, message: 'Method not allowed.' },
    id: null,
  };
});

app.use(router.routes());
app.listen(3000);
