import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transports: { [sessionId: string]: StreamableHTTPServerTransport } = {};

app.post('/mcp', async (req, res) => {
  try {
    const sessionId = req.headers['mcp-session-id'] as string | undefined;

    if (isInitializeRequest(req.body) && !sessionId) {
      const newSessionId = randomUUID();

      try {
        const transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => newSessionId,
        });

        // Store the transport immediately
        transports[newSessionId] = transport;

        transport.onclose = () => {
          const sid = transport.sessionId || newSessionId;
          if (transports[sid]) {
            delete transports[sid];
          }
        };

        await buildServer().connect(transport);
        await transport.handleRequest(req, res, req.body);
        return;
      } catch (initError) {
        if (transports[newSessionId]) {
          delete transports[newSessionId];
        }
        if (!res.headersSent) {
          res.status(500).json({ error: String(initError) });
        }
        return;
      }
    }

    if (sessionId && transports[sessionId]) {
      await transports[sessionId].handleRequest(req, res, req.body);
      return;
    }

    res.status(400).json({ error: 'no session' });
  } catch (error) {
    console.error('request failed', error);
  }
});

app.listen(3000);
