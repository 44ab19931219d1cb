//! Pairs: what looks like state of a session and is none, beside the state that it looks like.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, findings, report};

fn check(programs: &[Program]) {
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        for problem in program.problems(&answer) {
            problems.push(format!("{}: {problem} (findings: {:?})", program.name, findings(&answer)));
        }
    }
    report(&problems);
}

/// Programs in which these rules find nothing of warning or above.
fn silent(rules: &[&str], programs: &[Program]) {
    check(programs);
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        let loud = answer.findings.iter().filter(|f| f.severity >= Severity::Warning && rules.contains(&f.rule));
        problems.extend(
            loud.map(|f| format!("{}: {} at {}:{}: {}", program.name, f.rule, f.path, f.start.line, f.message)),
        );
    }
    report(&problems);
}

/// `src/server.ts` with a class of `fields` and a client that keeps a cache, registered by a class that wraps the client.
fn wrapped(cache: &str, tool: &str) -> String {
    format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
{cache}
class Client {{
  private teams = new Cache();
  constructor(private readonly token: string) {{}}
  async team(id: string) {{
    if (this.teams.isStale) {{
      const answer = await fetch('https://api.example.com/teams', {{ headers: {{ authorization: this.token }} }});
      this.teams.fill(await answer.json());
    }}
    return this.teams.get(id);
  }}
}}
class TeamTools {{
  constructor(private readonly client: Client) {{}}
  static create(client: Client, server: McpServer) {{
    const tools = new TeamTools(client);
    server.registerTool('get_team', {{ inputSchema: {{ id: z.string() }} }}, async ({{ id }}) => tools.get(id));
    return tools;
  }}
  async get(id: string) {{ {tool} return {{ content: [{{ type: 'text' as const, text: String(await this.client.team(id)) }}] }}; }}
  recent: string[] = [];
}}
export function buildServer() {{
  const server = new McpServer({{ name: 'teams', version: '1.0.0' }});
  TeamTools.create(new Client(process.env.TOKEN ?? ''), server);
  return server;
}}
"
    )
}

const CACHE: &str = r"class Cache {
  private readonly entries = new Map<string, string>();
  private filled = 0;
  get isStale() { return Date.now() - this.filled > 60_000; }
  fill(rows: [string, string][]) { for (const [id, row] of rows) this.entries.set(id, row); this.filled = Date.now(); }
  get(id: string) { return this.entries.get(id); }
}";

/// A class called a cache, which keeps what anybody can fetch again, is no state; a list beside it is.
#[test]
fn caches() {
    silent(
        &["session-scoped-server"],
        &[Program::v1("a cache in a client in a wrapper")
            .category("setup-only|transport-map")
            .stateful(&wrapped(CACHE, ""))],
    );
    check(&[
        Program::v1("a list in the wrapper").category("app-state").stateful(&wrapped(CACHE, "this.recent.push(id);")),
        Program::v1("what a call chose, in a class called a cache").category("app-state").store("results:app-state:handle:lost").stateful(r"
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
class ResultCache {
  private readonly rows = new Map<string, string>();
  put(text: string) { const id = randomUUID(); this.rows.set(id, text); return id; }
  get(id: string) { return this.rows.get(id); }
}
export function buildServer() {
  const server = new McpServer({ name: 'search', version: '1.0.0' });
  const results = new ResultCache();
  server.registerTool('search', { inputSchema: { text: z.string() } }, async ({ text }) => ({ content: [{ type: 'text', text: results.put(text) }] }));
  server.registerTool('page', { inputSchema: { id: z.string() } }, async ({ id }) => ({ content: [{ type: 'text', text: results.get(id) ?? '' }] }));
  return server;
}
"),
    ]);
}

fn reading(field: &str, put: &str) -> String {
    format!(
        r"
import {{ readFile }} from 'node:fs/promises';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ z }} from 'zod';
class LineReader {{
  private readonly {field} = new Map<string, string[]>();
  constructor(private readonly root: string) {{}}
  async lines(path: string) {{
    const known = this.{field}.get(path);
    if (known) return known;
    const lines = (await readFile(`${{this.root}}/${{path}}`, 'utf8')).split('\\n');
    this.{field}.set(path, {put});
    return lines;
  }}
}}
export function buildServer() {{
  const server = new McpServer({{ name: 'lines', version: '1.0.0' }});
  const reader = new LineReader('.');
  server.registerTool('line', {{ inputSchema: {{ path: z.string(), at: z.number() }} }}, async ({{ path, at }}) => ({{
    content: [{{ type: 'text', text: (await reader.lines(path))[at] ?? '' }}],
  }}));
  return server;
}}
"
    )
}

