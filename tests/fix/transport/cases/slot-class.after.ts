import express, { type Request, type Response } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

class ClockEndpoint {
  post = async (req: Request, res: Response): Promise<void> => {
    // Runs on each request: clients, pools and caches stay outside.
    const server = buildServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  };

  other = (_req: Request, res: Response) => {
    res
      .status(405)
      .set('Allow', 'POST')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Method not allowed.' },
        id: null
      });
  };
}

const endpoint = new ClockEndpoint();
const app = express();
app.use(express.json());
app.post('/mcp', endpoint.post);
app.get('/mcp', endpoint.other);
app.delete('/mcp', endpoint.other);
app.listen(3000);
