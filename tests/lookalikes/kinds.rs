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
