import Koa from 'koa';
import Router from '@koa/router';
import bodyParser from 'koa-bodyparser';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

class Gateway {
	constructor() {
		this.router = new Router({ prefix: '/mcp' })
		this.router.post('/', (ctx) => this.post(ctx))
		this.router.get('/', (ctx) => {
			ctx.status = 405
			ctx.set('Allow', 'POST')
			ctx.body = {
				jsonrpc: '2.0',
				error: { code: -32000, message: 'Method not allowed.' },
				id: null
			}
		})
		this.router.delete('/', (ctx) => {
			ctx.status = 405
			ctx.set('Allow', 'POST')
			ctx.body = {
				jsonrpc: '2.0',
				error: { code: -32000, message: 'Method not allowed.' },
				id: null
			}
		})
	}

	async post(ctx) {
		// Runs on each request: clients, pools and caches stay outside.
		const transport = new StreamableHTTPServerTransport({
			sessionIdGenerator: undefined,
		})
		const server = buildServer()
		ctx.res.on('close', () => void server.close())
		await server.connect(transport)
		ctx.respond = false
		await transport.handleRequest(ctx.req, ctx.res, ctx.request.body)
	}
}

const gateway = new Gateway()
const app = new Koa()
app.use(bodyParser())
app.use(gateway.router.routes())
app.use(gateway.router.allowedMethods())
app.listen(3000)
