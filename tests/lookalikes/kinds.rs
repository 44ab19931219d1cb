//! What a table by session is, in Python and in Rust: members of one kind in several spellings, beside what only looks like it.

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

/// Nothing of warning or above, rules apart that a program allows.
fn quiet(programs: &[Program]) {
    check(programs);
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        let loud = answer.findings.iter().filter(|f| f.severity >= Severity::Warning);
        let loud = loud.filter(|f| !program.allowed.contains(&f.rule));
        problems.extend(loud.map(|f| format!("{}: {} at {}:{}", program.name, f.rule, f.path, f.start.line)));
    }
    report(&problems);
}

const OFFICIAL: &str = "from mcp.server.fastmcp import Context, FastMCP\n";
const FASTMCP: &str = "from fastmcp import Context, FastMCP\n";

fn official(name: &'static str, text: &str) -> Program {
    Program::python(name, "mcp>=1.9,<2", &format!("{OFFICIAL}{text}"))
}

fn fastmcp(name: &'static str, text: &str) -> Program {
    Program::python(name, "fastmcp>=2.12,<3", &format!("{FASTMCP}{text}"))
}

/// A table that is read by session and that nothing ever fills does nothing any more.
#[test]
fn never_filled() {
    let logins = "mcp = FastMCP('x', stateless_http=True)\nLOGINS: dict[str, dict[str, str]] = {}\n";
    let lookup = "
def who(ctx: Context) -> str:
    key = str(id(ctx.request_context.session))
    if key in LOGINS:
        return LOGINS[key]['token']
    return 'nobody'

@mcp.tool()
def whoami(ctx: Context) -> str:
    return who(ctx)

app = mcp.streamable_http_app()
";
    let speaks = |program: Program| {
        let answer = program.scan();
        let spoken = answer.findings.iter().any(|finding| finding.rule == "dead-session-code");
        assert!(spoken, "{}: {:?}", program.name, findings(&answer));
        program
    };
    check(&[
        speaks(official("read by the identity of the session", &format!("{logins}{lookup}")).category("none").facet("dead-session-code")),
        speaks(fastmcp(
            "read by the id, a method of a class",
            "
class Tokens:
    def __init__(self):
        self._by_session = {}

    def find(self, sid):
        return self._by_session.get(sid)

    def forget(self, sid):
        self._by_session.pop(sid, None)

tokens = Tokens()
mcp = FastMCP('x')

@mcp.tool
def whoami(ctx: Context) -> str:
    return str(tokens.find(ctx.session_id))

@mcp.tool
def logout(ctx: Context) -> str:
    tokens.forget(ctx.session_id)
    return 'done'

mcp.run(transport='http', stateless_http=True)
",
        )
        .category("none")),
        speaks(
            Program::v1("a Map in TypeScript").category("none").stateless(
                r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const logins = new Map<string, { token: string }>();
export function buildServer() {
  const server = new McpServer({ name: 'x', version: '1.0.0' });
  server.registerTool('whoami', { description: 'Who' }, async (extra) => ({ content: [{ type: 'text', text: logins.get(extra.sessionId!)?.token ?? 'nobody' }] }));
  return server;
}
",
            ),
        ),
    ]);
    // Filled by whoever got hold of it.
    check(&[
        official(
            "filled by a helper that takes the table",
            &format!("{logins}def keep(table, key, value):\n    table[key] = value\n{lookup}\n@mcp.tool()\ndef login(token: str, ctx: Context) -> str:\n    keep(LOGINS, str(id(ctx.request_context.session)), {{'token': token}})\n    return 'done'\n"),
        )
        .category("auth"),
        official(
            "filled by update",
            &format!("{logins}{lookup}\n@mcp.tool()\ndef login(token: str, ctx: Context) -> str:\n    LOGINS.update({{str(id(ctx.request_context.session)): {{'token': token}}}})\n    return 'done'\n"),
        )
        .category("auth"),
        official(
            "filled by a package",
            &format!("import logins\n{logins}logins.restore(LOGINS)\n{lookup}"),
        )
        .category("auth"),
    ]);
}

