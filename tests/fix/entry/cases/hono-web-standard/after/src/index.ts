import { Hono } from 'hono'
import { serve } from '@hono/node-server'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { z } from 'zod'

/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'dice', version: '1.0.0' })

  server.registerTool('roll', { inputSchema: { sides: z.number() } }, async ({ sides }) => ({
    content: [{ type: 'text', text: String(1 + Math.floor(Math.random() * sides)) }]
  }))

  return server
}

const app = new Hono()
app.post('/mcp', async (c) => {
  const server = buildServer()
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined
  })
  await server.connect(transport)
  const response = await transport.handleRequest(c.req.raw)
  if (!response.body) {
    await server.close()
    return response
  }
  // The answer may stream on after the handler: the server closes when it ends, or when nobody reads it any more.
  const { readable, writable } = new TransformStream()
  void response.body
    .pipeTo(writable)
    .catch(() => {})
    .finally(() => server.close())
  return new Response(readable, response)
})

app.all('/mcp', (c) =>
  c.json(
    {
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null
    },
    405,
    { Allow: 'POST' }
  )
)

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })
