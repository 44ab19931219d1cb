//! `session-fallback-bucket`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-fallback-bucket";

/// A server whose only tool keeps drafts under what `key` says.
fn drafts(key: &str) -> String {
    format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
const drafts = new Map<string, string[]>();
export function buildServer() {{
  const server = new McpServer({{ name: 'drafts', version: '1.0.0' }});
  server.registerTool('add_line', {{ inputSchema: {{ text: z.string() }} }}, async ({{ text }}, extra) => {{
    {key}
    const lines = drafts.get(key) ?? [];
    lines.push(text);
    drafts.set(key, lines);
    return {{ content: [{{ type: 'text', text: String(lines.length) }}] }};
  }});
  return server;
}}
"
    )
}

#[test]
fn found() {
    let store = "drafts:app-state:handle:collapsed";
    let found = |name, key| Program::v1(name).stateful(&drafts(key)).store(store).category("app-state");
    speaks(
        RULE,
        Severity::Error,
        &[
            found("?? and a constant", "const key = extra.sessionId ?? 'default';"),
            found("|| and a constant", "const key = extra.sessionId || 'stdio';"),
            found("a conditional", "const key = extra.sessionId ? extra.sessionId : 'shared';"),
            found("an assignment in an if", "let key = extra.sessionId; if (!key) key = 'anonymous';"),
            found("??=", "let key = extra.sessionId; key ??= 'local';"),
            found("a constant with a name", "const FALLBACK = 'none'; const key = extra.sessionId ?? FALLBACK;"),
            found("a destructuring default", "const { sessionId: key = 'anon' } = extra;"),
            Program::v1("a helper in another file, a default value")
                .category("app-state")
                .store(store)
                .stateful(
                    &drafts("const key = keyOf(extra.sessionId);")
                        .replace("const drafts", "import { keyOf } from './key.js';\nconst drafts"),
                )
                .file("src/key.ts", "export function keyOf(id = 'default-session'): string { return id; }\n"),
            Program::commonjs("a helper that catches, JavaScript").category("app-state").js(r"
const http = require('http');
const { randomUUID } = require('crypto');
const { z } = require('zod');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const carts = {};
function keyOf(extra) { return (extra && extra.sessionId) || 'default'; }
const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool('add', { inputSchema: { sku: z.string() } }, async ({ sku }, extra) => {
  const cart = (carts[keyOf(extra)] = carts[keyOf(extra)] || []);
  cart.push(sku);
  return { content: [{ type: 'text', text: cart.join(',') }] };
});
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
server.connect(transport).then(() => http.createServer((q, s) => transport.handleRequest(q, s)).listen(3000));
"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("an absent id is an error").category("app-state").store("drafts:app-state:handle:refused").stateful(&drafts("const key = extra.sessionId; if (!key) throw new Error('no session');")),
            Program::v1("a fallback of the configuration").category("transport-map").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const region = process.env.REGION ?? 'default';
export function buildServer() {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  server.registerTool('weather', { inputSchema: { city: z.string().optional() } }, async ({ city }) => ({ content: [{ type: 'text', text: `${region} ${city ?? 'default'}` }] }));
  return server;
}
"),
            Program::v1("a read of the transport map with an empty key").category("transport-map").file("src/server.ts", r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export const buildServer = () => new McpServer({ name: 'clock', version: '1.0.0' });
").ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const live = new Map<string, StreamableHTTPServerTransport>();
const app = express();
app.use(express.json());
app.all('/mcp', async (req, res) => {
  let transport = live.get(req.get('mcp-session-id') ?? '');
  if (!transport) {
    transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized: (id) => { live.set(id, transport!); } });
    await buildServer().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
        ],
    );
}
