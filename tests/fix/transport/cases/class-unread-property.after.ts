import express, { type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

class Endpoint {
  constructor(_idleMs: number, private readonly name: string) {}

  async post(req: Request, res: Response) {
    console.error(`${this.name} is asked`);
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  }
}

const endpoint = new Endpoint(60_000, 'clock');

const app = express();
app.use(express.json());
app.post('/mcp', (req, res) => endpoint.post(req, res));
app.listen(3000);
