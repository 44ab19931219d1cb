// @ts-check
const http = require('node:http');
const { randomUUID } = require('node:crypto');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { buildServer } = require('./tools.js');

/** @type {Map<string, StreamableHTTPServerTransport>} */
const transports = new Map();

/** @param {http.ServerResponse} res @param {number} status @param {string} message */
function reject(res, status, message) {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}

/** @param {http.IncomingMessage} req @param {http.ServerResponse} res */
async function mcp(req, res) {
  const id = /** @type {string | undefined} */ (req.headers['mcp-session-id']);
  if (id) {
    const known = transports.get(id);
    if (!known) return reject(res, 404, 'Session not found');
    return known.handleRequest(req, res);
  }
  if (req.method !== 'POST') return reject(res, 400, 'A session id is required');

  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized(sid) {
      transports.set(sid, transport);
    },
  });
  await server.connect(transport);
  return transport.handleRequest(req, res);
}

const httpServer = http.createServer((req, res) => {
  const path = (req.url || '/').split('?')[0];
  if (path === '/mcp') {
    mcp(req, res).catch((error) => {
      console.error('request failed:', error);
      if (!res.headersSent) reject(res, 500, 'Internal server error');
    });
  } else if (req.method === 'GET' && path === '/health') {
    res.end(`ok ${transports.size}`);
  } else {
    reject(res, 404, 'Not found');
  }
});

httpServer.listen(3000);

process.on('SIGTERM', async () => {
  httpServer.close();
  for (const transport of transports.values()) await transport.close();
  process.exit(0);
});
