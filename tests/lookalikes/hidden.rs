//! Sessions that no search for words finds, with the category that they must get.

use crate::program::{Program, findings, report};

fn found(programs: &[Program]) {
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        for problem in program.problems(&answer) {
            problems.push(format!("{}: {problem} (findings: {:?})", program.name, findings(&answer)));
        }
    }
    report(&problems);
}

/// A tool whose state is reached by `body`.
fn server(top: &str, body: &str) -> String {
    format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
{top}
export function buildServer() {{
  const server = new McpServer({{ name: 'desk', version: '1.0.0' }});
  server.registerTool('work', {{ inputSchema: {{ text: z.string() }} }}, async (args, extra) => {{
    {body}
    return {{ content: [{{ type: 'text', text: args.text }}] }};
  }});
  return server;
}}
"
    )
}

/// A route with sessions: `open` runs for a new one, `call` for each request with a known `sid`.
fn route(top: &str, open: &str, initialized: &str, call: &str) -> String {
    format!(
        r"
import {{ randomUUID }} from 'node:crypto';
import express from 'express';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {{ isInitializeRequest }} from '@modelcontextprotocol/sdk/types.js';
import {{ z }} from 'zod';
{top}
const transports: Record<string, StreamableHTTPServerTransport> = {{}};
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {{
  const sid = req.headers['mcp-session-id'] as string | undefined;
  if (sid && transports[sid]) {{
    {call}
    await transports[sid].handleRequest(req, res, req.body);
    return;
  }}
  if (!isInitializeRequest(req.body)) {{ res.status(400).end(); return; }}
  {open}
  const transport = new StreamableHTTPServerTransport({{
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {{ transports[id] = transport; {initialized} }},
  }});
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
}});
app.listen(3000);
"
    )
}

