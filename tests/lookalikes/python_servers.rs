//! Python servers as people write them: middleware, ASGI, context variables, upstreams by hand, rows of a database. Each kind in several
//! spellings, beside what only looks like it.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, findings, report};

fn check(programs: &[Program]) {
    let problems: Vec<String> = programs
        .iter()
        .flat_map(|program| {
            let answer = program.scan();
            let all = findings(&answer);
            program.problems(&answer).into_iter().map(move |p| format!("{}: {p} (findings: {all:?})", program.name))
        })
        .collect();
    report(&problems);
}

/// Nothing of warning or above, and the category `none`.
fn quiet(programs: &[Program]) {
    let loud = |program: &Program| {
        let answer = program.scan();
        let loud = answer.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
        loud.map(|f| format!("{}: {} at {}:{}: {}", program.name, f.rule, f.path, f.start.line, f.message)).collect()
    };
    report(&programs.iter().flat_map(|program| -> Vec<String> { loud(program) }).collect::<Vec<_>>());
}

fn fastmcp(name: &'static str, text: &str) -> Program {
    Program::python(name, "fastmcp>=2.12,<3", text)
}

fn official(name: &'static str, text: &str) -> Program {
    Program::python(name, "mcp>=1.9,<2", text)
}

/// A hook of middleware gets the context by what it overrides, whatever its parameter is called.
#[test]
fn middleware_hooks() {
    let gate = |base: &str, context: &str| {
        format!(
            "
from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware, Middleware as Hooks
{base}

class Chooser(Base):
    def __init__(self):
        self._hidden: dict[str, set[str]] = {{}}

    def _session(self, {context}):
        inner = {context}.fastmcp_context
        return None if inner is None else inner.session_id

    async def on_list_tools(self, {context}, call_next):
        tools = await call_next({context})
        key = self._session({context}) or '<none>'
        if key not in self._hidden:
            self._hidden[key] = await ask(tools)
        return [tool for tool in tools if tool.name not in self._hidden[key]]

mcp = FastMCP('hub')
mcp.add_middleware(Chooser())

@mcp.tool
def ping() -> str:
    return 'pong'

mcp.run(transport='http')
"
        )
    };
    let wanted = |name, base: &str, context: &str| {
        fastmcp(name, &gate(base, context)).category("app-state").store("_hidden:*:*:*")
    };
    check(&[
        wanted("derived by way of another", "class Base(Middleware):\n    pass", "context"),
        wanted("under another name", "class Base(Hooks):\n    pass", "context"),
        wanted("the parameter under another name", "class Base(Middleware):\n    pass", "mctx"),
    ]);
    quiet(&[fastmcp("a class of one's own that has such methods", &gate("class Base:\n    pass", "context"))]);
    check(&[fastmcp(
        "through a context variable",
        "
from contextvars import ContextVar
from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware

_session: ContextVar[str] = ContextVar('session', default='anonymous')
_notes: dict[str, list[str]] = {}

class Sessions(Middleware):
    async def on_request(self, context, call_next):
        token = _session.set(context.fastmcp_context.session_id)
        try:
            return await call_next(context)
        finally:
            _session.reset(token)

mcp = FastMCP('notes')
mcp.add_middleware(Sessions())

@mcp.tool
def note(text: str) -> str:
    _notes.setdefault(_session.get(), []).append(text)
    return 'noted'

mcp.run(transport='http')
",
    )
    .category("app-state")
    .store("_notes:app-state:*:*")]);
}

/// An application around the SDK's session manager, with `read` to take the session from the raw headers.
fn asgi(read: &str) -> String {
    format!(
        "
from contextvars import ContextVar
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

CURRENT: ContextVar[str] = ContextVar('current', default='default')
NAMES = (b'mcp-session-id', b'x-mcp-session-id')
WORK: dict[str, dict] = {{}}
server = Server('files')

@server.call_tool()
async def call_tool(name: str, arguments: dict):
    work = WORK.setdefault(CURRENT.get(), {{}})
    work['path'] = arguments['path']
    return []

manager = StreamableHTTPSessionManager(app=server)

async def app(scope, receive, send):
    session_id = 'default'
{read}
    token = CURRENT.set(session_id)
    try:
        await manager.handle_request(scope, receive, send)
    finally:
        CURRENT.reset(token)
"
    )
}

/// The session header is found however the raw headers of a request are looked through.
#[test]
fn raw_headers() {
    let wanted = |name, read: &str| official(name, &asgi(read)).category("app-state").store("WORK:app-state:*:*");
    check(&[
        wanted(
            "compared, decoded first",
            "    for key, value in scope.get('headers', []):
        if key.decode('latin1').lower() == 'mcp-session-id':
            session_id = value.decode('latin1').strip()",
        ),
        wanted(
            "a name between",
            "    for key, value in scope['headers']:
        name = key.decode().lower()
        if name == 'user-agent':
            continue
        elif name == 'mcp-session-id':
            session_id = value.decode()",
        ),
        wanted(
            "one of several names",
            "    for key, value in scope['headers']:
        if key.lower() in NAMES:
            session_id = value.decode()",
        ),
        wanted(
            "the first of a generator",
            "    session_id = next((v.decode() for k, v in scope['headers'] if k == b'mcp-session-id'), 'default')",
        ),
    ]);
    quiet(&[
        official(
            "another header",
            &asgi(
                "    for key, value in scope['headers']:\n        if key == b'x-request-id':\n            session_id = value.decode()",
            ),
        ),
        official(
            "whatever is sent on",
            &asgi(
                "    kept = {}\n    for key, value in scope['headers']:\n        if key in (b'authorization', b'mcp-session-id', b'x-tenant'):\n            kept[key] = value.decode()\n    session_id = kept.get(b'x-tenant')",
            ),
        ),
    ]);
}

