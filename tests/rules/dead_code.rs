//! `dead-session-code`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "dead-session-code";

const CLOCK: &str = r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
}
";

/// A stateless route with `options` for the transport, `body` before it answers and `rest` below.
fn route(options: &str, body: &str, rest: &str) -> String {
    format!(
        r"
import express from 'express';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {{ buildServer }} from './server.js';
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {{
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({{ sessionIdGenerator: undefined{options} }});
  res.on('close', () => {{ void server.close(); }});
  await server.connect(transport);
  {body}
  await transport.handleRequest(req, res, req.body);
}});
{rest}
app.listen(3000);
"
    )
}

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Warning,
        &[
            Program::v2("callbacks that never fire, Hono, second SDK").facet("dead-session-code").ts(r"
import { Hono } from 'hono';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
const app = new Hono();
app.post('/mcp', async (c) => {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    onsessioninitialized: (id) => { console.error('opened', id); },
    onsessionclosed: (id) => { console.error('closed', id); },
  });
  await new McpServer({ name: 'clock', version: '1.0.0' }).connect(transport);
  return transport.handleRequest(c.req.raw);
});
export default app;
"),
            Program::commonjs("a callback as a method, JavaScript").facet("dead-session-code").js(r"
const express = require('express');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, onsessioninitialized(id) { console.error('opened', id); } });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::v1("the header in a CORS list of the file that opens sessions").category("setup-only").file("src/server.ts", CLOCK).ts(&route("", "", "").replace("sessionIdGenerator: undefined", "sessionIdGenerator: () => crypto.randomUUID()").replace("app.use(express.json());", "app.use(cors({ exposedHeaders: ['Mcp-Session-Id'] }), express.json());").replace("import express", "import cors from 'cors';\nimport express")),
Program::v1("a callback that never fires").category("none").facet("dead-session-code").file("src/server.ts", CLOCK).ts(&route(", onsessioninitialized: (id) => console.error('opened', id)", "", "")),
Program::v1("clean-up that never runs").category("none").file("src/server.ts", CLOCK).ts(&route(", onsessionclosed: (id: string) => { files.delete(id); }", "", "const files = new Map<string, string>();")),
Program::v1("a map that is never filled, and a DELETE route over it").category("none").file("src/server.ts", CLOCK).ts(&route("", "", r"
const transports: Record<string, StreamableHTTPServerTransport> = {};
app.delete('/mcp', async (req, res) => {
  const transport = transports[req.headers['mcp-session-id'] as string];
  if (!transport) { res.status(404).end(); return; }
  await transport.handleRequest(req, res);
});
")),
Program::v1("an id that is always empty").category("none").file("src/server.ts", CLOCK).ts(&route("", "if (transport.sessionId) open.set(transport.sessionId, transport);", "const open = new Map<string, StreamableHTTPServerTransport>();")),
Program::v1("the header in a CORS list beside sessions").category("setup-only").file("src/server.ts", CLOCK).file("src/cors.ts", r"
import cors from 'cors';
export const allow = cors({ origin: '*', exposedHeaders: ['Mcp-Session-Id'], allowedHeaders: ['Content-Type', 'mcp-session-id'] });
").ts(&route("", "", "").replace("sessionIdGenerator: undefined", "sessionIdGenerator: () => crypto.randomUUID()").replace("app.use(express.json());", "app.use(allow, express.json());").replace("import express", "import { allow } from './cors.js';\nimport express")),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("the header in a CORS list, and no sessions").category("none").file("src/server.ts", CLOCK).ts(
                &route("", "", "")
                    .replace(
                        "app.use(express.json());",
                        "app.use(express.json(), cors({ exposedHeaders: ['Mcp-Session-Id'] }));",
                    )
                    .replace("import express", "import cors from 'cors';\nimport express"),
            ),
            Program::v1("callbacks of real sessions").category("transport-map").stateful(CLOCK),
            Program::v1("words in comments and texts").category("none").stateless(
                &CLOCK.replace("'noon'", "'Mcp-Session-Id is gone' /* onsessioninitialized, transport.sessionId */"),
            ),
        ],
    );
}