#[test]
fn factory_closures() {
    found(&[
        Program::v1("objects made in the initialize branch").category("app-state").store("history:app-state:handle:lost").ts(&route(
            "function make(history: string[]) { const server = new McpServer({ name: 'x', version: '1' }); server.registerTool('say', { inputSchema: { text: z.string() } }, async ({ text }) => { history.push(text); return { content: [{ type: 'text', text: history.join() }] }; }); return server; }",
            "const history: string[] = []; const server = make(history);",
            "",
            "",
        )),
        Program::with("a browser per session", "playwright").category("app-state").ts(&route(
            "import { chromium, type Browser } from 'playwright';\nfunction make() { let browser: Browser | undefined; const server = new McpServer({ name: 'x', version: '1' }); server.registerTool('goto', { inputSchema: { url: z.string() } }, async ({ url }) => { browser ??= await chromium.launch(); const page = browser.contexts()[0]?.pages()[0] ?? (await browser.newPage()); await page.goto(url); return { content: [{ type: 'text', text: await page.title() }] }; }); return server; }",
            "const server = make();",
            "",
            "",
        )).store("browser:app-state:handle:lost"),
        Program::v1("a bearer of the first request").category("auth").ts(&route(
            "function make(token: string) { const server = new McpServer({ name: 'x', version: '1' }); server.registerTool('me', { description: 'me' }, async () => { const r = await fetch('https://api.example/me', { headers: { authorization: `Bearer ${token}` } }); return { content: [{ type: 'text', text: await r.text() }] }; }); return server; }",
            "const token = (req.headers.authorization ?? '').replace('Bearer ', ''); const server = make(token);",
            "",
            "",
        )),
        Program::v1("the same, the header handed to a client class").category("auth").file("src/github.ts", "export class GitHub { constructor(private readonly options: { auth: string }) {} async user() { return (await fetch('https://api.example/user', { headers: { authorization: this.options.auth } })).text(); } }\n").ts(&route(
            "import { GitHub } from './github.js';\nfunction make(github: GitHub) { const server = new McpServer({ name: 'x', version: '1' }); server.registerTool('me', { description: 'me' }, async () => ({ content: [{ type: 'text', text: await github.user() }] })); return server; }",
            "const server = make(new GitHub({ auth: String(req.headers['authorization']) }));",
            "",
            "",
        )),
Program::v1("a store found by a middleware, read through AsyncLocalStorage")
.category("app-state")
.file("src/context.ts", "import { AsyncLocalStorage } from 'node:async_hooks';\nexport interface State { notes: string[] }\nexport const als = new AsyncLocalStorage<State>();\nexport const current = () => als.getStore()!;\n")
.file("src/tools.ts", r"
import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { current } from './context.js';
export function register(server: McpServer) {
  server.registerTool('note', { inputSchema: { text: z.string() } }, async ({ text }) => { current().notes.push(text); return { content: [{ type: 'text', text: current().notes.join() }] }; });
}
")
.ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { als, type State } from './context.js';
import { register } from './tools.js';
const server = new McpServer({ name: 'x', version: '1.0.0' });
register(server);
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await server.connect(transport);
const states = new Map<string, State>();
const app = express();
app.use(express.json());
app.post('/mcp', (req, res) => {
  const id = req.get('Mcp-Session-Id') ?? '';
  let state = states.get(id);
  if (!state) { state = { notes: [] }; states.set(id, state); }
  return als.run(state, () => transport.handleRequest(req, res, req.body));
});
app.listen(3000);
")
.store("states:app-state:handle:collapsed"),
    ]);
}

#[test]
fn object_identity() {
    found(&[
        Program::v1("a WeakMap by transport, in the state module").category("app-state").file("src/state.ts", r"
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
const notes = new WeakMap<Transport, string[]>();
export function notesOf(transport: Transport) { let mine = notes.get(transport); if (!mine) { mine = []; notes.set(transport, mine); } return mine; }
").stateful(&server("import { notesOf } from './state.js';", "notesOf(server.server.transport!).push(args.text);")).store("notes:app-state:handle:lost"),
    ]);
}

#[test]
fn ambient_context() {
    found(&[]);
}

/// A table by server in CommonJS, and an id that a route puts into `_meta`.
#[test]
fn by_other_roads() {
    found(&[
        Program::commonjs("a Map by server, JavaScript, HTTP+SSE").category("app-state").js(r"
const express = require('express');
const { z } = require('zod');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { SSEServerTransport } = require('@modelcontextprotocol/sdk/server/sse.js');
const carts = new Map();
const open = {};
function make() {
  const server = new McpServer({ name: 'x', version: '1.0.0' });
  carts.set(server, []);
  server.tool('add', { sku: z.string() }, async ({ sku }) => { carts.get(server).push(sku); return { content: [{ type: 'text', text: carts.get(server).join() }] }; });
  return server;
}
const app = express();
app.get('/sse', async (_req, res) => { const t = new SSEServerTransport('/in', res); open[t.sessionId] = t; await make().connect(t); });
app.post('/in', (req, res) => open[req.query.sessionId].handlePostMessage(req, res));
app.listen(3001);
").store("carts:app-state:handle:lost"),
        Program::v1("smuggled through _meta").category("app-state").ts(&route(
    "const jobs = new Map<string, string>();\nfunction make() { const server = new McpServer({ name: 'x', version: '1' }); server.registerTool('job', { inputSchema: { name: z.string() } }, async ({ name }, extra) => { const key = `${extra._meta?.sid}/${name}`; jobs.set(key, `${jobs.get(key) ?? ''}!`); return { content: [{ type: 'text', text: jobs.get(key)! }] }; }); return server; }",
    "const server = make();",
    "",
    "req.body.params._meta = { ...req.body.params._meta, sid: transports[sid].sessionId };",
)),
    ]);
}

#[test]
fn renamed_ids() {
    let state = |name, top: &str, body: &str| Program::v1(name).category("app-state").stateful(&server(top, body));
    found(&[
        state(
            "sid",
            "const notes: Record<string, string[]> = {};",
            "const sid = extra.sessionId!; (notes[sid] ??= []).push(args.text);",
        ),
        state(
            "owner, through an object",
            "const notes = new Map<string, string[]>();\nconst callOf = (e: { sessionId?: string }) => ({ owner: e.sessionId! });",
            "const call = callOf(extra); notes.set(call.owner, [...(notes.get(call.owner) ?? []), args.text]);",
        ),
        state(
            "positional, through three helpers",
            "const notes = new Map<string, string[]>();\nfunction a(x: string, y: string) { return b(y, x); }\nfunction b(text: string, key: string) { return c({ key, text }); }\nfunction c(entry: { key: string; text: string }) { const list = notes.get(entry.key) ?? []; list.push(entry.text); notes.set(entry.key, list); return list; }",
            "a(extra.sessionId!, args.text);",
        ),
        state(
            "contextId, a cast",
            "const notes = new Map<string, string[]>();",
            "const contextId = (extra as any)?.sessionId as string; const list = notes.get(contextId) ?? []; list.push(args.text); notes.set(contextId, list);",
        ),
        state(
            "a getter of a class",
            "const notes = new Map<string, string[]>();\nclass Call { constructor(private readonly e: { sessionId?: string }) {} get key() { return this.e.sessionId!; } }",
            "const call = new Call(extra); const list = notes.get(call.key) ?? []; list.push(args.text); notes.set(call.key, list);",
        ),
        state(
            "a repository behind an interface",
            "interface Repository { find(id: string): string[] | undefined; save(id: string, notes: string[]): void }\nclass Memory implements Repository { private readonly rows = new Map<string, string[]>(); find(id: string) { return this.rows.get(id); } save(id: string, notes: string[]) { this.rows.set(id, notes); } }\nconst repository: Repository = new Memory();",
            "const list = repository.find(extra.sessionId!) ?? []; list.push(args.text); repository.save(extra.sessionId!, list);",
        ),
        Program::v1("threaded into every handler and used nowhere").category("transport-map").stateful(&server(
            "function work(text: string, _sessionId?: string) { return text; }",
            "work(args.text, extra.sessionId);",
        )),
Program::bare("an agent object per session", r#"{"name":"desk","type":"module","dependencies":{"agents":"^0.2.0","@modelcontextprotocol/sdk":"^1.20.0","zod":"^3.25.0"}}"#).category("app-state").ts(r"
import { McpAgent } from 'agents/mcp';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
export class Desk extends McpAgent<unknown, { open?: string }> {
  server = new McpServer({ name: 'desk', version: '1.0.0' });
  async init() {
    this.server.registerTool('open', { inputSchema: { id: z.string() } }, async ({ id }) => { this.setState({ open: id }); return { content: [{ type: 'text', text: id }] }; });
    this.server.registerTool('close', { description: 'Closes' }, async () => ({ content: [{ type: 'text', text: this.state.open ?? '' }] }));
  }
}
export default Desk.serve('/mcp');
"),
Program::with("a map that is spread by Redis", "ioredis").category("transport-map|gateway").file("src/server.ts", &server("", "console.error(args.text);")).ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import Redis from 'ioredis';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const redis = new Redis();
const me = process.env.HOSTNAME ?? '';
const local = new Map<string, StreamableHTTPServerTransport>();
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const sid = req.get('mcp-session-id');
  if (sid) {
    const owner = await redis.get(`mcp:owner:${sid}`);
    if (owner && owner !== me) { const r = await fetch(`http://${owner}/mcp`, { method: 'POST', body: JSON.stringify(req.body), headers: { 'mcp-session-id': sid } }); res.status(r.status).send(await r.text()); return; }
    await local.get(sid)?.handleRequest(req, res, req.body);
    return;
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized: async (id) => { local.set(id, transport); await redis.set(`mcp:owner:${id}`, me); } });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
Program::with("mcp-handler, the id of the context", "mcp-handler").category("app-state").file("app/api/[transport]/route.ts", "import { createMcpHandler } from 'mcp-handler';\nconst carts = new Map<string, string[]>();\nconst handler = createMcpHandler((server) => {\n  server.tool('add', 'Adds', {}, async (_args, extra) => { const c = carts.get(extra.sessionId!) ?? []; c.push('x'); carts.set(extra.sessionId!, c); return { content: [{ type: 'text', text: c.join() }] }; });\n}, {}, { redisUrl: process.env.REDIS_URL });\nexport { handler as GET, handler as POST };\n").store("carts:app-state:handle:collapsed"),
Program::with("a token in the props of an agent per session", "agents").category("auth").ts("import { McpAgent } from 'agents/mcp';\nimport { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nexport class Desk extends McpAgent<unknown, unknown, { accessToken: string }> {\n  server = new McpServer({ name: 'desk', version: '1.0.0' });\n  async init() {\n    this.server.registerTool('me', { description: 'Who am I' }, async () => { const r = await fetch('https://api.example/me', { headers: { authorization: `Bearer ${this.props.accessToken}` } }); return { content: [{ type: 'text', text: await r.text() }] }; });\n  }\n}\nexport default Desk.serve('/mcp');\n"),
    ]);
}

/// One transport with sessions, `server` of `make`; what stands around a store in real servers.
fn around(make: &str) -> String {
    format!(
        r"
import express from 'express';
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ Server }} from '@modelcontextprotocol/sdk/server/index.js';
import {{ CallToolRequestSchema }} from '@modelcontextprotocol/sdk/types.js';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
{make}
const transport = new StreamableHTTPServerTransport({{ sessionIdGenerator: () => crypto.randomUUID() }});
await server.connect(transport);
express().all('/mcp', (req, res) => transport.handleRequest(req, res)).listen(3000);
"
    )
}

#[test]
fn layers_around_a_store() {
    let state = |name, make: &str| Program::v1(name).category("app-state").ts(&around(make));
    found(&[
        state("a table in SQL", "import Database from 'better-sqlite3';\nconst db = new Database('carts.db');\nconst server = new McpServer({ name: 'x', version: '1' });\nserver.registerTool('add', { inputSchema: { sku: z.string() } }, async ({ sku }, extra) => { db.prepare('INSERT INTO carts (session_id, sku) VALUES (?, ?)').run(extra.sessionId, sku); const rows = db.prepare('SELECT sku FROM carts WHERE session_id = ?').all(extra.sessionId); return { content: [{ type: 'text', text: JSON.stringify(rows) }] }; });"),
        state("an array that is searched by the id", "const sessions: { id: string; cart: string[] }[] = [];\nconst server = new McpServer({ name: 'x', version: '1' });\nserver.registerTool('add', { inputSchema: { sku: z.string() } }, async ({ sku }, extra) => { let s = sessions.find((s) => s.id === extra.sessionId); if (!s) { s = { id: extra.sessionId!, cart: [] }; sessions.push(s); } s.cart.push(sku); return { content: [{ type: 'text', text: s.cart.join() }] }; });").store("sessions:app-state:handle:collapsed"),
        state("a record that is copied with a computed key", "let current: Record<string, number> = {};\nconst server = new McpServer({ name: 'x', version: '1' });\nserver.registerTool('count', { inputSchema: { n: z.number() } }, async ({ n }, extra) => { current = { ...current, [extra.sessionId!]: n }; return { content: [{ type: 'text', text: String(current[extra.sessionId!]) }] }; });").store("current:app-state:*:collapsed"),
        state("a table of tools, registered in a loop", "const carts = new Map<string, string[]>();\nconst tools = [{ name: 'add', config: { inputSchema: { sku: z.string() } }, handler: async (args: any, extra: any) => { const c = carts.get(extra.sessionId) ?? []; c.push(args.sku); carts.set(extra.sessionId, c); return { content: [] }; } }];\nconst server = new McpServer({ name: 'x', version: '1' });\nfor (const tool of tools) server.registerTool(tool.name, tool.config, tool.handler);").store("carts:app-state:handle:collapsed"),
        state("a record of handlers, low level", "const carts = new Map<string, string[]>();\nconst handlers: Record<string, (args: any, sid: string) => Promise<any>> = { add: async (args, sid) => { const c = carts.get(sid) ?? []; c.push(args.sku); carts.set(sid, c); return { content: [] }; } };\nconst server = new Server({ name: 'x', version: '1' }, { capabilities: { tools: {} } });\nserver.setRequestHandler(CallToolRequestSchema, async (request, extra) => handlers[request.params.name](request.params.arguments, extra.sessionId ?? 'default'));").store("carts:app-state:handle:collapsed"),
        state("a manager that exists once", "class SessionManager { private static instance: SessionManager; private sessions = new Map<string, { project?: string }>(); static getInstance() { if (!this.instance) this.instance = new SessionManager(); return this.instance; } get(id: string) { if (!this.sessions.has(id)) this.sessions.set(id, {}); return this.sessions.get(id)!; } }\nconst server = new McpServer({ name: 'x', version: '1' });\nserver.tool('use_project', { project: z.string() }, async ({ project }, { sessionId }) => { SessionManager.getInstance().get(sessionId || 'default').project = project; return { content: [] }; });\nserver.tool('build', async ({ sessionId }) => ({ content: [{ type: 'text', text: SessionManager.getInstance().get(sessionId || 'default').project ?? '' }] }));").store("sessions:app-state:*:collapsed"),
        state("a wrapper that hands the state over", "const carts = new Map<string, string[]>();\nconst withCart = <A,>(fn: (args: A, cart: string[]) => Promise<any>) => async (args: A, extra: { sessionId?: string }) => { let c = carts.get(extra.sessionId!); if (!c) { c = []; carts.set(extra.sessionId!, c); } return fn(args, c); };\nconst server = new McpServer({ name: 'x', version: '1' });\nserver.registerTool('add', { inputSchema: { sku: z.string() } }, withCart(async ({ sku }: { sku: string }, cart) => { cart.push(sku); return { content: [] }; }));").store("carts:app-state:handle:collapsed"),
        state("a handler declared below", "const carts = new Map<string, string[]>();\nconst server = new McpServer({ name: 'x', version: '1' });\nserver.registerTool('add', { inputSchema: { sku: z.string() } }, addItem);\nasync function addItem({ sku }: { sku: string }, extra: any) { const key = extra.sessionId ? `s:${extra.sessionId}` : 's:none'; carts.set(key, [...(carts.get(key) ?? []), sku]); return { content: [] }; }").store("carts:app-state:handle:collapsed"),
        Program::with("fastmcp, the id of its context", "fastmcp").category("app-state").ts("import { FastMCP } from 'fastmcp';\nimport { z } from 'zod';\nconst carts = new Map<string, string[]>();\nconst server = new FastMCP({ name: 'n', version: '1.0.0' });\nserver.addTool({ name: 'add', description: 'd', parameters: z.object({ sku: z.string() }), execute: async ({ sku }, { sessionId }) => { const c = carts.get(sessionId!) ?? []; c.push(sku); carts.set(sessionId!, c); return c.join(); } });\nserver.start({ transportType: 'httpStream', httpStream: { port: 8080 } });\n").store("carts:app-state:handle:*"),
        Program::with("NestJS, the header as a decorated parameter", "@nestjs/common").category("transport-map").ts("import { Controller, Headers, Post, Req, Res } from '@nestjs/common';\nimport type { Request, Response } from 'express';\nimport { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nimport { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';\n@Controller('mcp')\nexport class McpController {\n  private readonly transports = new Map<string, StreamableHTTPServerTransport>();\n  @Post()\n  async post(@Headers('mcp-session-id') sid: string | undefined, @Req() req: Request, @Res() res: Response) {\n    let t = sid ? this.transports.get(sid) : undefined;\n    if (!t) { t = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID(), onsessioninitialized: (s) => { this.transports.set(s, t!); } }); await new McpServer({ name: 'd', version: '1' }).connect(t); }\n    await t.handleRequest(req, res, req.body);\n  }\n}\n").store("transports:transport:drop:refused"),
        state("a base class for tools, the state in a derived one", "abstract class Tool { abstract name: string; abstract execute(args: any, context: { sessionId?: string }): Promise<any>; register(server: McpServer) { server.registerTool(this.name, { inputSchema: { sku: z.string() } }, (args: any, extra: any) => this.execute(args, { sessionId: extra.sessionId })); } }\nclass AddTool extends Tool { name = 'add'; private carts = new Map<string, string[]>(); async execute(args: any, context: { sessionId?: string }) { const c = this.carts.get(context.sessionId!) ?? []; c.push(args.sku); this.carts.set(context.sessionId!, c); return { content: [] }; } }\nconst server = new McpServer({ name: 'x', version: '1' });\nnew AddTool().register(server);").store("carts:app-state:handle:collapsed"),
    ]);
}

#[test]
fn no_generator_and_sessions_all_the_same() {
    found(&[
        Program::v1("the route mints its own ids").category("transport-map|setup-only").file("src/server.ts", &server("", "console.error(args.text);")).ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const known = new Set<string>();
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const sid = req.header('mcp-session-id');
  if (sid && !known.has(sid)) { res.status(404).end(); return; }
  if (!sid) { const fresh = randomUUID(); known.add(fresh); res.setHeader('Mcp-Session-Id', fresh); }
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
        Program::v2("the second SDK, with sessions").category("transport-map").ts(r"
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
const live = new Map<string, NodeStreamableHTTPServerTransport>();
createServer(async (req, res) => {
  const sid = req.headers['mcp-session-id'];
  const known = typeof sid === 'string' ? live.get(sid) : undefined;
  if (known) { await known.handleRequest(req, res); return; }
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID(), onsessioninitialized: (id) => { live.set(id, transport); } });
  await new McpServer({ name: 'x', version: '1.0.0' }).connect(transport);
  await transport.handleRequest(req, res);
}).listen(3000);
"),
        Program::v2("a legacy leg beside the modern entry point").category("transport-map").facet("migrated").ts(r"
import express from 'express';
import { McpServer, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
const build = () => new McpServer({ name: 'x', version: '1.0.0' });
const modern = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
const live: Record<string, NodeStreamableHTTPServerTransport> = {};
const app = express();
app.use(express.json());
app.all('/mcp', async (req, res) => {
  if (!isLegacyRequest(req.body)) { await modern(req, res, req.body); return; }
  const sid = req.headers['mcp-session-id'] as string;
  let transport = live[sid];
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID(), onsessioninitialized: (id) => { live[id] = transport; } });
    await build().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
    ]);
}

#[test]
fn spellings_of_the_header() {
    let by = |name, read: &str| {
        Program::v1(name).category("transport-map").ts(&route(
            "",
            "const server = new McpServer({ name: 'x', version: '1' });",
            "",
            "",
        )
        .replace("req.headers['mcp-session-id'] as string | undefined", read))
    };
    found(&[
        by("upper case", "req.get('MCP-Session-Id')"),
        by("a constant", "req.headers[HEADER] as string").with_constant(),
        by("destructuring", "(({ 'mcp-session-id': id }) => id as string)(req.headers)"),
        by("an array's first", "[req.headers['mcp-session-id']].flat()[0]"),
        by("a text made lower case", "req.headers['Mcp-Session-Id'.toLowerCase()] as string"),
    ]);
}

impl Program {
    /// Declares the constant `HEADER` in a file of its own.
    fn with_constant(self) -> Self {
        self.file("src/header.ts", "export const HEADER = 'mcp-session-id';\n")
            .prepend("src/index.ts", "import { HEADER } from './header.js';\n")
    }
}
