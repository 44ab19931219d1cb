import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import Router from 'koa-router';
import { koaBody } from 'koa-body';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = new Koa();
const router = new Router();
const sessions = new Map<string, StreamableHTTPServerTransport>();
const LIMIT = 50;

router.post('/rpc', async (ctx) => {
  const id = ctx.get('mcp-session-id');
  let transport = id ? sessions.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(ctx.request.body)) {
      ctx.throw(400, 'no session');
    }
    if (sessions.size >= LIMIT) {
      ctx.status = 503;
      ctx.body = { error: 'busy' };
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        sessions.set(sid, created);
      },
    });
    created.onclose = () => {
      if (created.sessionId) sessions.delete(created.sessionId);
    };
    await buildServer().connect(created);
    transport = created;
  }
  ctx.respond = false;
  await transport.handleRequest(ctx.req, ctx.res, ctx.request.body);
});

router.get('/rpc', async (ctx) => {
  const transport = sessions.get(ctx.get('mcp-session-id'));
  if (!transport) {
    ctx.throw(404, 'unknown session');
    return;
  }
  ctx.respond = false;
  await transport.handleRequest(ctx.req, ctx.res);
});

router.del('/rpc', async (ctx) => {
  const transport = sessions.get(ctx.get('mcp-session-id'));
  if (!transport) {
    ctx.throw(404, 'unknown session');
    return;
  }
  ctx.respond = false;
  await transport.handleRequest(ctx.req, ctx.res);
});

router.get('/health', (ctx) => {
  ctx.body = { status: 'ok', sessions: sessions.size };
});

app.use(koaBody());
app.use(router.routes()).use(router.allowedMethods());
const listener = app.listen(3000);

process.on('SIGTERM', async () => {
  for (const transport of sessions.values()) await transport.close();
  listener.close(() => process.exit(0));
});
