import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

import { Router } from 'express';

class McpController {
  handlePost = async (req: express.Request, res: express.Response): Promise<void> => {
    // Runs on each request: clients, pools and caches stay outside.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    });
    const server = buildServer();
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  };

  handleSession = (_req: express.Request, res: express.Response) => {
    res
      .status(405)
      .set('Allow', 'POST')
      .json({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'Method not allowed.' },
        id: null,
      });
  };
}

const controller = new McpController();
const router = Router();
router.post('/', controller.handlePost);
router.get('/', controller.handleSession);
router.delete('/', controller.handleSession);
app.use('/mcp', router);
app.listen(3000);
