import { randomUUID } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

class ClockEndpoint {
  private server?: McpServer;
  private transport: StreamableHTTPServerTransport | null = null;

  post = async (req: Request, res: Response): Promise<void> => {
    if (isInitializeRequest(req.body)) {
      await this.stop();
      this.server = buildServer();
      this.transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
      await this.server.connect(this.transport);
    }
    if (!this.transport) {
      res.status(400).json({ jsonrpc: '2.0', error: { code: -32000, message: 'Not initialized' }, id: null });
      return;
    }
    await this.transport.handleRequest(req, res, req.body);
  };

  other = async (req: Request, res: Response): Promise<void> => {
    if (!this.transport || req.headers['mcp-session-id'] !== this.transport.sessionId) {
      res.sendStatus(404);
      return;
    }
    await this.transport.handleRequest(req, res);
  };

  async stop(): Promise<void> {
    await this.transport?.close();
    await this.server?.close();
    this.transport = null;
    this.server = undefined;
  }
}

const endpoint = new ClockEndpoint();
const app = express();
app.use(express.json());
app.post('/mcp', endpoint.post);
app.get('/mcp', endpoint.other);
app.delete('/mcp', endpoint.other);
app.listen(3000);
