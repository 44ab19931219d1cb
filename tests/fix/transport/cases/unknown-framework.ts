import { randomUUID } from 'node:crypto';
import { createApp } from '@acme/web';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = createApp({ port: 3000 });
const transports: Record<string, StreamableHTTPServerTransport> = {};

app.post('/mcp', async (req, res) => {
  const sessionId = req.headers['mcp-session-id'] as string | undefined;
  let transport: StreamableHTTPServerTransport;
  if (sessionId && transports[sessionId]) {
    transport = transports[sessionId];
  } else if (!sessionId && isInitializeRequest(req.body)) {
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
  } else {
    res.writeHead(400).end('no session');
    return;
  }
  await transport.handleRequest(req, res, req.body);
});

const withSession = async (req, res) => {
  const transport = transports[req.headers['mcp-session-id'] as string];
  if (!transport) {
    res.writeHead(400).end('no session');
    return;
  }
  await transport.handleRequest(req, res);
};
app.get('/mcp', withSession);
app.delete('/mcp', withSession);

app.listen(3000);