/// A worker process that serves the server's own tools is state; a child that speaks for the session is a gateway.
#[test]
fn workers() {
    let worker = "
import asyncio, sys, time

class Worker:
    def __init__(self, key):
        self.key = key
        self.process = None
        self.used = time.time()

    async def start(self):
        if self.process is None:
            self.process = await asyncio.create_subprocess_exec(sys.executable, '-i', stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)

    async def run(self, line):
        self.process.stdin.write(line.encode())
        return (await self.process.stdout.readline()).decode()

    async def stop(self):
        self.process.kill()

class Workers:
    def __init__(self):
        self._workers: dict[str, Worker] = {}

    @staticmethod
    def key_for(scope, name='default'):
        return f'{scope}::{name}'

    async def get(self, key):
        worker = self._workers.get(key)
        if worker is None:
            worker = Worker(key)
            self._workers[key] = worker
        await worker.start()
        return worker

    async def reap(self):
        stale = [key for key, worker in self._workers.items() if time.time() - worker.used > 600]
        for key in stale:
            await self._workers.pop(key).stop()

workers = Workers()
";
    check(&[
        fastmcp(
            "by session and name, with a reaper",
            &format!(
                "{worker}
from contextlib import asynccontextmanager

async def reaper():
    while True:
        await asyncio.sleep(60)
        await workers.reap()

@asynccontextmanager
async def lifespan(server):
    task = asyncio.create_task(reaper())
    yield {{}}
    task.cancel()

mcp = FastMCP('sums', lifespan=lifespan)

async def worker_for(sid, name):
    return await workers.get(workers.key_for(sid, name))

@mcp.tool
async def evaluate(code: str, ctx: Context, name: str = 'default') -> str:
    worker = await worker_for(ctx.session_id, name)
    return await worker.run(code)

mcp.run(transport='http')
"
            ),
        )
        .category("app-state")
        .store("_workers:app-state:handle:*"),
        Program::python(
            "a child that answers every message of its session",
            "starlette uvicorn",
            "
import asyncio, json, sys
from uuid import uuid4
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

children = {}

async def reaper():
    for key in list(children):
        children.pop(key).kill()

async def endpoint(request):
    message = await request.json()
    sid = request.headers.get('mcp-session-id')
    if message['method'] == 'initialize':
        sid = uuid4().hex
        children[sid] = await asyncio.create_subprocess_exec(sys.executable, 'server.py', stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    child = children[sid]
    child.stdin.write(json.dumps(message).encode())
    return JSONResponse(json.loads(await child.stdout.readline()), headers={'mcp-session-id': sid})

app = Starlette(routes=[Route('/mcp', endpoint, methods=['POST'])])
",
        )
        .category("gateway"),
    ]);
}

/// What only the code of a tool can know is known to tools, however they are registered.
#[test]
fn tools_out_of_sight() {
    let told = "
import importlib
from collections import defaultdict

class Told:
    def __init__(self):
        self.rules = False

class Prompts:
    def __init__(self):
        self._told: dict[str, Told] = defaultdict(lambda: Told())

    def is_told(self, sid):
        return self._told[sid].rules

    def mark(self, sid):
        self._told[sid].rules = True

prompts = Prompts()
";
    check(&[
        official(
            "told once, by the identity of the session",
            &format!(
                "{told}
class Tool:
    def apply_ex(self, mcp_ctx: Context | None = None, **kwargs) -> str:
        sid = 'global'
        if mcp_ctx is not None:
            sid = '%x' % id(mcp_ctx.session)
        if prompts.is_told(sid):
            return 'go on'
        prompts.mark(sid)
        return 'the rules are ...'

class Start(Tool):
    pass

def make(tool: Tool):
    from mcp.server.fastmcp.tools.base import Tool as Registered
    return Registered(fn=lambda **kwargs: tool.apply_ex(**kwargs), name='start', description='', parameters={{}}, fn_metadata=None, is_async=False)

mcp = FastMCP('x')
mcp._tool_manager._tools = {{'start': make(Start())}}
mcp.run(transport='streamable-http')
"
            ),
        )
        .category("app-state")
        .store("_told:app-state:*:*"),
        fastmcp(
            "a draft by the id, of a tool that a plug-in registers",
            "
drafts = {}

class Write:
    async def run(self, context: Context, text: str) -> str:
        drafts[context.session_id] = text
        return drafts[context.session_id]

mcp = FastMCP('x')
importlib.import_module('plugins').register(mcp, Write())
mcp.run(transport='http')
",
        )
        .category("app-state")
        .store("drafts:app-state:*:*"),
    ]);
}

/// A protocol that a package speaks by itself: what its sessions keep may be the protocol's alone.
#[test]
fn by_hand() {
    let axum = |record: &str, made: &str, call: &str| {
        format!(
            r#"
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use axum::{{Json, Router, extract::State, http::HeaderMap, response::{{IntoResponse, Response}}, routing::post}};
use serde_json::{{Value, json}};
use tokio::sync::{{Mutex, broadcast}};
use uuid::Uuid;

#[derive(Clone)]
struct Open {{ initialized: bool, protocol_version: String, last_seen: Instant, {record} }}

#[derive(Clone)]
struct App {{ sessions: Arc<Mutex<HashMap<String, Open>>>, channels: Arc<Mutex<HashMap<String, broadcast::Sender<Value>>>> }}

async fn endpoint(State(app): State<App>, headers: HeaderMap, Json(message): Json<Value>) -> Response {{
    let sid = headers.get("mcp-session-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let method = message["method"].as_str().unwrap_or_default();
    if method == "initialize" {{
        let sid = Uuid::new_v4().to_string();
        app.sessions.lock().await.insert(sid.clone(), Open {{ initialized: false, protocol_version: "2025-06-18".to_string(), last_seen: Instant::now(), {made} }});
        app.channels.lock().await.insert(sid.clone(), broadcast::channel(16).0);
        return ([("mcp-session-id", sid)], Json(json!({{"jsonrpc": "2.0", "result": {{}}}}))).into_response();
    }}
    let mut sessions = app.sessions.lock().await;
    let Some(open) = sid.as_ref().and_then(|sid| sessions.get_mut(sid)) else {{
        return axum::http::StatusCode::NOT_FOUND.into_response();
    }};
    open.last_seen = Instant::now();
    if method == "notifications/initialized" {{
        open.initialized = true;
    }}
    if method == "tools/call" {{
        {call}
        if let Some(sender) = app.channels.lock().await.get(sid.as_ref().unwrap()) {{
            let _ = sender.send(message.clone());
        }}
    }}
    Json(json!({{"jsonrpc": "2.0", "result": {{}}}})).into_response()
}}

#[tokio::main]
async fn main() {{
    let app = App {{ sessions: Default::default(), channels: Default::default() }};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await.unwrap();
    axum::serve(listener, Router::new().route("/mcp", post(endpoint)).with_state(app)).await.unwrap();
}}
"#
        )
    };
    const NEEDS: &str = "axum=0.8 serde_json=1 tokio=1 uuid=1";
    let starlette = |record: &str, call: &str| {
        format!(
            "
import json
from uuid import uuid4
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

class Open:
    def __init__(self, client_info):
        self.client_info = client_info
        self.initialized = False
        {record}

opened: dict[str, Open] = {{}}

async def endpoint(request):
    message = await request.json()
    if message['method'] == 'initialize':
        sid = uuid4().hex
        opened[sid] = Open(message['params'].get('clientInfo'))
        return JSONResponse({{'jsonrpc': '2.0', 'id': message['id'], 'result': {{}}}}, headers={{'mcp-session-id': sid}})
    session = opened.get(request.headers.get('mcp-session-id'))
    if session is None:
        return JSONResponse({{}}, status_code=404)
    session.initialized = True
    if message['method'] == 'tools/call':
        {call}
    return JSONResponse({{'jsonrpc': '2.0', 'id': message['id'], 'result': {{}}}})

app = Starlette(routes=[Route('/mcp', endpoint, methods=['POST'])])
"
        )
    };
    check(&[
        Program::rust("the protocol's own, in Rust", NEEDS, &axum("", "", ""))
            .category("transport-map")
            .store("sessions:transport:drop:*"),
        Program::rust(
            "a board beside it, in Rust",
            NEEDS,
            &axum(
                "board: Vec<String>",
                "board: Vec::new()",
                r#"open.board.push(message["params"]["arguments"]["move"].to_string());"#,
            ),
        )
        .category("app-state")
        .store("sessions:app-state:*:*"),
        Program::python("the protocol's own, in Python", "starlette uvicorn", &starlette("pass", "pass"))
            .category("setup-only|transport-map")
            .store("opened:transport:drop:*"),
        Program::python(
            "a basket beside it, in Python",
            "starlette uvicorn",
            &starlette("self.basket = []", "session.basket.append(message['params']['arguments']['sku'])"),
        )
        .category("app-state")
        .store("opened:app-state:*:*"),
    ]);
}

/// A bucket of tokens that refills is a limit by mere count, also where it holds points in time.
#[test]
fn limits_with_points_in_time() {
    check(&[Program::rust(
        "a token bucket by session, in Rust",
        "axum=0.8 dashmap=6 serde_json=1 tokio=1 uuid=1",
        r#"
use std::sync::Arc;
use std::time::Instant;
use axum::{Json, Router, extract::State, http::{HeaderMap, StatusCode}, response::{IntoResponse, Response}, routing::post};
use dashmap::DashMap;
use serde_json::{Value, json};
use tokio::sync::mpsc;

struct Bucket { tokens: f64, last_update: Instant }
struct Limiter { buckets: DashMap<String, Bucket>, rate: f64 }
impl Limiter {
    fn allow(&self, key: &str) -> bool {
        let now = Instant::now();
        let mut entry = self.buckets.entry(key.to_string()).or_insert_with(|| Bucket { tokens: 10.0, last_update: now });
        entry.tokens = entry.tokens + now.duration_since(entry.last_update).as_secs_f64() * self.rate;
        entry.last_update = now;
        if entry.tokens >= 1.0 { entry.tokens -= 1.0; true } else { false }
    }
}
struct App { limiter: Limiter, streams: DashMap<String, mpsc::UnboundedSender<Value>> }

async fn endpoint(State(app): State<Arc<App>>, headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let sid = headers.get("mcp-session-id").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    if message["method"] == "initialize" {
        let sid = uuid::Uuid::new_v4().to_string();
        let (tx, _rx) = mpsc::unbounded_channel();
        app.streams.insert(sid.clone(), tx);
        return ([("mcp-session-id", sid)], Json(json!({}))).into_response();
    }
    if !app.limiter.allow(&sid) { return StatusCode::TOO_MANY_REQUESTS.into_response(); }
    if let Some(stream) = app.streams.get(&sid) { let _ = stream.send(message); }
    Json(json!({})).into_response()
}

#[tokio::main]
async fn main() {
    let app = Arc::new(App { limiter: Limiter { buckets: DashMap::new(), rate: 1.0 }, streams: DashMap::new() });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await.unwrap();
    axum::serve(listener, Router::new().route("/mcp", post(endpoint)).with_state(app)).await.unwrap();
}
"#,
    )
    .category("transport-map")
    .store("buckets:telemetry:request:*")]);
}

/// A table by a pair, of which the session is a part.
#[test]
fn pairs() {
    let upstreams = |text: &str| {
        format!(
            "
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from fastmcp.server.dependencies import get_http_headers

class Upstreams:
    def __init__(self):
        self._open: dict[tuple[str, str], ClientSession] = {{}}

    async def acquire(self, sid, target):
        key = (sid, target)
        client = self._open.get(key)
        if client is None:
            read, write, _ = await streamablehttp_client(target).__aenter__()
            client = await ClientSession(read, write).__aenter__()
            self._open[key] = client
        return client

upstreams = Upstreams()
mcp = FastMCP('front')
{text}
mcp.run(transport='http')
"
        )
    };
    check(&[
        fastmcp(
            "one upstream for each session and target",
            &upstreams(
                "
@mcp.tool
async def forward(target: str, name: str, ctx: Context) -> str:
    return str(await (await upstreams.acquire(ctx.session_id, target)).call_tool(name))
",
            ),
        )
        .category("gateway")
        .store("_open:upstream:*:*"),
        fastmcp(
            "notes by session and page, written in place",
            "
mcp = FastMCP('notes')
pages: dict[tuple[str, str], list[str]] = {}

@mcp.tool
def note(page: str, text: str, ctx: Context) -> str:
    pages.setdefault((ctx.session_id, page), []).append(text)
    return str(len(pages[ctx.session_id, page]))

mcp.run(transport='http')
",
        )
        .category("app-state")
        .store("pages:app-state:handle:*"),
    ]);
    quiet(&[
        fastmcp(
            "upstreams by user and target",
            &upstreams(
                "
@mcp.tool
async def forward(user: str, target: str, name: str) -> str:
    return str(await (await upstreams.acquire(user, target)).call_tool(name))
",
            ),
        )
        .category("none"),
        fastmcp(
            "pairs in a list of the call",
            "
mcp = FastMCP('notes')

@mcp.tool
def describe(ctx: Context) -> str:
    lines = []
    lines.append(('session', ctx.session_id))
    return str(lines)

mcp.run(transport='http')
",
        )
        .category("none"),
    ]);
}

/// A session that remembers whom it was opened for is bound to that user, wherever it is kept.
#[test]
fn owners() {
    let django = |record: &str, check: &str| {
        Program::python(
            "by hand, in the cache of Django",
            "django",
            &format!(
                "
import json, secrets
from dataclasses import dataclass
from django.core.cache import cache
from django.http import HttpRequest, JsonResponse

{record}

def key_for(sid):
    return f'mcp:session:{{sid}}'

def endpoint(request: HttpRequest):
    message = json.loads(request.body)
    if message['method'] == 'initialize':
        sid = secrets.token_urlsafe(24)
        cache.set(key_for(sid), Entry(who(request)), timeout=600)
        return JsonResponse({{'jsonrpc': '2.0', 'id': message['id'], 'result': {{}}}}, headers={{'Mcp-Session-Id': sid}})
    entry = cache.get(key_for(request.headers.get('Mcp-Session-Id')))
    if {check}:
        return JsonResponse({{}}, status=404)
    return JsonResponse({{'jsonrpc': '2.0', 'id': message['id'], 'result': {{}}}})
"
            ),
        )
    };
    check(&[
        django(
            "@dataclass\nclass Entry:\n    principal_id: str\n\ndef who(request):\n    return request.token.user",
            "entry is None or entry.principal_id != who(request)",
        )
        .category("auth"),
        django(
            "@dataclass\nclass Entry:\n    protocol: str\n\ndef who(request):\n    return '2025-06-18'",
            "entry is None",
        )
        .category("setup-only|transport-map"),
    ]);
}

/// A factory that comes from a file without a word of the protocol: who hands it over says how long its state lives.
#[test]
fn factories_from_elsewhere() {
    let server = r#"
use std::{collections::HashMap, sync::Arc};
use tokio::sync::Mutex;
use rmcp::{ServerHandler, ErrorData, tool, tool_router, tool_handler, handler::server::{router::tool::ToolRouter, wrapper::Parameters}, model::CallToolResult};
use rmcp::transport::streamable_http_server::{StreamableHttpService, StreamableHttpServerConfig, session::local::LocalSessionManager};

pub type Jobs = Arc<Mutex<HashMap<String, String>>>;

#[derive(Clone)]
pub struct Desk { jobs: Jobs, tool_router: ToolRouter<Desk> }

#[tool_router]
impl Desk {
    pub fn new(jobs: Jobs) -> Self { Self { jobs, tool_router: Self::tool_router() } }
    #[tool(description = "Next job")]
    async fn next(&self, Parameters(job): Parameters<Job>) -> Result<CallToolResult, ErrorData> {
        self.jobs.lock().await.insert(job.id, job.text);
        Ok(CallToolResult::default())
    }
}
#[tool_handler]
impl ServerHandler for Desk {}

pub async fn start(factory: impl Fn() -> Result<Desk, std::io::Error> + Send + Sync + 'static) {
    let service = StreamableHttpService::new(factory, LocalSessionManager::default().into(), StreamableHttpServerConfig::default());
    let _router = axum::Router::<()>::new().nest_service("/mcp", service);
}
"#;
    let program = |name, main: &str| {
        let mut program = Program::rust(name, "axum=0.8 rmcp=2.2 tokio=1", main)
            .file("src/lib.rs", "pub mod server;\n")
            .file("src/server.rs", server);
        for n in 0..40 {
            program = program.file(&format!("src/part{n}.rs"), "pub fn nothing() {}\n");
        }
        program
    };
    check(&[
        program("made anew for each session", "use desk::server::{Desk, start};\n#[tokio::main]\nasync fn main() { start(move || Ok(Desk::new(Default::default()))).await; }\n")
            .category("app-state")
            .store("jobs:app-state:handle:lost"),
        program(
            "made once for all",
            "use desk::server::{Desk, Jobs, start};\n#[tokio::main]\nasync fn main() { let jobs: Jobs = Default::default(); start(move || Ok(Desk::new(jobs.clone()))).await; }\n",
        )
        .category("setup-only"),
    ]);
}

/// The protocol's methods may be names that a derive reads off the wire.
#[test]
fn methods_by_derive() {
    let actix = |first: &str, call: &str| {
        format!(
            r#"
use std::sync::Arc;
use actix_web::{{HttpResponse, Result, dev::ServiceRequest, error::ErrorInternalServerError}};
use dashmap::DashMap;
use serde::Deserialize;
use tokio::sync::mpsc::Sender;
use uuid::Uuid;

pub const HEADER_SESSION: &str = "Mcp-Session-Id";

#[derive(Deserialize)]
#[serde(tag = "method")]
pub enum Incoming {{
    #[serde(rename = "{first}")]
    First(serde_json::Value),
    #[serde(rename = "{call}")]
    Call(serde_json::Value),
}}

#[derive(Clone)]
pub struct Open {{ log_level: u8, notification_tx: Sender<String>, session_id: String }}

#[derive(Clone, Default)]
pub struct Storage {{ sessions: Arc<DashMap<String, Open>> }}

impl Storage {{
    pub fn restore(&self, request: &ServiceRequest) -> Result<Option<Open>> {{
        match request.headers().get(HEADER_SESSION) {{
            Some(id) => Ok(self.sessions.get(id.to_str().map_err(ErrorInternalServerError)?).map(|open| open.clone())),
            None => Ok(None),
        }}
    }}
    pub fn start(&self, notification_tx: Sender<String>) -> HttpResponse {{
        let session_id = Uuid::new_v4().to_string();
        self.sessions.insert(session_id.clone(), Open {{ log_level: 0, notification_tx, session_id: session_id.clone() }});
        HttpResponse::Ok().insert_header((HEADER_SESSION, session_id)).finish()
    }}
}}
fn main() {{}}
"#
        )
    };
    let needs = "actix-web=4 dashmap=6 serde=1 serde_json=1 tokio=1 uuid=1";
    check(&[Program::rust("of this protocol", needs, &actix("initialize", "tools/call"))
        .category("transport-map")
        .store("sessions:transport:drop:*")]);
    let answer = Program::rust("of another protocol", needs, &actix("hello", "move")).scan();
    assert_eq!(answer.summary.category, None, "{:?}", findings(&answer));
}

/// Headers that were copied under names of one spelling, behind a context variable.
#[test]
fn headers_in_one_spelling() {
    let program = |name, source: &str| {
        fastmcp(
            name,
            &format!(
                "
from contextvars import ContextVar
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

request_headers: ContextVar = ContextVar('request_headers')
upstreams: dict[tuple[str, str], ClientSession] = {{}}

def current(response=None):
    headers = {source} or {{}}
    lowered = {{k.lower(): v for k, v in headers.items()}}
    return lowered.get('mcp-session-id')

mcp = FastMCP('front')

@mcp.tool
async def forward(target: str, name: str) -> str:
    key = (current(), target)
    if key not in upstreams:
        read, write, _ = await streamablehttp_client(target).__aenter__()
        upstreams[key] = await ClientSession(read, write).__aenter__()
    return str(await upstreams[key].call_tool(name))

mcp.run(transport='http')
"
            ),
        )
    };
    check(&[program("of the request at hand", "request_headers.get()")
        .category("gateway")
        .store("upstreams:upstream:*:*")]);
}

/// What a tool has to have done before another may run, and who failed too often, are guards; what merely limits or counts is not; and a
/// count that tools answer is what they are about.
#[test]
fn evidence_lockouts_limits_and_counters() {
    let program = |name: &'static str, body: &str| {
        Program::v1(name).category("app-state").stateful(&format!(
            "import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';\nimport {{ z }} from 'zod';\n{body}"
        ))
    };
    let tool = |name: &str, argument: &str, code: &str| {
        format!(
            "  server.registerTool('{name}', {{ description: 'x', inputSchema: {{ {argument}: z.string() }} }}, async ({{ {argument} }}, extra) => {{\n{code}\n  }});\n"
        )
    };
    let server = |tools: &str| {
        format!(
            "export function buildServer() {{\n  const server = new McpServer({{ name: 'x', version: '1.0.0' }});\n{tools}  return server;\n}}\n"
        )
    };
    let text = |text: &str| format!("return {{ content: [{{ type: 'text', text: {text} }}] }};");
    let error = "return { isError: true, content: [{ type: 'text', text: 'no' }] };";
    let read = tool(
        "read_file",
        "path",
        &format!(
            "let seen = read.get(extra.sessionId!);\nif (!seen) {{\nseen = new Set();\nread.set(extra.sessionId!, seen);\n}}\nseen.add(path);\n{}",
            text("path")
        ),
    );
    let edit = tool(
        "edit_file",
        "path",
        &format!("if (!read.get(extra.sessionId!)?.has(path)) {{\n{error}\n}}\n{}", text("'saved'")),
    );
    let unlock = tool(
        "unlock",
        "pin",
        &format!(
            "const tries = attempts.get(extra.sessionId!) ?? 0;\nif (tries >= 3) {{\n{error}\n}}\nif (pin !== process.env.PIN) {{\nattempts.set(extra.sessionId!, tries + 1);\n{error}\n}}\nattempts.delete(extra.sessionId!);\n{}",
            text("'open'")
        ),
    );
    let count = tool(
        "add",
        "what",
        &format!(
            "counters.set(extra.sessionId!, (counters.get(extra.sessionId!) ?? 0) + 1);\n{}",
            text("`${what} ${counters.get(extra.sessionId!)}`")
        ),
    );
    check(&[
        program(
            "read before edit",
            &format!("const read = new Map<string, Set<string>>();\n{}", server(&(read + &edit))),
        )
        .store("read:guard:manual:*"),
        program("locked out", &format!("const attempts = new Map<string, number>();\n{}", server(&unlock)))
            .store("attempts:guard:manual:*"),
        program("a counter", &format!("const counters = new Map<string, number>();\n{}", server(&count)))
            .store("counters:app-state:handle:*"),
    ]);
}

/// What a session has spent against a cap, and who holds what, admit or refuse: guards, in any language.
#[test]
fn caps_and_leases() {
    check(&[
        fastmcp(
            "a cap on what is spent, Python",
            "
CAP = 50
spent: dict[str, float] = {}
mcp = FastMCP('ads')

@mcp.tool
def buy(euros: float, ctx: Context) -> str:
    before = spent.get(ctx.session_id, 0)
    if before + euros > CAP:
        raise ValueError('over the budget')
    spent[ctx.session_id] = before + euros
    return 'bought'

mcp.run(transport='http')
",
        )
        .category("app-state")
        .store("spent:guard:*:*"),
        fastmcp(
            "a lease with a holder, Python",
            "
holders = {}
mcp = FastMCP('printers')

@mcp.tool
def reserve(printer: str, ctx: Context) -> str:
    holder = holders.get(printer)
    if holder and holder != ctx.session_id:
        raise ValueError('reserved by somebody else')
    holders[printer] = ctx.session_id
    return 'reserved'

@mcp.tool
def print_text(printer: str, text: str, ctx: Context) -> str:
    if holders.get(printer) != ctx.session_id:
        raise ValueError('reserve it first')
    return 'printed'

mcp.run(transport='http')
",
        )
        .category("app-state")
        .store("holders:guard:manual:*"),
        fastmcp(
            "an account that pays out is state",
            "
balance: dict[str, float] = {}
mcp = FastMCP('bank')

@mcp.tool
def withdraw(euros: float, ctx: Context) -> str:
    have = balance.get(ctx.session_id, 100)
    if have < euros:
        raise ValueError('not enough')
    balance[ctx.session_id] = have - euros
    return 'paid'

mcp.run(transport='http')
",
        )
        .category("app-state")
        .store("balance:app-state:*:*"),
    ]);
    // A name that the model passes is no session.
    quiet(&[fastmcp(
        "holders by name",
        "
holders = {}
mcp = FastMCP('printers')

@mcp.tool
def reserve(printer: str, who: str) -> str:
    if holders.get(printer) not in (None, who):
        raise ValueError('reserved by somebody else')
    holders[printer] = who
    return 'reserved'

mcp.run(transport='http')
",
    )
    .category("none")]);
}

/// What was authenticated once and is kept for the session, so that no later call is asked again.
#[test]
fn authenticated_once() {
    let program = |name, function: &str, header: &str| {
        fastmcp(
            name,
            &format!(
                "
from dataclasses import dataclass
from weakref import WeakKeyDictionary
from fastmcp.server.dependencies import get_http_headers
import remote

@dataclass
class Paths:
    document: str

kept: WeakKeyDictionary = WeakKeyDictionary()

def {function}():
    headers = get_http_headers()
    value = headers.get('{header}')
    return Paths(document=remote.ask(value)) if value else None

def ready(ctx: Context):
    state = kept.get(ctx.session)
    if state is None:
        state = {{}}
        kept[ctx.session] = state
    if state.get('initialized'):
        return state
    config = {function}()
    if config is None:
        return None
    state['config'] = config
    state['initialized'] = True
    return state

mcp = FastMCP('x')

@mcp.tool
def fetch(url: str, ctx: Context) -> str:
    state = ready(ctx)
    return str(state['config'].document) if state else 'refused'

mcp.run(transport='http')
"
            ),
        )
    };
    check(&[
        program("an identity by an API key", "authenticate_and_load", "x-api-key")
            .category("auth")
            .store("kept:auth:*:*"),
        program("a choice by a header", "choose_and_load", "x-document")
            .category("app-state")
            .store("kept:app-state:*:*"),
    ]);
}

/// The SDK's own table of sessions, looked into by a route of the server's.
#[test]
fn tables_of_the_sdk() {
    check(&[
        Program::python(
            "messages routed past the SSE transport",
            "mcp>=1.9,<2 starlette",
            "
from uuid import UUID
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

server = Server('x')
sse = SseServerTransport('/messages')

async def connect(request: Request) -> Response:
    async with sse.connect_sse(request.scope, request.receive, request._send) as streams:
        await server.run(streams[0], streams[1], server.create_initialization_options())
    return Response()

async def post(request: Request) -> Response:
    writer = sse._read_stream_writers.get(UUID(hex=request.query_params.get('session_id')))
    if not writer:
        return Response(status_code=404)
    await writer.send(await request.body())
    return Response(status_code=202)

app = Starlette(routes=[Route('/sse', connect), Route('/messages', post, methods=['POST'])])
",
        )
        .category("transport-map"),
        Program::python(
            "a transport of one's own that looks into its own table",
            "mcp>=1.9,<2 starlette",
            "
from uuid import UUID
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

server = Server('x')

class Checked(SseServerTransport):
    async def post(self, request: Request) -> Response:
        writer = self._read_stream_writers.get(UUID(hex=request.query_params.get('session_id')))
        if not writer:
            return Response(status_code=404)
        await writer.send(await request.body())
        return Response(status_code=202)

sse = Checked('/messages')

async def connect(request: Request) -> Response:
    async with sse.connect_sse(request.scope, request.receive, request._send) as streams:
        await server.run(streams[0], streams[1], server.create_initialization_options())
    return Response()

app = Starlette(routes=[Route('/sse', connect), Route('/messages', sse.post, methods=['POST'])])
",
        )
        .category("setup-only"),
        Program::python(
            "a session ended past the manager",
            "mcp>=1.9,<2 starlette",
            "
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

server = Server('x')
manager = StreamableHTTPSessionManager(app=server)

async def end(request: Request) -> Response:
    transport = manager._server_instances.get(request.headers.get('mcp-session-id'))
    if transport is None:
        return Response(status_code=404)
    await transport.terminate()
    return Response(status_code=204)

app = Starlette(routes=[Mount('/mcp', app=manager.handle_request), Route('/end', end, methods=['POST'])])
",
        )
        .category("transport-map"),
    ]);
}
