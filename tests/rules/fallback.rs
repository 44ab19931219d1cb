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
            found("an assertion", "const key = extra.sessionId!;"),
            found("a cast to a text", "const key = extra.sessionId as string;"),
            found("a template", "const key = `draft/${extra.sessionId}`;"),
            found("a concatenation", "const key = 'draft/' + extra.sessionId;"),
            found("a template with a constant for what is absent", "const key = `draft/${extra.sessionId ?? 'local'}`;"),
            found("String()", "const key = String(extra.sessionId);"),
            Program::v1("an assertion in a helper").category("app-state").store(store).stateful(
                &drafts("const key = keyOf(extra);").replace(
                    "export function",
                    "function keyOf(context: { sessionId?: string }) { return `s:${context.sessionId}`; }\nexport function",
                ),
            ),
            Program::v1("an assertion where a store of one's own is called").category("app-state").stateful(
                &drafts("const key = 'x';")
                    .replace("drafts.get(key) ?? []", "board.of(extra.sessionId!)")
                    .replace("    drafts.set(key, lines);\n", "")
                    .replace("const drafts", "class Board {\n  private readonly all = new Map<string, string[]>();\n  of(id: string) { let lines = this.all.get(id); if (!lines) { lines = []; this.all.set(id, lines); } return lines; }\n}\nconst board = new Board();\nconst drafts"),
            ),
            Program::python("a text of the header, Python", "mcp>=2", &python("str(request.headers.get('mcp-session-id'))")),
            Program::python("an f-string, Python", "mcp>=2", &python("f\"draft:{request.headers.get('mcp-session-id')}\"")),
            Program::python("a cast, Python", "mcp>=2", &python("cast(str, request.headers.get('mcp-session-id'))")),
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

/// The same in Python, where the tool reads the header itself.
fn python(key: &str) -> String {
    format!(
        r"
from typing import cast
from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer('drafts')
drafts: dict[str, list[str]] = {{}}

@mcp.tool()
def add_line(text: str, ctx: Context) -> str:
    request = ctx.request_context.request
    key = {key}
    lines = drafts.setdefault(key, [])
    lines.append(text)
    return str(len(lines))

mcp.run(transport='streamable-http')
"
    )
}

#[test]
fn says_what_the_key_becomes() {
    let said = |key: &str| {
        let answer = Program::v1("the words").stateful(&drafts(key)).scan();
        let finding = answer.findings.iter().find(|finding| finding.rule == RULE).expect("a finding");
        finding.message.clone()
    };
    assert!(said("const key = extra.sessionId!;").contains("is `undefined`"));
    assert!(said("const key = `draft/${extra.sessionId}`;").contains("the text `'draft/undefined'`"));
    assert!(said("const key = String(extra.sessionId);").contains("the text `'undefined'`"));
    assert!(said("const key = extra.sessionId ?? 'local';").contains("the constant `'local'`"));
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("an absent id is an error").category("app-state").store("drafts:app-state:handle:refused").stateful(&drafts("const key = extra.sessionId; if (!key) throw new Error('no session');")),
            Program::v1("an assertion after a check").store("drafts:app-state:handle:refused").stateful(&drafts("if (!extra.sessionId) throw new Error('no session'); const key = extra.sessionId!;")),
            Program::v1("a template after a check").store("drafts:app-state:handle:refused").stateful(&drafts("const id = extra.sessionId; if (id === undefined) throw new Error('no session'); const key = `draft/${id}`;")),
            Program::v1("a check in a helper").store("drafts:app-state:handle:refused").stateful(
                &drafts("const key = keyOf(extra.sessionId);").replace(
                    "export function",
                    "function keyOf(id?: string) { if (!id) throw new Error('no session'); return `draft/${id}`; }\nexport function",
                ),
            ),
            Program::v1("an assertion of something else").category("transport-map").stateful(
                &drafts("const key = process.env.DESK!;"),
            ),
            Program::v1("a count by session").stateful(
                &drafts("const key = extra.sessionId!;")
                    .replace("drafts = new Map<string, string[]>()", "callCounts = new Map<string, number>()")
                    .replace("const lines = drafts.get(key) ?? [];\n    lines.push(text);\n    drafts.set(key, lines);", "callCounts.set(key, (callCounts.get(key) ?? 0) + 1);")
                    .replace("String(lines.length)", "text"),
            ),
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
