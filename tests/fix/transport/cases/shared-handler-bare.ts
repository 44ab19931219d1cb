import { randomUUID } from 'node:crypto'
import express from 'express'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { buildServer } from './tools.js'

const app = express()
app.use(express.json())

const sessions = new Map<string, StreamableHTTPServerTransport>()

const serve = async (req: express.Request, res: express.Response) => {
  const id = req.header('mcp-session-id')
  let transport = id ? sessions.get(id) : undefined

  if (!transport && isInitializeRequest(req.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        sessions.set(sid, transport!)
      },
    })
    await buildServer().connect(transport)
  }
  if (!transport) {
    res.sendStatus(400)
    return
  }
  await transport.handleRequest(req, res, req.body)
}

app.post('/mcp', serve)
// The stream of what the server says unasked,
// and the end of a session.
app.get('/mcp', serve)
app.delete('/mcp', serve)

const listener = app.listen(3000)

process.on('SIGTERM', async () => {
  // Close all transports, so that their clients know
  for (const transport of sessions.values())
    await transport.close()
  listener.close()
  process.exit(0)
})