/// An object that keeps nothing but what it computed belongs to the process; what it was told belongs to whoever told it.
#[test]
fn readers_that_keep_what_they_read() {
    check(&[
        Program::v1("a reader with a cache")
            .store("reader:app-state:process:*")
            .stateful(&reading("fileCache", "lines")),
        Program::v1("a reader that keeps what it is told")
            .store("reader:app-state:handle:*")
            .stateful(&reading("fileCache", "[path]")),
        Program::v1("a reader with another list")
            .store("reader:app-state:handle:*")
            .stateful(&reading("opened", "lines")),
    ]);
}

fn through_library(record: &str) -> String {
    format!(
        r"
import {{ randomUUID }} from 'node:crypto';
import {{ spawn }} from 'node:child_process';
import {{ registerAppTool }} from '@modelcontextprotocol/ext-apps/server';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ z }} from 'zod';
class Processes {{
  private readonly running = new Map<string, {{ write(text: string): void }}>();
  start(cmd: string) {{
    const child = spawn(cmd, {{ shell: true }});
    const id = randomUUID();
    this.running.set(id, {{ write: (text) => {{ child.stdin.write(text); }} }});
    return id;
  }}
  write(id: string, text: string) {{ this.running.get(id)!.write(text); }}
}}
const processes = new Processes();
export function buildServer() {{
  const server = new McpServer({{ name: 'shell', version: '1.0.0' }});
  {record}
  registerAppTool(server, 'exec', {{ inputSchema: {{ cmd: z.string() }} }}, async ({{ cmd }}) => ({{ content: [{{ type: 'text', text: processes.start(cmd) }}] }}));
  registerAppTool(server, 'write', {{ inputSchema: {{ id: z.string(), text: z.string() }} }}, async ({{ id, text }}) => {{ processes.write(id, text); return {{ content: [] }}; }});
  return server;
}}
"
    )
}

/// A library that registers on the server it is given: its handlers are handlers.
#[test]
fn registered_through_a_library() {
    silent(
        &["session-gateway", "session-scoped-server", "session-keyed-state"],
        &[Program::with("processes under handles", "@modelcontextprotocol/ext-apps").stateful(&through_library(""))],
    );
    check(&[
        Program::with("a list that such a tool fills", "@modelcontextprotocol/ext-apps").category("app-state").store("said:app-state:handle:lost").stateful(
            &through_library("const said: string[] = []; registerAppTool(server, 'say', { inputSchema: { text: z.string() } }, async ({ text }) => { said.push(text); return { content: [{ type: 'text', text: said.join() }] }; });"),
        ),
        Program::with("a process for each session", "@modelcontextprotocol/ext-apps").category("gateway").stateful(
            &through_library("const child = spawn('python3', ['-i']); registerAppTool(server, 'py', { inputSchema: { text: z.string() } }, async ({ text }) => { child.stdin.write(text); return { content: [] }; });"),
        ),
    ]);
}

/// A class of the program that extends the server: its helpers word answers, its registrations register.
#[test]
fn methods_of_a_server_class() {
    let server = |call: &str| {
        format!(
            r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
class Desk extends McpServer {{
  constructor() {{
    super({{ name: 'desk', version: '1.0.0' }});
    this.addReadTool('look', 'Looks', {{ at: z.string() }}, async ({{ at }}: {{ at: string }}) => {{ {call} return this.createToolResponse(at); }});
  }}
  addReadTool(name: string, description: string, shape: z.ZodRawShape, handler: any) {{ this.tool(name, description, shape, handler); }}
  createToolResponse(text: string) {{ return {{ content: [{{ type: 'text' as const, text }}] }}; }}
}}
export const buildServer = () => new Desk();
"
        )
    };
    silent(&["session-dependent-list"], &[Program::v1("a helper that words answers").stateful(&server(""))]);
    let answer = Program::v1("a tool that adds tools")
        .stateful(&server("this.addReadTool('more', 'More', {}, async () => this.createToolResponse('more'));"))
        .scan();
    assert!(answer.findings.iter().any(|f| f.rule == "session-dependent-list"), "{:?}", findings(&answer));
}

