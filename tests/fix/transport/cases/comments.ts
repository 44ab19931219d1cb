import { randomUUID } from "node:crypto";
import cors from 'cors';
import express from "express";
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { buildServer } from './tools.js';

// Sessions are kept in memory, and are gone after a deployment.
const app = express();
app.use(cors({ origin: "*", exposedHeaders: ["Mcp-Session-Id"], allowedHeaders: ["Content-Type", "mcp-session-id"] }));
app.use(express.json({ limit: "1mb" }));

// Map to store transports by session ID
const transports: { [sessionId: string]: StreamableHTTPServerTransport } = {};

app.post('/mcp', async (req, res) => {
  const sessionId = req.headers['mcp-session-id'] as string | undefined;
  let transport: StreamableHTTPServerTransport;

  if (sessionId && transports[sessionId]) {
    // Reuse the session's transport
    transport = transports[sessionId];
  } else if (!sessionId && isInitializeRequest(req.body)) {
    // This is a new initialization request.
    // Create a new transport.
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports[sid] = transport;
      },
    });

    transport.onclose = () => {
      if (transport.sessionId) delete transports[transport.sessionId];
    };

    // Create a new server instance for this specific session.
    const server: McpServer = buildServer();

    // Connect before the request is handled, or its answer is lost
    await server.connect(transport);
  } else {
    res.status(400).send('Bad Request: No valid session ID provided');
    return;
  }

  // Handle the client's request using the session's transport.
  await transport.handleRequest(req, res, req.body);
});

// Helper function for GET and DELETE requests that require existing sessions
const handleSessionRequest = async (req: express.Request, res: express.Response) => {
  const sessionId = req.headers['mcp-session-id'] as string | undefined;
  if (!sessionId || !transports[sessionId]) {
    res.status(404).send('Session not found');
    return;
  }
  await transports[sessionId].handleRequest(req, res);
};

app.get('/mcp', handleSessionRequest);
app.delete('/mcp', handleSessionRequest);

app.listen(3000);
