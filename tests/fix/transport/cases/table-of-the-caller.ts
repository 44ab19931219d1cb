import { randomUUID } from 'node:crypto';
import express, { type Express } from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

type Sessions = Map<string, StreamableHTTPServerTransport>;

export function makeApp(build: () => McpServer, sessions: Sessions): Express {
  const app = express();
  app.use(express.json());
  app.all('/mcp', async (req, res) => {
    const id = req.headers['mcp-session-id'] as string | undefined;
    if (id) {
      const known = sessions.get(id);
      if (!known) {
        res.status(404).end();
        return;
      }
      await known.handleRequest(req, res, req.body);
      return;
    }
    if (req.body && isInitializeRequest(req.body)) {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          sessions.set(sid, transport);
        },
      });
      transport.onclose = () => {
        if (transport.sessionId) sessions.delete(transport.sessionId);
      };
      await build().connect(transport);
      await transport.handleRequest(req, res, req.body);
      return;
    }
    res.status(400).end();
  });
  return app;
}

const sessions: Sessions = new Map();
const http = makeApp(buildServer, sessions).listen(3000);

process.on('SIGTERM', async () => {
  for (const transport of sessions.values()) await transport.close();
  sessions.clear();
  http.close(() => process.exit(0));
});