/// Routes of an app are set up once, also by a function that nothing was seen to call.
#[test]
fn functions_that_set_up_routes() {
    let app = |outside: &str, inside: &str| {
        format!(
            r"
import {{ randomUUID }} from 'node:crypto';
import express from 'express';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {{ z }} from 'zod';
function workspaces() {{
  const known = new Map<string, string>();
  return {{ open(root: string) {{ const id = randomUUID(); known.set(id, root); return id; }}, read(id: string) {{ return known.get(id) ?? 'unknown'; }} }};
}}
function build(spaces: ReturnType<typeof workspaces>) {{
  const server = new McpServer({{ name: 'desk', version: '1.0.0' }});
  server.registerTool('open', {{ inputSchema: {{ root: z.string() }} }}, async ({{ root }}) => ({{ content: [{{ type: 'text', text: spaces.open(root) }}] }}));
  server.registerTool('read', {{ inputSchema: {{ id: z.string() }} }}, async ({{ id }}) => ({{ content: [{{ type: 'text', text: spaces.read(id) }}] }}));
  return server;
}}
export function createApp() {{
  const app = express();
  const transports = new Map<string, StreamableHTTPServerTransport>();
  {outside}
  app.post('/mcp', async (req, res) => {{
    const sid = req.header('mcp-session-id');
    let transport = sid ? transports.get(sid) : undefined;
    if (!transport) {{
      const made = new StreamableHTTPServerTransport({{ sessionIdGenerator: () => randomUUID(), onsessioninitialized: (id) => {{ transports.set(id, made); }} }});
      transport = made;
      {inside}
      await build(spaces).connect(transport);
    }}
    await transport.handleRequest(req, res, req.body);
  }});
  return app;
}}
"
        )
    };
    silent(
        &["session-scoped-server", "handle-registry-in-factory"],
        &[Program::v1("made beside the routes").category("transport-map").ts(&app("const spaces = workspaces();", ""))],
    );
    check(&[Program::v1("made where a session begins")
        .category("app-state")
        .ts(&app("", "const spaces = workspaces();"))]);
}

/// An object that serves over stdio has one client, wherever it is made.
#[test]
fn objects_on_stdio() {
    let class = |transport: &str, import: &str, options: &str| {
        format!(
            r"
import {{ CallToolRequestSchema, ListToolsRequestSchema }} from '@modelcontextprotocol/sdk/types.js';
import {{ Server }} from '@modelcontextprotocol/sdk/server/index.js';
import {{ {transport} }} from '@modelcontextprotocol/sdk/server/{import}.js';
export class Desk {{
  private readonly server = new Server({{ name: 'desk', version: '1.0.0' }}, {{ capabilities: {{ tools: {{}} }} }});
  private readonly seen: string[] = [];
  constructor() {{
    this.server.setRequestHandler(ListToolsRequestSchema, async () => ({{ tools: [] }}));
    this.server.setRequestHandler(CallToolRequestSchema, async (request) => {{
      this.seen.push(request.params.name);
      return {{ content: [{{ type: 'text', text: this.seen.join() }}] }};
    }});
  }}
  async start() {{ await this.server.connect(new {transport}({options})); }}
}}
"
        )
    };
    silent(
        &["session-scoped-server"],
        &[Program::v1("a class over stdio").ts(&class("StdioServerTransport", "stdio", ""))],
    );
    check(&[Program::v1("the same over HTTP").category("app-state").ts(&class(
        "StreamableHTTPServerTransport",
        "streamableHttp",
        "{ sessionIdGenerator: () => crypto.randomUUID() }",
    ))]);
}

