import Koa, { type Context, type Next } from 'koa';
import Router from 'koa-router';
import { koaBody } from 'koa-body';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';
import { once } from 'node:events';

const app = new Koa();
const router = new Router();
const LIMIT = 50;

// Requests being answered, so that shutdown can wait for them.
const inFlight = new Set<Context['res']>();
let draining = false;

const track = async (ctx: Context, next: Next) => {
  if (draining) {
    ctx.status = 503;
    ctx.set('Connection', 'close');
    ctx.body = {
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Server is shutting down' },
      id: null,
    };
    return;
  }
  inFlight.add(ctx.res);
  ctx.res.on('close', () => inFlight.delete(ctx.res));
  await next();
};

router.post('/rpc', track, async (ctx) => {
  if (inFlight.size > LIMIT) {
    ctx.status = 503;
    ctx.body = { error: 'busy' };
    return;
  }
  // Runs on each request: clients, pools and caches stay outside.
  const created = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  const server = buildServer();
  ctx.res.on('close', () => void server.close());
  await server.connect(created);
  ctx.respond = false;
  await created.handleRequest(ctx.req, ctx.res, ctx.request.body);
});

router.get('/rpc', (ctx) => {
  ctx.status = 405;
  ctx.set('Allow', 'POST');
  ctx.body = {
    jsonrpc: '2.0',
    error: { code: -32000, message: 'Method not allowed.' },
    id: null,
  };
});

router.del('/rpc', (ctx) => {
  ctx.status = 405;
  ctx.set('Allow', 'POST');
  ctx.body = {
    jsonrpc: '2.0',
    error: { code: -32000, message: 'Method not allowed.' },
    id: null,
  };
});

// The key keeps its name for whoever reads it; it counts requests in flight now.
router.get('/health', (ctx) => {
  ctx.body = { status: 'ok', sessions: inFlight.size };
});

app.use(koaBody());
app.use(router.routes()).use(router.allowedMethods());
const listener = app.listen(3000);

process.on('SIGTERM', async () => {
  draining = true;
  await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  listener.close(() => process.exit(0));
});
