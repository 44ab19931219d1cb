import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import Router from '@koa/router';
import bodyParser from 'koa-bodyparser';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

class Gateway {
	constructor() {
		this.transports = {}
		this.router = new Router({ prefix: '/mcp' })
		this.router.post('/', (ctx) => this.post(ctx))
		this.router.get('/', (ctx) => this.stream(ctx))
		this.router.delete('/', (ctx) => this.stream(ctx))
	}

	async post(ctx) {
		const id = ctx.headers['mcp-session-id']
		let transport
		if (id && this.transports[id]) {
			transport = this.transports[id]
		} else if (!id && isInitializeRequest(ctx.request.body)) {
			transport = new StreamableHTTPServerTransport({
				sessionIdGenerator: () => randomUUID(),
				onsessioninitialized: (sid) => {
					this.transports[sid] = transport
				}
			})
			transport.onclose = () => {
				if (transport.sessionId) delete this.transports[transport.sessionId]
			}
			await buildServer().connect(transport)
		} else {
			ctx.status = 400
			ctx.body = { jsonrpc: '2.0', error: { code: -32000, message: 'No valid session' }, id: null }
			return
		}
		ctx.respond = false
		await transport.handleRequest(ctx.req, ctx.res, ctx.request.body)
	}

	async stream(ctx) {
		const transport = this.transports[ctx.headers['mcp-session-id']]
		if (!transport) {
			ctx.status = 400
			ctx.body = 'Invalid session'
			return
		}
		ctx.respond = false
		await transport.handleRequest(ctx.req, ctx.res)
	}
}

const gateway = new Gateway()
const app = new Koa()
app.use(bodyParser())
app.use(gateway.router.routes())
app.use(gateway.router.allowedMethods())
app.listen(3000)
