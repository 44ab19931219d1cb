import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import Router from '@koa/router';
import bodyParser from 'koa-bodyparser';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = new Koa();
app.use(bodyParser());
const router = new Router();
const transports: Record<string, StreamableHTTPServerTransport> = {};

router.all('/mcp', async (ctx) => {
  const sessionId = ctx.get('Mcp-Session-Id');
  let transport = transports[sessionId];
  if (!transport) {
    if (ctx.method !== 'POST') {
      ctx.status = 404;
      ctx.body = { error: 'unknown session' };
      return;
    }
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports[id] = transport;
      },
    });
    transport.onclose = () => {
      if (transport.sessionId) delete transports[transport.sessionId];
    };
    await buildServer().connect(transport);
  }
  ctx.respond = false;
  await transport.handleRequest(ctx.req, ctx.res, ctx.request.body);
});

app.use(router.routes());
app.listen(3000);
