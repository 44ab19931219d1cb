//! What stops a step is told whole: each place, in one run.

use super::{MANIFEST, TOOLS};
use crate::disk::Package;

const TABLE: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { release, reserve } from './locks.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transports = new Map<string, StreamableHTTPServerTransport>();

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('No session');
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: async (sid) => {
        transports.set(sid, created);
        await reserve(sid);
      },
    });
    created.onclose = async () => {
      if (created.sessionId && transports.delete(created.sessionId)) await release();
    };
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.post('/announce', async (req, res) => {
  for (const transport of transports.values()) await transport.send(req.body);
  res.end();
});
app.listen(3000);
";

const SINGLETON: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const server = buildServer();
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await server.connect(transport);

app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
app.get('/name', (_req, res) => {
  res.json({ connected: server.isConnected() });
});
app.get('/again', (_req, res) => {
  res.json({ connected: server.isConnected() });
});
app.listen(3000);
";

/// The lines at which a step is refused.
fn lines(server: &str) -> Vec<String> {
    let files = [("package.json", MANIFEST), ("src/tools.ts", TOOLS), ("src/server.ts", server)];
    let package = Package::new(&files);
    let refused = package.fix().refused.expect("a refusal");
    assert_eq!(package.text("src/server.ts"), server);
    let told = package.told(&refused);
    told.split("\n\n").map(|one| one.lines().next().expect("a place").to_owned()).collect()
}

#[test]
fn all_that_a_table_of_sessions_is_used_for_is_named_at_once() {
    let wanted = [
        "src/server.ts:22: onsessioninitialized: async (sid) => {",
        "src/server.ts:28: created.sessionId",
        "src/server.ts:37: transports",
    ];
    assert_eq!(lines(TABLE), wanted);
}

#[test]
fn all_uses_of_a_server_that_requests_share_are_named_at_once() {
    assert_eq!(lines(SINGLETON), ["src/server.ts:16: server", "src/server.ts:19: server"]);
}
