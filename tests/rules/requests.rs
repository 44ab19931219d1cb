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

#[test]
fn handshake() {
    speaks(
        "handshake-client-info",
        Severity::Note,
        &[
            Program::v1("the client's name").stateful(&tool("const client = server.server.getClientVersion()?.name ?? 'unknown'; if (client === 'desk') console.error('rich');")),
            Program::v1("the client's capabilities").stateful(&tool("const { elicitation } = server.server.getClientCapabilities() ?? {}; if (!elicitation) console.error('plain');")),
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
