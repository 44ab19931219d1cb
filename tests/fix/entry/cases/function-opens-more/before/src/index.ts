import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { openDatabase } from './database.js';
import { buildServer } from './tools.js';

async function newTransport() {
  const database = await openDatabase(String(process.env.DATABASE));
  const made = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'fixed' });
  await buildServer(database).connect(made);
  return made;
}

const transport = await newTransport();

createServer(async (req, res) => {
  if (req.url !== '/mcp') {
    res.writeHead(404).end();
    return;
  }
  await transport.handleRequest(req, res);
}).listen(3000);