/// A route that counts who is connected, in a class of its own.
#[test]
fn who_is_connected() {
    let class = |entry: &str, fill: &str| {
        format!(
            r"
import {{ randomUUID }} from 'node:crypto';
import express from 'express';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {{ z }} from 'zod';
class Counter {{
  private sessions: Map<string, {entry}> = new Map();
  constructor(private cleanup: (id: string) => unknown) {{}}
  inc(id: string) {{
    const session = this.sessions.get(id);
    if (session && 'timeout' in session) clearTimeout(session.timeout);
    this.sessions.set(id, {{ count: 1 }});
  }}
  dec(id: string) {{
    if (!this.sessions.has(id)) return;
    this.sessions.set(id, {{ timeout: setTimeout(() => {{ this.sessions.delete(id); this.cleanup(id); }}, 1000) }});
  }}
}}
const notes = new Map<string, string[]>();
const transports: Record<string, StreamableHTTPServerTransport> = {{}};
const counter = process.env.TIMEOUT ? new Counter((id) => {{ delete transports[id]; }}) : null;
const app = express();
app.post('/mcp', async (req, res) => {{
  const sid = req.headers['mcp-session-id'] as string | undefined;
  let transport = sid ? transports[sid] : undefined;
  if (!transport) {{
    const made = new StreamableHTTPServerTransport({{ sessionIdGenerator: () => randomUUID(), onsessioninitialized: (id) => {{ transports[id] = made; counter?.inc(id); }} }});
    transport = made;
    const server = new McpServer({{ name: 'x', version: '1' }});
    server.registerTool('note', {{ inputSchema: {{ text: z.string() }} }}, async ({{ text }}, extra) => {{ {fill} return {{ content: [{{ type: 'text', text }}] }}; }});
    await server.connect(transport);
  }}
  const open = transport;
  const ended = (event: string) => {{ console.log(event); if (open.sessionId) counter?.dec(open.sessionId); }};
  res.on('finish', () => ended('finished'));
  await transport.handleRequest(req, res, req.body);
}});
app.listen(3000);
"
        )
    };
    let entry = "{ count: number } | { timeout: NodeJS.Timeout }";
    silent(
        &["session-keyed-state"],
        &[Program::v1("a count of requests in flight").category("transport-map").ts(&class(entry, ""))],
    );
    check(&[Program::v1("notes beside it").category("app-state").store("notes:app-state:handle:collapsed").ts(
        &class(
            entry,
            "const mine = notes.get(extra.sessionId!) ?? []; mine.push(text); notes.set(extra.sessionId!, mine);",
        ),
    )]);
}

fn kept_in(class: &str, method: &str) -> String {
    format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
class {class} {{
  private readonly buckets = new Map<string, {{ entries: {{ at: number; amount: number }}[] }}>();
  {method}
}}
const kept = new {class}();
export function buildServer() {{
  const server = new McpServer({{ name: 'shop', version: '1.0.0' }});
  server.registerTool('buy', {{ inputSchema: {{ amount: z.number() }} }}, async ({{ amount }}, extra) => ({{ content: [{{ type: 'text', text: kept.check(extra.sessionId!, amount) }}] }}));
  return server;
}}
"
    )
}

/// What a class is for shows in its name where its fields say nothing: a budget never becomes a handle, a list of purchases does.
#[test]
fn guards_by_class() {
    let method = "check(key: string, amount: number) {
    let bucket = this.buckets.get(key);
    if (!bucket) { bucket = { entries: [] }; this.buckets.set(key, bucket); }
    const spent = bucket.entries.reduce((sum, entry) => sum + entry.amount, 0);
    if (spent + amount > 100) return 'denied';
    bucket.entries.push({ at: Date.now(), amount });
    return 'allowed';
  }";
    check(&[
        Program::v1("a spend limiter").store("buckets:guard:manual:*").stateful(&kept_in("SpendLimiter", method)),
        Program::v1("a budget engine").store("buckets:guard:manual:*").stateful(&kept_in("BudgetEngine", method)),
        Program::v1("an evidence store").store("buckets:guard:manual:*").stateful(&kept_in("EvidenceStore", method)),
        Program::v1("a purchase book").store("buckets:app-state:handle:*").stateful(&kept_in("PurchaseBook", method)),
        Program::v1("a household budget")
            .store("buckets:app-state:handle:*")
            .stateful(&kept_in("HouseholdBudget", method)),
    ]);
}

