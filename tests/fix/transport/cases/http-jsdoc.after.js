// @ts-check
const http = require('node:http');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { buildServer } = require('./tools.js');
const { once } = require('node:events');

/** @param {http.ServerResponse} res @param {number} status @param {string} message */
function reject(res, status, message) {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}

/** @param {http.IncomingMessage} req @param {http.ServerResponse} res */
async function mcp(req, res) {
  if (req.method !== 'POST') {
    res
      .writeHead(405, { Allow: 'POST', 'Content-Type': 'application/json' })
      .end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Method not allowed.' },
          id: null,
        }),
      );
    return;
  }

  if (!track(res)) return;
  // Runs on each request: clients, pools and caches stay outside.
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  res.on('close', () => void server.close());
  await server.connect(transport);
  return transport.handleRequest(req, res);
}

// Requests being answered, so that shutdown can wait for them.
/** @type {Set<import('node:http').ServerResponse>} */
const inFlight = new Set();
let draining = false;

/** @param {import('node:http').ServerResponse} res */
const track = (res) => {
  if (draining) {
    res
      .writeHead(503, { Connection: 'close', 'Content-Type': 'application/json' })
      .end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Server is shutting down' },
          id: null,
        }),
      );
    return false;
  }
  inFlight.add(res);
  res.on('close', () => inFlight.delete(res));
  return true;
};

const httpServer = http.createServer((req, res) => {
  const path = (req.url || '/').split('?')[0];
  if (path === '/mcp') {
    mcp(req, res).catch((error) => {
      console.error('request failed:', error);
      if (!res.headersSent) reject(res, 500, 'Internal server error');
    });
  } else if (req.method === 'GET' && path === '/health') {
    // The key keeps its name for whoever reads it; it counts requests in flight now.
    res.end(`ok ${inFlight.size}`);
  } else {
    reject(res, 404, 'Not found');
  }
});

httpServer.listen(3000);

process.on('SIGTERM', async () => {
  httpServer.close();
  draining = true;
  await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));
  process.exit(0);
});