/// What an application does at its own start belongs to the process, though requests run the same function.
#[test]
fn lifespan_messages() {
    let app = |start: &str, request: &str| {
        format!(
            "
import asyncio
import uuid
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from mcp.server import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport

server = Server('hub')
transports: dict[str, StreamableHTTPServerTransport] = {{}}

class Caller:
    def __init__(self):
        self._clients = {{}}

    def register(self, name, client):
        self._clients[name] = client

    async def call(self, name, tool, arguments):
        return await self._clients[name].call_tool(tool, arguments)

caller = Caller()

@server.call_tool()
async def call_tool(name, arguments):
    return await caller.call('main', name, arguments)

async def upstream():
    async with streamablehttp_client('http://up/mcp') as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            caller.register('main', session)

async def app(scope, receive, send):
    if scope['type'] == 'lifespan':
        {start}
        return
    headers = dict(scope['headers'])
    sid = headers.get(b'mcp-session-id', b'').decode() or uuid.uuid4().hex
    transport = transports.get(sid)
    if transport is None:
        transport = StreamableHTTPServerTransport(mcp_session_id=sid)
        transports[sid] = transport
        {request}
    await transport.handle_request(scope, receive, send)
"
        )
    };
    check(&[
        official("opened at the start", &app("asyncio.create_task(upstream())", "pass")).category("transport-map"),
        official("opened for each session", &app("pass", "asyncio.create_task(upstream())")).category("gateway"),
    ]);
}

/// A client of another server that is written by hand is an upstream; what answers is none.
#[test]
fn clients_by_hand() {
    let bridge = |class: &str| {
        format!(
            "
import httpx
from fastmcp import Context, FastMCP

mcp = FastMCP('bridge')

{class}

_peers: dict[str, Peer] = {{}}

@mcp.tool
async def call(tool: str, arguments: dict, ctx: Context) -> str:
    peer = _peers.get(ctx.session_id)
    if peer is None:
        peer = Peer('http://up/mcp')
        await peer.initialize()
        _peers[ctx.session_id] = peer
    return str(await peer.request('tools/call', {{'name': tool, 'arguments': arguments}}))

mcp.run(transport='http')
"
        )
    };
    let peer = |initialize: &str| {
        bridge(&format!(
            "
class Peer:
    def __init__(self, url):
        self._url = url
        self._http = httpx.AsyncClient()

    async def initialize(self):
        {initialize}

    async def request(self, method, params):
        reply = await self._http.post(self._url, json={{'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': params}})
        return reply.json()
"
        ))
    };
    let wanted = |name, text: &str| fastmcp(name, text).category("gateway").store("_peers:upstream:*:*");
    check(&[
        wanted("a method by name", &peer("await self.request('initialize', {'protocolVersion': '2025-06-18'})")),
        wanted(
            "a message written out",
            &peer("await self._http.post(self._url, json={'jsonrpc': '2.0', 'id': 0, 'method': 'initialize'})"),
        ),
        fastmcp(
            "an interpreter of messages",
            &bridge(
                "
class Peer:
    def __init__(self, name):
        self._name = name
        self._log = []

    async def initialize(self):
        self._log.clear()

    async def request(self, method, params):
        self._log.append(params)
        if method == 'initialize':
            return {}
        return len(self._log)
",
            ),
        )
        .category("app-state"),
        fastmcp("a client of something else", &peer("await self._http.get('http://up/login')")).category("app-state"),
    ]);
}

/// A secret that opened what is kept beside it is the connection's; one that is kept to be sent is a credential.
#[test]
fn opened_with_a_secret() {
    let server = |class: &str| {
        format!(
            "
import asyncssh
import httpx
from mcp.server.fastmcp import Context, FastMCP

mcp = FastMCP('remote')

{class}

def current(ctx: Context):
    return getattr(ctx.session, 'remote', None)

@mcp.tool()
async def connect(host: str, user: str, password: str, ctx: Context) -> str:
    remote = current(ctx)
    if remote is None:
        remote = Remote()
        setattr(ctx.session, 'remote', remote)
    return await remote.open(host, user, password)

@mcp.tool()
async def run(command: str, ctx: Context) -> str:
    return await current(ctx).run(command)

mcp.run(transport='streamable-http')
"
        )
    };
    check(&[
        official(
            "a connection, and the secrets of each beside it",
            &server(
                "
class Remote:
    def __init__(self):
        self.connections = {}
        self._credentials = {}

    async def open(self, host, user, password):
        self._credentials[host] = {'user': user, 'password': password}
        known = self._credentials[host]
        self.connections[host] = await asyncssh.connect(host, username=known['user'], password=known['password'])
        return 'open'

    async def run(self, command):
        return str([await connection.run(command) for connection in self.connections.values()])
",
            ),
        )
        .category("app-state")
        .store("remote:app-state:*:*"),
        official(
            "a secret that goes with each request",
            &server(
                "
class Remote:
    def __init__(self):
        self._password = None

    async def open(self, host, user, password):
        self._password = password
        return 'open'

    async def run(self, command):
        async with httpx.AsyncClient() as http:
            reply = await http.post('https://x.example/run', json={'c': command}, headers={'x-key': self._password})
        return reply.text
",
            ),
        )
        .category("auth"),
    ]);
}