/// Texts that are compared with a type or a kind of answer are no names of tools.
#[test]
fn names_of_tools() {
    let program = Program::v1("a dispatch by name").stateful(
        r"
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
export function buildServer() {
  const seen: string[] = [];
  const server = new Server({ name: 'desk', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
  server.setRequestHandler(CallToolRequestSchema, async (request) => {
    const given = request.params.arguments?.text;
    if (typeof given !== 'string') throw new Error('no text');
    if (given === 'forbidden') throw new Error('no');
    if (request.params.name === 'note') { seen.push(given); }
    return { content: [{ type: 'text', text: seen.join() }] };
  });
  return server;
}
",
    );
    let answer = program.scan();
    let tools: Vec<&str> = answer
        .servers
        .iter()
        .flat_map(|server| &server.stores)
        .flat_map(|store| &store.tools)
        .map(|tool| tool.as_str())
        .collect();
    assert_eq!(tools, ["note"]);
}

/// `_meta` belongs to the client: what it sends there is an argument, and no id of the session.
#[test]
fn meta_of_the_client() {
    silent(
        &["session-keyed-state"],
        &[Program::v1("a progress token of the client").category("setup-only|transport-map").stateful(
            r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const runs = new Map<string, string>();
export function buildServer() {
  const server = new McpServer({ name: 'runs', version: '1.0.0' });
  server.registerTool('run', { inputSchema: { name: z.string() } }, async ({ name }, extra) => {
    runs.set(String(extra._meta?.progressToken), name);
    return { content: [{ type: 'text', text: name }] };
  });
  return server;
}
",
        )],
    );
}

/// An attribute that middleware plants before each call goes from one place of a request to another; one that stays is state.
#[test]
fn planted_by_middleware() {
    let server = |hook: &str, plant: &str| {
        format!(
            "from fastmcp import Context, FastMCP\nfrom fastmcp.server.middleware import Middleware, MiddlewareContext\n\nclass Clients(Middleware):\n    async def {hook}(self, context: MiddlewareContext, call_next):\n        ctx = context.fastmcp_context\n        {plant}\n        return await call_next(context)\n\nmcp = FastMCP('desk')\nmcp.add_middleware(Clients())\n\n@mcp.tool\nasync def note(text: str, ctx: Context) -> str:\n    ctx.session.notes.append(text)\n    return str(ctx.session.notes)\n\nmcp.run(transport='http')\n"
        )
    };
    let program = |name, hook: &str, plant: &str| Program::python(name, "fastmcp>=2.12,<3", &server(hook, plant));
    silent(
        &["session-object-key"],
        &[program("planted before each call", "on_request", "ctx.session.notes = []").category("none|setup-only")],
    );
    check(&[
        program(
            "planted where it is missing",
            "on_request",
            "if not hasattr(ctx.session, 'notes'): ctx.session.notes = []",
        )
        .category("app-state"),
        program("planted when a session begins", "on_initialize", "ctx.session.notes = []").category("app-state"),
    ]);
}

/// A number that tools are there to count is what the server is about; a number of calls is telemetry.
#[test]
fn counters() {
    let server = |field: &str, tool: &str, change: &str| {
        format!(
            r#"
use std::sync::{{Arc, Mutex}};
use rmcp::{{ServerHandler, handler::server::router::tool::ToolRouter, tool, tool_handler, tool_router}};
use rmcp::transport::streamable_http_server::{{StreamableHttpService, session::local::LocalSessionManager}};
#[derive(Clone)]
pub struct Desk {{ {field}: Arc<Mutex<i32>>, tool_router: ToolRouter<Self> }}
#[tool_router]
impl Desk {{
    pub fn new() -> Self {{ Self {{ {field}: Arc::new(Mutex::new(0)), tool_router: Self::tool_router() }} }}
    #[tool(description = "Does it")]
    async fn {tool}(&self) -> String {{
        let mut guard = self.{field}.lock().unwrap();
        {change}
        guard.to_string()
    }}
}}
#[tool_handler]
impl ServerHandler for Desk {{}}
#[tokio::main]
async fn main() {{
    let service = StreamableHttpService::new(|| Ok(Desk::new()), LocalSessionManager::default().into(), Default::default());
    let router = axum::Router::<()>::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await.unwrap();
    axum::serve(listener, router).await.unwrap();
}}
"#
        )
    };
    let program = |name, field: &str, tool: &str, change: &str| {
        Program::rust(name, "axum=0.8 rmcp=0.8 tokio=1", &server(field, tool, change))
    };
    check(&[
        program("added to", "counter", "increment", "*guard += 1;")
            .category("app-state")
            .store("counter:app-state:handle:lost"),
        program("set", "total", "next", "*guard = *guard + 1;").category("app-state"),
        program("a number of calls", "call_count", "greet", "*guard += 1;")
            .category("setup-only")
            .store("call_count:telemetry:*:*"),
        program("never changed", "total", "show", "").category("setup-only"),
    ]);
}

/// What a tool is called says nothing of what it lists: a handler of the protocol's own lists does.
#[test]
fn tools_called_lists() {
    let official = |tool: &str| {
        format!(
            "from mcp.server.fastmcp import Context, FastMCP\n\nCARTS = {{}}\nmcp = FastMCP('shop', stateless_http=False)\n\n@mcp.tool()\ndef {tool}(sku: str, ctx: Context) -> str:\n    sid = ctx.request_context.request.headers.get('mcp-session-id')\n    CARTS.setdefault(sid, []).append(sku)\n    return str(CARTS[sid])\n\nmcp.run(transport='streamable-http')\n"
        )
    };
    silent(
        &["session-dependent-list"],
        &[Program::python("a tool called list_items", "mcp>=1.9,<2", &official("list_items")).category("app-state")],
    );
    let low = "import contextlib\nimport mcp.types as types\nfrom mcp.server.lowlevel import Server\nfrom mcp.server.streamable_http_manager import StreamableHTTPSessionManager\n\nOPEN = {}\nserver = Server('shop')\n\n@server.list_tools()\nasync def tools():\n    sid = server.request_context.request.headers.get('mcp-session-id')\n    return OPEN.get(sid, [])\n\n@server.call_tool()\nasync def call(name, arguments):\n    sid = server.request_context.request.headers.get('mcp-session-id')\n    OPEN.setdefault(sid, []).append(name)\n    return []\n\nmanager = StreamableHTTPSessionManager(app=server)\n";
    let answer = Program::python("a list that a call adds to", "mcp>=1.9,<2", low).scan();
    assert!(answer.findings.iter().any(|f| f.rule == "session-dependent-list"), "{:?}", findings(&answer));
}

/// A lifespan over stdio is entered once, with one client.
#[test]
fn lifespans_on_stdio() {
    let server = |run: &str| {
        format!(
            "from contextlib import asynccontextmanager\nfrom mcp.server.fastmcp import Context, FastMCP\n\n@asynccontextmanager\nasync def lifespan(server):\n    yield {{'notes': []}}\n\nmcp = FastMCP('desk', lifespan=lifespan)\n\n@mcp.tool()\ndef note(text: str, ctx: Context) -> str:\n    ctx.request_context.lifespan_context['notes'].append(text)\n    return 'noted'\n\n{run}\n"
        )
    };
    let program = |name, run: &str| Program::python(name, "mcp>=1.9,<2", &server(run));
    silent(
        &["session-scoped-server"],
        &[
            program("nothing said", "mcp.run()").category("none"),
            program("stdio", "mcp.run(transport='stdio')").category("none"),
        ],
    );
    check(&[
        program("HTTP", "mcp.run(transport='streamable-http')").category("app-state"),
        program("either", "import os\nmcp.run(transport=os.environ.get('TRANSPORT', 'stdio'))").category("app-state"),
        program("out of sight", "").category("app-state"),
    ]);
}
