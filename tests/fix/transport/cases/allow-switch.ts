import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const transports = new Map<string, StreamableHTTPServerTransport>();

createServer(async (req, res) => {
  if (req.url === '/notes') {
    res.writeHead(405, { Allow: 'GET, POST' }).end();
    return;
  }
  if (req.url !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  const id = req.headers['mcp-session-id'] as string | undefined;
  switch (req.method) {
    case 'POST': {
      let transport = id ? transports.get(id) : undefined;
      if (!transport) {
        const created = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          onsessioninitialized: (sid) => void transports.set(sid, created),
        });
        await buildServer().connect(created);
        transport = created;
      }
      await transport.handleRequest(req, res);
      break;
    }
    case 'GET':
    case 'DELETE': {
      const transport = id ? transports.get(id) : undefined;
      if (!transport) {
        res.writeHead(404).end();
        break;
      }
      await transport.handleRequest(req, res);
      break;
    }
    default:
      res.setHeader('Allow', 'GET, POST, DELETE, OPTIONS');
      res.writeHead(405).end();
  }
}).listen(3000);
