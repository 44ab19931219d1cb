//! Sessions and identities that programs keep in ways of their own: transports they write themselves, ids in paths, callers that
//! middleware puts on the request, handlers whose first parameter has a name that routes use too.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const HONO: &str = r#"{"name":"ask","type":"module","dependencies":{"@modelcontextprotocol/sdk":"^1.20.0","hono":"^4.0.0","zod":"^3.25.0"}}"#;

/// A transport of one's own, in a module of its own.
const PIPE: &str = r"
import { randomUUID } from 'node:crypto';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { SSEStreamingApi } from 'hono/streaming';
export class Pipe implements Transport {
  private readonly key = randomUUID();
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  constructor(private readonly path: string, private readonly stream: SSEStreamingApi) {}
  get sessionId(): string { return this.key; }
  async start() { await this.stream.writeSSE({ event: 'endpoint', data: `${this.path}?sessionId=${this.key}` }); }
  async send(message: JSONRPCMessage) { await this.stream.writeSSE({ event: 'message', data: JSON.stringify(message) }); }
  async close() { this.onclose?.(); }
  async handlePost(body: unknown) { this.onmessage?.(body as JSONRPCMessage); }
}
";
const SERVER: &str = r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export const server = new McpServer({ name: 'ask', version: '1.0.0' });
server.registerTool('ask', { description: 'Asks' }, async () => ({ content: [{ type: 'text', text: 'yes' }] }));
";
/// A protocol of one's own over HTTP+SSE, with the id in the path.
const STREAMS: &str = r#"
const express = require('express');
const app = express();
app.use(express.json());
const open = new Map();
app.get('/sse', (req, res) => {
  const id = Date.now().toString();
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  open.set(id, res);
  res.write(`event: endpoint\ndata: messages/${id}\n\n`);
  req.on('close', () => open.delete(id));
});
app.post('/messages/:sessionId', (req, res) => {
  const stream = open.get(req.params.sessionId);
  if (!stream) return res.status(404).end();
  const { id, method } = req.body;
  if (method === 'tools/list') stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })}\n\n`);
  res.status(202).end();
});
app.listen(3000);
"#;

#[test]
fn transports_of_ones_own() {
    speaks(
        "session-transport-map",
        Severity::Warning,
        &[
            Program::bare("a class, and a repository of its instances", HONO)
                .category("transport-map")
                .facet("sse-legacy")
                .store("open:transport:drop:refused")
                .file("src/pipe.ts", PIPE)
                .file("src/server.ts", SERVER)
                .file("src/pipes.ts", r"
import type { Pipe } from './pipe.js';
export class Pipes {
  private open: Record<string, Pipe> = {};
  add(pipe: Pipe) { this.open[pipe.sessionId] = pipe; }
  get(id: string) { return this.open[id]; }
  remove(id: string) { delete this.open[id]; }
}
")
                .ts(r"
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Pipe } from './pipe.js';
import { Pipes } from './pipes.js';
import { server } from './server.js';
const pipes = new Pipes();
const app = new Hono();
app.get('/sse', (c) => streamSSE(c, async (stream) => {
  const pipe = new Pipe('/messages', stream);
  pipes.add(pipe);
  stream.onAbort(() => pipes.remove(pipe.sessionId));
  await server.connect(pipe);
}));
app.post('/messages', async (c) => {
  const pipe = pipes.get(c.req.query('sessionId') ?? '');
  if (!pipe) return c.text('gone', 404);
  await pipe.handlePost(await c.req.json());
  return c.text('ok', 202);
});
export default app;
"),
            Program::bare("the id in the path", r#"{"name":"hand","dependencies":{"express":"^4.18.0"}}"#)
                .category("transport-map")
                .store("open:transport:drop:refused")
                .js(STREAMS),
            Program::bare("the id in the path, asked for by name", HONO)
                .category("transport-map")
                .store("open:transport:drop:refused")
                .ts(r"
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { Hono } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
const app = new Hono();
const open = new Map<string, SSEStreamingApi>();
app.get('/sse', (c) => streamSSE(c, async (stream) => {
  const id = crypto.randomUUID();
  open.set(id, stream);
  await stream.writeSSE({ event: 'endpoint', data: `/messages/${id}` });
}));
app.post('/messages/:sessionId', async (c) => {
  const stream = open.get(c.req.param('sessionId'));
  if (!stream) return c.text('gone', 404);
  const { id, method } = (await c.req.json()) as JSONRPCMessage & { id: number; method: string };
  if (method === 'tools/list') await stream.writeSSE({ event: 'message', data: JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }) });
  return c.text('ok', 202);
});
export default app;
"),
            Program::bare("a handler that is forked for each session", r#"{"name":"hand","type":"module"}"#)
                .category("transport-map")
                .store("sessions:transport:drop:refused")
                .ts(r"
import { Engine } from './engine.js';
const engine = new Engine();
engine.offer({ name: 'now', run: async () => 'noon' });
const sessions = new Map<string, Engine>();
Deno.serve(async (request: Request) => {
  const message = await request.json();
  const id = request.headers.get('Mcp-Session-Id');
  if (id) {
    const session = sessions.get(id);
    return session ? Response.json(await session.answer(message)) : new Response(null, { status: 404 });
  }
  const fresh = crypto.randomUUID();
  const session = engine.fork();
  sessions.set(fresh, session);
  return Response.json(await session.answer(message), { headers: { 'Mcp-Session-Id': fresh } });
});
")
                .file("src/engine.ts", r"
interface Tool { name: string; run(args: unknown): Promise<string> }
export class Engine {
  private tools = new Map<string, Tool>();
  private initialized = false;
  offer(tool: Tool) { this.tools.set(tool.name, tool); }
  fork() {
    const copy = new Engine();
    for (const tool of this.tools.values()) copy.offer(tool);
    return copy;
  }
  async answer(message: { id: number; method: string; params: { name: string; arguments: unknown } }) {
    if (message.method === 'initialize') { this.initialized = true; return { jsonrpc: '2.0', id: message.id, result: {} }; }
    if (message.method === 'tools/list') return { jsonrpc: '2.0', id: message.id, result: { tools: [...this.tools.keys()] } };
    return { jsonrpc: '2.0', id: message.id, result: await this.tools.get(message.params.name)!.run(message.params.arguments) };
  }
}
"),
        ],
    );
}

#[test]
fn no_transports() {
    silent(
        "session-transport-map",
        &[
            Program::v1("chats by the id in the path, streamed").category("none").stdio("export { server as s } from './ask.js';\nimport { server } from './ask.js';\nexport const buildServer = () => server;\n").file("src/ask.ts", SERVER).file("src/web.ts", r"
import express from 'express';
const chats = new Map<string, string[]>();
const app = express();
app.get('/chats/:sessionId', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const line of chats.get(req.params.sessionId) ?? []) res.write(`data: ${line}\n\n`);
});
app.listen(4000);
"),
            Program::bare("a relay's own sessions, asked for by name in a stream that is not the protocol's", HONO).ts(r"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Hono } from 'hono';
const relays = new Map<string, { client: Client; seen: number }>();
const app = new Hono();
app.post('/api/connect', (c) => {
  const sessionId = crypto.randomUUID();
  relays.set(sessionId, { client: new Client({ name: 'relay', version: '1.0.0' }), seen: 0 });
  return c.json({ sessionId });
});
app.get('/api/events', (c) => {
  const relay = relays.get(c.req.query('sessionId') ?? '');
  return relay ? c.body('', 200, { 'Content-Type': 'text/event-stream' }) : c.text('gone', 404);
});
export default app;
"),
            Program::v1("a client's transport that waits for the endpoint").ts(r"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
class Wire {
  sessionId = '';
  onmessage?: (message: unknown) => void;
  constructor(private readonly source: EventSource) {}
  async start() { this.source.addEventListener('endpoint', (event) => { this.sessionId = String(event); }); }
  async send(message: unknown) { await fetch('/messages', { method: 'POST', body: JSON.stringify(message) }); }
  async close() { this.source.close(); }
  handle(message: unknown) { this.onmessage?.(message); }
}
const wires = new Map<string, Wire>();
const wire = new Wire(new EventSource('/sse'));
wires.set(wire.sessionId, wire);
await new Client({ name: 'c', version: '1.0.0' }).connect(wire as never);
"),
        ],
    );
}

#[test]
fn an_upstream_for_each_id_in_the_path() {
    speaks(
        "session-gateway",
        Severity::Error,
        &[Program::commonjs("a strategy that opens a client for each stream").category("gateway").js(
            &STREAMS
                .replace("const app = express();", "const { Upstreams } = require('./upstreams');\nconst upstreams = new Upstreams();\nconst app = express();")
                .replace("res.write(`event: endpoint", "upstreams.open(id);\n  res.write(`event: endpoint")
                .replace("if (method === 'tools/list') ", "upstreams.send(req.params.sessionId, req.body);\n  if (method === 'ping') "),
        )
        .file("upstreams.js", r"
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
exports.Upstreams = class Upstreams {
  clients = new Map();
  async open(id) {
    const client = new Client({ name: 'relay', version: '1.0.0' });
    this.clients.set(id, client);
    await client.connect(new StreamableHTTPClientTransport(new URL(process.env.UPSTREAM)));
  }
  async send(id, message) { return this.clients.get(id).request(message); }
};
")],
    );
}

#[test]
fn handlers_of_a_server_that_comes_as_a_parameter() {
    speaks(
        "session-keyed-state",
        Severity::Error,
        &[Program::v1("subscriptions, three files from the server").category("app-state").store("watched:subscription:manual:collapsed").file("src/desk.ts", r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { offer } from './offers/index.js';
import { Watchers } from './watchers.js';
export class Desk {
  server = new McpServer({ name: 'desk', version: '1.0.0' });
  watchers = new Watchers();
  init() { offer(this); }
}
").file("src/offers/contracts.ts", r"
import { SubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Desk } from '../desk.js';
export function contracts(desk: Desk) {
  desk.server.server.setRequestHandler(SubscribeRequestSchema, async (request, extra) => {
    desk.watchers.add(extra.sessionId || 'default', request.params.uri);
    return {};
  });
}
").file("src/offers/index.ts", "import type { Desk } from '../desk.js';\nimport { contracts } from './contracts.js';\nexport function offer(desk: Desk) { contracts(desk); }\n").file("src/watchers.ts", r"
export class Watchers {
  private watched = new Map<string, Set<string>>();
  add(session: string, uri: string) {
    if (!this.watched.has(session)) this.watched.set(session, new Set());
    this.watched.get(session)!.add(uri);
  }
}
").ts(r"
import express from 'express';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { Desk } from './desk.js';
const desk = new Desk();
desk.init();
const open = new Map<string, SSEServerTransport>();
const app = express();
app.get('/sse', async (_req, res) => {
  const transport = new SSEServerTransport('/messages', res);
  open.set(transport.sessionId, transport);
  await desk.server.connect(transport);
});
app.post('/messages', async (req, res) => { await open.get(String(req.query.sessionId))?.handlePostMessage(req, res, req.body); });
app.listen(3000);
")],
    );
}

/// A server for each session that is given what a route takes from its request.
fn captured(guard: &str, taken: &str, generator: &str) -> String {
    format!(
        r"
import {{ randomUUID }} from 'node:crypto';
import express, {{ type Request }} from 'express';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {{ accounts }} from './accounts.js';
interface Known extends Request {{ caller?: {{ name: string }}; began?: number }}
const live = new Map<string, StreamableHTTPServerTransport>();
const app = express();
{guard}
function build(who: {{ name: string }} | number | undefined) {{
  const server = new McpServer({{ name: 'mail', version: '1.0.0' }});
  server.registerTool('who', {{ description: 'Who' }}, async () => ({{ content: [{{ type: 'text', text: JSON.stringify(who) }}] }}));
  return server;
}}
app.post('/mcp', async (req: Known, res) => {{
  const known = live.get(String(req.headers['mcp-session-id']));
  if (known) return void (await known.handleRequest(req, res, req.body));
  const transport = new StreamableHTTPServerTransport({{
    sessionIdGenerator: {generator},
    onsessioninitialized: (id) => {{ live.set(id, transport); }},
  }});
  await build({taken}).connect(transport);
  await transport.handleRequest(req, res, req.body);
}});
app.listen(3000);
"
    )
}

const ACCOUNTS: &str = "export const accounts = { async owner(token: string): Promise<{ name: string } | undefined> { return process.env[token] ? { name: token } : undefined; } };\n";
const GUARD: &str = r"
app.use(async (req: Known, res, next) => {
  const bearer = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1];
  req.began = Date.now();
  const owner = await accounts.owner(bearer ?? '');
  if (!owner) return void res.status(401).end();
  req.caller = owner;
  next();
});";
const RANDOM: &str = "() => randomUUID()";

#[test]
fn callers_that_middleware_puts_on_the_request() {
    let role = GUARD.replace("req.caller = owner;", "(req as any).role = owner.name;");
    speaks(
        "session-bound-auth",
        Severity::Error,
        &[
            Program::v1("the caller, captured by the server of the session")
                .category("auth")
                .file("src/accounts.ts", ACCOUNTS)
                .ts(&captured(GUARD, "req.caller", RANDOM)),
            Program::v1("a role, under a cast").category("auth").file("src/accounts.ts", ACCOUNTS).ts(&captured(
                &role,
                "{ name: (req as any).role }",
                RANDOM,
            )),
        ],
    );
    silent(
        "session-bound-auth",
        &[
            Program::v1("when a request began, noted by who checks the bearer")
                .category("transport-map")
                .allow("session-transport-map")
                .allow("session-transport-setup")
                .file("src/accounts.ts", ACCOUNTS)
                .ts(&captured(GUARD, "req.began", RANDOM)),
            Program::v1("what something that reads no credential puts there")
                .category("transport-map")
                .allow("session-transport-map")
                .allow("session-transport-setup")
                .file("src/accounts.ts", ACCOUNTS)
                .ts(&captured(
                    "app.use(async (req: Known, _res, next) => { req.caller = await accounts.owner('all'); next(); });",
                    "req.caller",
                    RANDOM,
                )),
            Program::v1("the caller of each request, for the server of that request")
                .allow("dead-session-code")
                .file("src/accounts.ts", ACCOUNTS)
                .ts(&captured(GUARD, "req.caller", "undefined")),
        ],
    );
}
