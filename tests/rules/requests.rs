//! `handshake-client-info` and `server-initiated-request`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

/// A server with one tool.
fn tool(body: &str) -> String {
    format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {{
  const server = new McpServer({{ name: 'desk', version: '1.0.0' }});
  server.registerTool('work', {{ inputSchema: {{ id: z.string() }} }}, async ({{ id }}, extra) => {{
    {body}
    return {{ content: [{{ type: 'text', text: id }}] }};
  }});
  return server;
}}
"
    )
}

const RUST_HOOK: &str = r#"
use rmcp::service::{NotificationContext, RoleServer};
use rmcp::transport::streamable_http_server::{StreamableHttpService, session::local::LocalSessionManager};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

#[derive(Clone)]
struct Desk;

#[tool_router(server_handler)]
impl Desk {
    #[tool(description = "The time")]
    fn now(&self) -> String { "noon".to_owned() }
}

impl ServerHandler for Desk {
    async fn on_initialized(&self, _context: NotificationContext<RoleServer>) { tracing::info!("ready"); }
}

#[tokio::main]
async fn main() {
    let service = StreamableHttpService::new(|| Ok(Desk), LocalSessionManager::default().into(), Default::default());
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
"#;

#[test]
fn handshake() {
    speaks(
        "handshake-client-info",
        Severity::Note,
        &[
            Program::v1("the client's name").stateful(&tool("const client = server.server.getClientVersion()?.name ?? 'unknown'; if (client === 'desk') console.error('rich');")),
            Program::v1("the client's capabilities").stateful(&tool("const { elicitation } = server.server.getClientCapabilities() ?? {}; if (!elicitation) console.error('plain');")),
            Program::v1("a hook after initialization").stateful(&tool("console.error(id);").replace("  return server;\n}\n", "  server.server.oninitialized = () => { console.error('ready'); };\n  return server;\n}\n")),
            Program::v1("a hook by its notification").stateful(
                &tool("console.error(id);")
                    .replace("import { z }", "import { InitializedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';\nimport { z }")
                    .replace("  return server;\n}\n", "  server.server.setNotificationHandler(InitializedNotificationSchema, () => { console.error('ready'); });\n  return server;\n}\n"),
            ),
            Program::commonjs("low level, JavaScript").js(r"
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const server = new Server({ name: 'desk', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, async () => {
  const info = server.getClientVersion();
  return { content: [{ type: 'text', text: info ? info.name : 'nobody' }] };
});
server.connect(new StdioServerTransport());
"),
            Program::python("what the session keeps of its client, Python", "mcp>=1.9,<2", "from mcp.server.fastmcp import Context, FastMCP\n\nmcp = FastMCP('desk')\n\n@mcp.tool()\ndef who(ctx: Context) -> str:\n    params = ctx.session.client_params\n    return params.clientInfo.name if params else 'nobody'\n\nmcp.run(transport='streamable-http')\n"),
            Program::python("a hook of a middleware, Python", "fastmcp>=2.13,<3", "from fastmcp import FastMCP\nfrom fastmcp.server.middleware import Middleware\n\nclass Greets(Middleware):\n    async def on_initialize(self, context, call_next):\n        print('hello')\n        return await call_next(context)\n\nmcp = FastMCP('desk', middleware=[Greets()])\n\n@mcp.tool\ndef now() -> str:\n    return 'noon'\n\nmcp.run(transport='http')\n"),
            Program::rust("a hook of the handler, Rust", "rmcp=1.4", RUST_HOOK),
            Program::v1("a helper in another file").stateful(&tool("console.error(clientOf(server));").replace("import { z }", "import { clientOf } from './client.js';\nimport { z }")).file("src/client.ts", r"
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function clientOf(server: McpServer) { return server.server.getClientVersion()?.name; }
"),
        ],
    );
}

#[test]
fn no_handshake() {
    silent(
        "handshake-client-info",
        &[
            Program::v1("a hook of something else").stateful(
                &tool("console.error(id);").replace("  return server;\n}\n", "  const board = { oninitialized: () => {} };\n  board.oninitialized = () => { console.error('ready'); };\n  return server;\n}\n"),
            ),
            Program::v1("a hook that is taken off").stateful(&tool("console.error(id);").replace("  return server;\n}\n", "  server.server.oninitialized = undefined;\n  return server;\n}\n")),
            Program::v1("what a client learns of its server").ts(r"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const client = new Client({ name: 'desk', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: 'server' }));
console.log(client.getServerVersion(), client.getServerCapabilities());
"),
            Program::v1("the version of a database client")
                .stateful(
                    &tool("console.error(db.getClientVersion());")
                        .replace("import { z }", "import { db } from './db.js';\nimport { z }"),
                )
                .file("src/db.ts", "export const db = { getClientVersion() { return '16'; } };\n"),
        ],
    );
}

#[test]
fn asks_its_client() {
    let asks = |name, body| Program::v1(name).facet("server-initiated").stateful(&tool(body));
    speaks(
        "server-initiated-request",
        Severity::Note,
        &[
            asks("elicitation", "const answer = await server.server.elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }); if (answer.action !== 'accept') throw new Error('cancelled');"),
            asks("sampling", "await server.server.createMessage({ messages: [], maxTokens: 10 });"),
            asks("roots", "const { roots } = await server.server.listRoots(); console.error(roots.length);"),
            asks("by hand", "await extra.sendRequest({ method: 'sampling/createMessage', params: { messages: [], maxTokens: 10 } }, z.any());"),
            asks("ping", "await server.server.ping();"),
            Program::v2("the context of the second SDK").facet("server-initiated").ts(r"
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import * as z from 'zod';
const server = new McpServer({ name: 'desk', version: '1.0.0' });
server.registerTool('remove', { inputSchema: z.object({ id: z.string() }) }, async ({ id }, ctx) => {
  const answer = await ctx.mcpReq.elicitInput({ mode: 'form', message: `Delete ${id}?`, requestedSchema: { type: 'object', properties: {} } });
  return { content: [{ type: 'text', text: answer.action }] };
});
const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
await server.connect(transport);
createServer((q, s) => void transport.handleRequest(q, s)).listen(3000);
"),
        ],
    );
}

#[test]
fn asks_nobody() {
    silent(
        "server-initiated-request",
        &[
            Program::v1("methods of others with the same names").stateful(&tool("await redis.ping(); await model.createMessage(id); await volumes.listRoots();").replace("import { z }", "import { redis, model, volumes } from './others.js';\nimport { z }")).file("src/others.ts", "export const redis = { async ping() {} };\nexport const model = { async createMessage(text: string) { return text; } };\nexport const volumes = { async listRoots() { return []; } };\n"),
            Program::v1("progress of a running request").stateful(&tool("await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });")),
Program::v1("elicitation over stdio alone").stdio(&tool("await server.server.elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });")),
        ],
    );
}
