import { Hono } from 'hono'
import { serve } from '@hono/node-server'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { z } from 'zod'

const server = new McpServer({ name: 'dice', version: '1.0.0' })

server.registerTool('roll', { inputSchema: { sides: z.number() } }, async ({ sides }) => ({
  content: [{ type: 'text', text: String(1 + Math.floor(Math.random() * sides)) }]
}))

const transport = new WebStandardStreamableHTTPServerTransport({
  sessionIdGenerator: () => crypto.randomUUID()
})
await server.connect(transport)

const app = new Hono()
app.all('/mcp', (c) => transport.handleRequest(c.req.raw))

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })
