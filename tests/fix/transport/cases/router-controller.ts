import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());

import { Router } from 'express';

const sessions: Record<string, StreamableHTTPServerTransport> = {};

class McpController {
  handlePost = async (req: express.Request, res: express.Response): Promise<void> => {
    const id = req.headers['mcp-session-id'];
    const sessionId = Array.isArray(id) ? id[0] : id;
    let transport: StreamableHTTPServerTransport | undefined;
    if (sessionId) {
      transport = sessions[sessionId];
    }
    if (!transport && req.body?.method === 'initialize') {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sid) => {
          sessions[sid] = transport!;
        },
      });
      await buildServer().connect(transport);
    }
    if (!transport) {
      res.status(400).json({ error: 'Invalid session' });
      return;
    }
    await transport.handleRequest(req, res, req.body);
  };

  handleSession = async (req: express.Request, res: express.Response): Promise<void> => {
    const sessionId = req.headers['mcp-session-id'] as string;
    const transport = sessions[sessionId];
    if (!transport) {
      res.status(400).send('no');
      return;
    }
    await transport.handleRequest(req, res);
  };
}

const controller = new McpController();
const router = Router();
router.post('/', controller.handlePost);
router.get('/', controller.handleSession);
router.delete('/', controller.handleSession);
app.use('/mcp', router);
app.listen(3000);
