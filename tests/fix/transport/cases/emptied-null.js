import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

let transports = Object.create(null);

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'];
  let transport = transports[id];
  if (!transport && isInitializeRequest(req.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports[sid] = transport;
      },
    });
    await buildServer().connect(transport);
  }
  if (!transport) {
    res.status(400).json({ error: 'initialize first' });
    return;
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);

process.on('SIGTERM', async () => {
  for (const transport of Object.values(transports)) {
    await transport.close();
  }
  transports = Object.create(null);
  process.exit(0);
});
