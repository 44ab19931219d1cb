//! Python servers that keep sessions in rows of a database or in streams of their own, and containers that no session can have.

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

fn quiet(programs: &[Program]) {
    let loud = |program: &Program| {
        let answer = program.scan();
        let loud = answer.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
        loud.map(|f| format!("{}: {} at {}:{}: {}", program.name, f.rule, f.path, f.start.line, f.message)).collect()
    };
    report(&programs.iter().flat_map(|program| -> Vec<String> { loud(program) }).collect::<Vec<_>>());
}

/// A server with rows of a class: its base, its columns, and how a tool writes and reads them.
fn rows(base: &str, columns: &str, write: &str, read: &str) -> String {
    format!(
        "
from fastmcp import Context, FastMCP
from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, declarative_base, sessionmaker

{base}

class Draft(Base):
    __tablename__ = 'drafts'
    id = None
    sid = None
    body = None
    {columns}

Session = sessionmaker(bind=create_engine('sqlite:///x.db'))
mcp = FastMCP('drafts')

@mcp.tool
def write(body: str, ctx: Context) -> str:
    with Session() as db:
        {write}
        db.commit()
    return 'ok'

@mcp.tool
def read(ctx: Context) -> str:
    with Session() as db:
        draft = {read}
        return draft.body if draft else ''

mcp.run(transport='http')
"
    )
}

const DERIVED: &str = "class Base(DeclarativeBase):\n    pass";
const MADE: &str = "Base = declarative_base()";

/// Rows that are made and found by the id.
#[test]
fn rows_by_session() {
    let needs = "fastmcp>=2.12,<3 sqlalchemy>=2";
    let add = "db.add(Draft(sid=ctx.session_id, body=body))";
    let wanted = |name, base: &str, read: &str| {
        Program::python(name, needs, &rows(base, "", add, read)).category("app-state").store("Draft:app-state:*:*")
    };
    check(&[
        wanted("filter", DERIVED, "db.query(Draft).filter(Draft.sid == ctx.session_id).first()"),
        wanted("filter_by, a base that a call makes", MADE, "db.query(Draft).filter_by(sid=ctx.session_id).first()"),
        wanted("select", DERIVED, "db.scalars(select(Draft).where(Draft.sid == ctx.session_id)).first()"),
        Program::python(
            "a row that leads to a key",
            needs,
            &rows(DERIVED, "api_key = None", add, "db.query(Draft).filter_by(sid=ctx.session_id).first()"),
        )
        .category("auth"),
    ]);
    quiet(&[
        Program::python(
            "rows by an argument",
            needs,
            &rows(
                DERIVED,
                "",
                "db.add(Draft(sid=body, body=body))",
                "db.query(Draft).filter(Draft.sid == ctx.client_name).first()",
            ),
        ),
        Program::python(
            "a record that is no row, and a constant of a class",
            needs,
            &rows("class Base:\n    pass", "", "draft = Draft()", "Draft() if ctx.session_id == Draft.sid else None"),
        ),
    ]);
}

/// An application that opens the older transport's streams by itself, or streams of another kind.
fn streams(event: &str, parameter: &str, methods: &str) -> String {
    format!(
        "
import asyncio
import json
from uuid import uuid4
from fastapi import FastAPI, Header, Request
from sse_starlette.sse import EventSourceResponse

app = FastAPI()
queues: dict[str, asyncio.Queue] = {{}}

@app.get('/sse')
async def sse():
    session_id = str(uuid4())
    queue = queues[session_id] = asyncio.Queue()

    async def stream():
        yield {{'event': '{event}', 'data': f'/messages?session_id={{session_id}}'}}
        while True:
            yield {{'event': 'message', 'data': await queue.get()}}

    return EventSourceResponse(stream())

@app.post('/messages')
async def messages(request: Request, {parameter}):
    queue = queues.get(session_id)
    body = await request.json()
    if body['method'] in ({methods}):
        await queue.put(json.dumps({{'jsonrpc': '2.0', 'id': body.get('id'), 'result': {{}}}}))
    return {{'ok': True}}
"
    )
}

/// Streams of the older transport, with the session in a parameter that the framework fills.
#[test]
fn streams_by_hand() {
    let methods = "'initialize', 'tools/list', 'tools/call'";
    let wanted = |name, parameter: &str| {
        Program::python(name, "fastapi sse-starlette", &streams("endpoint", parameter, methods))
            .category("transport-map")
            .facet("sse-legacy")
    };
    check(&[wanted("a parameter", "session_id: str"), wanted("one with a default", "session_id: str | None = None")]);
    quiet(&[
        Program::python("a chat", "fastapi sse-starlette", &streams("started", "session_id: str", "'ask', 'stop'")),
        Program::python(
            "a chat that asks MCP servers",
            "fastapi sse-starlette mcp>=1.9",
            &streams("started", "session_id: str", methods),
        ),
    ]);
}

/// Containers of one call, or of which the content is written in the code, are nobody's; a registry of a route that serves no MCP is
/// born with no session.
#[test]
fn scratch() {
    let server = |tool: &str| {
        format!(
            "
from fastmcp import Context, FastMCP

mcp = FastMCP('x', stateless_http=True)
ALLOWED = {{'a', 'b'}}

def label(items, key):
    by_key = {{}}
    for item in items:
        by_key[item] = 1
    by_key[key] = 2
    return len(by_key)

@mcp.tool
def work(text: str, ctx: Context) -> str:
{tool}

mcp.run(transport='http')
"
        )
    };
    quiet(&[
        Program::python(
            "a dict of one call",
            "fastmcp>=2.12,<3",
            &server("    seen = {}\n    seen[ctx.session_id] = text\n    return str(seen)"),
        ),
        Program::python(
            "a dict of a helper",
            "fastmcp>=2.12,<3",
            &server("    return str(label([text], ctx.session_id))"),
        ),
        Program::python(
            "a set of constants",
            "fastmcp>=2.12,<3",
            &server("    return 'yes' if ctx.session_id in ALLOWED else 'no'"),
        ),
        Program::python(
            "a registry of a route of one's own",
            "fastmcp>=2.12,<3",
            "
import uuid
from fastmcp import FastMCP

mcp = FastMCP('x', stateless_http=True)

class Batch:
    def __init__(self):
        self._known = {}

    def note(self):
        self._known[uuid.uuid4().hex] = 1

    def knows(self, key):
        return self._known.get(key)

def look(key: str):
    batch = Batch()
    batch.note()
    return batch.knows(key)

@mcp.tool
def find(key: str) -> str:
    return str(look(key))

@mcp.custom_route('/ingest', methods=['POST'])
async def ingest(request):
    return look(request.query_params.get('key'))

mcp.run(transport='http')
",
        ),
    ]);
    check(&[Program::python(
        "kept all the same",
        "fastmcp>=2.12,<3",
        "
from fastmcp import Context, FastMCP

mcp = FastMCP('x')
_all = {}

@mcp.tool
def put(text: str, ctx: Context) -> str:
    notes = {}
    _all.setdefault('notes', notes)
    _all['notes'][ctx.session_id] = text
    return 'ok'

mcp.run(transport='http')
",
    )
    .category("app-state")]);
}

/// Folders that are called after a session, where tools write.
#[test]
fn folders_by_session() {
    let server = |path: &str, write: &str| {
        format!(
            "
import os
from pathlib import Path
from fastmcp import Context, FastMCP

mcp = FastMCP('sandbox')
ROOT = Path('/var/lib/sandbox')
LIMIT = 10

def workspace(ctx: Context):
    path = {path}
    return path

@mcp.tool
async def put(name: str, text: str, ctx: Context) -> str:
    folder = workspace(ctx)
    {write}
    return 'written'

mcp.run(transport='http')
"
        )
    };
    let write = "folder.mkdir(exist_ok=True)\n    (folder / name).write_text(text)";
    let program = |name, path: &str, write: &str| Program::python(name, "fastmcp>=2.12,<3", &server(path, write));
    check(&[
        program("a path", "ROOT / ctx.session_id", write).category("app-state"),
        program("a path within", "ROOT / 'work' / f'{ctx.session_id}'", write).category("app-state"),
        program("a text", "f'/srv/notes/{ctx.session_id}'", "os.makedirs(folder, exist_ok=True)").category("app-state"),
    ]);
    quiet(&[
        program("by an argument", "ROOT / 'shared'", write),
        program("a log", "ROOT / f'log-{ctx.session_id}'", "folder.touch()"),
        program("only looked at", "ROOT / ctx.session_id", "known = folder.exists()"),
        program("a quotient", "LIMIT / 3", "half = folder / 2"),
    ]);
}

/// A request that a framework has at hand, and tables that refuse whoever is unknown to them.
#[test]
fn tables_of_routes() {
    let flask = |uses: &str| {
        format!(
            "
import uuid
from flask import Flask, Response, jsonify, request

app = Flask(__name__)
SESSIONS = {{}}

@app.route('/mcp', methods=['POST'])
def mcp():
    message = request.get_json()
    method = message.get('method')
    if method == 'initialize':
        sid = uuid.uuid4().hex
        SESSIONS[sid] = {{'initialized': False, 'cart': []}}
        response = jsonify({{'id': message['id']}})
        response.headers['Mcp-Session-Id'] = sid
        return response
    sid = request.headers.get('Mcp-Session-Id')
    if sid not in SESSIONS:
        return Response(status=404)
    {uses}
    return jsonify({{'tools/list': [], 'tools/call': 1}}) if method == 'tools/call' else Response(status=202)
"
        )
    };
    check(&[
        Program::python("who is there", "flask", &flask("SESSIONS[sid]['initialized'] = True"))
            .category("transport-map")
            .store("SESSIONS:transport:*:*"),
        Program::python("what they have", "flask", &flask("SESSIONS[sid]['cart'].append(message['params'])"))
            .category("app-state"),
    ]);
    let other = flask("pass").replace("initialize", "begin").replace("tools/call", "run").replace("tools/list", "all");
    let answer = Program::python("another protocol", "flask", &other).scan();
    assert_eq!(answer.summary.category, None, "{:?}", findings(&answer));
}

/// A proxy that keeps an upstream for each session, and one that opens them as they come.
#[test]
fn proxies() {
    let proxy = |class: &str, factory: &str| {
        format!(
            "
from fastmcp.server.proxy import FastMCPProxy, ProxyClient, StatefulProxyClient

client = {class}('http://up/mcp')
proxy = FastMCPProxy(client_factory={factory}, name='front')
proxy.run(transport='http')
"
        )
    };
    check(&[Program::python("one each", "fastmcp>=2.12,<3", &proxy("StatefulProxyClient", "client.new_stateful"))
        .category("gateway")
        .store("StatefulProxyClient:upstream:manual:lost")]);
    quiet(&[Program::python("as they come", "fastmcp>=2.12,<3", &proxy("ProxyClient", "lambda: client.new()"))]);
}

/// A server that keeps sessions in a table which it takes out of a record.
fn recorded(record: &str, table: &str) -> String {
    format!(
        "
from fastmcp import Context, FastMCP

mcp = FastMCP('carts')
{record}

@mcp.tool
def add(sku: str, kind: str, ctx: Context) -> str:
    {table}.setdefault(ctx.session_id, []).append(sku)
    return 'ok'

@mcp.tool
def carts(kind: str, ctx: Context) -> list[str]:
    return {table}.get(ctx.session_id, [])

mcp.run(transport='http')
"
    )
}

#[test]
fn tables_in_records_that_are_copied_or_looked_up_by_any_name() {
    let many: String = (0..50).map(|n| format!("'name_{n}': {n}, ")).collect();
    let cases = [
        ("a record copied as a whole", "own = {'carts': {}}\nall = {}\nall.update(own)".to_owned(), "all['carts']"),
        (
            "a name that comes after the copy",
            "own = {'other': 1}\nall = {}\nall.update(own)\nown['carts'] = {}\nall.update(own)".to_owned(),
            "all['carts']",
        ),
        (
            "a copy of a copy",
            "own = {'carts': {}}\nnext = {}\nall = {}\nall.update(next)\nnext.update(own)\nall.update(next)".to_owned(),
            "all['carts']",
        ),
        (
            "a record of many names",
            format!("own = {{{many}'carts': {{}}}}\nall = {{}}\nall.update(own)"),
            "all['carts']",
        ),
        ("a name that is not known", "all = {'left': {}, 'right': {}}".to_owned(), "all[kind]"),
        ("a name that is not known, of many", format!("all = {{{many}'carts': {{}}}}"), "all[kind]"),
        (
            "put under a name after it was looked up",
            "all = {'left': 1}\ndef late(kind): return all[kind]\nlate('left')\nall['right'] = {}".to_owned(),
            "all[kind]",
        ),
    ];
    let programs: Vec<Program> = cases
        .iter()
        .map(|(name, record, table)| {
            Program::python(name, "fastmcp>=2.3,<3", &recorded(record, table)).category("app-state")
        })
        .collect();
    check(&programs);
}

#[test]
fn tables_of_other_records_hold_no_sessions() {
    let source = recorded("own = {'carts': {}}\nall = {'carts': {}}\nother = {}\nother.update(own)", "all['carts']")
        .replace("all['carts']", "{}");
    check(&[Program::python("a table that is made for the call", "fastmcp>=2.3,<3", &source).category("none")]);
}

#[test]
fn rows_that_say_to_which_session_they_belong() {
    let rows = |declared: &str, add: &str, show: &str| {
        format!(
            "
from dataclasses import dataclass
from uuid import uuid4
from fastmcp import Context, FastMCP

mcp = FastMCP('rows')

@dataclass
class Row:
    session: str
    sku: str

{declared}

@mcp.tool
def add(sku: str, ctx: Context) -> str:
    {add}
    return 'ok'

@mcp.tool
def show(ctx: Context, key: str = '') -> list[str]:
    {show}

mcp.run(transport='http')
"
        )
    };
    let record = "rows.append({'session': ctx.session_id, 'sku': sku})";
    let kept = [
        ("records in a list", record, "return [row['sku'] for row in rows if row['session'] == ctx.session_id]"),
        (
            "the other way round, by get",
            record,
            "return [row['sku'] for row in rows if ctx.session_id == row.get('session')]",
        ),
        (
            "in a loop",
            record,
            "out = []\n    for row in rows:\n        if row['session'] == ctx.session_id:\n            out.append(row['sku'])\n    return out",
        ),
        (
            "the last one",
            record,
            "row = next((row for row in reversed(rows) if row['session'] == ctx.session_id), None)\n    return [row['sku']] if row else []",
        ),
        (
            "instances of a class",
            "rows.append(Row(ctx.session_id, sku))",
            "return [row.sku for row in rows if row.session == ctx.session_id]",
        ),
    ];
    let programs: Vec<Program> = kept
        .iter()
        .map(|(name, add, show)| {
            Program::python(name, "fastmcp>=2.3,<3", &rows("rows = []", add, show))
                .category("app-state")
                .store("rows:app-state:handle:*")
        })
        .collect();
    check(&programs);
    let not_kept = [
        ("what is only written down", "rows = []", record, "return [row['sku'] for row in rows]"),
        (
            "a list of the call",
            "",
            "rows = [{'session': ctx.session_id, 'sku': sku}]",
            "rows = [{'session': 'a', 'sku': 'b'}]\n    return [row['sku'] for row in rows if row['session'] == ctx.session_id]",
        ),
        (
            "the maker of what has a key of its own",
            "rows = {}",
            "rows[uuid4().hex] = {'session': ctx.session_id, 'sku': sku}",
            "row = rows[key]\n    if row['session'] != ctx.session_id:\n        raise ValueError('not yours')\n    return [row['sku']]",
        ),
        (
            "rows by a key of the program's own",
            "rows = []",
            "rows.append({'session': uuid4().hex, 'sku': sku})",
            "return [row['sku'] for row in rows if row['session'] == key]",
        ),
    ];
    let programs: Vec<Program> = not_kept
        .iter()
        .map(|(name, declared, add, show)| {
            Program::python(name, "fastmcp>=2.3,<3", &rows(declared, add, show)).category("none")
        })
        .collect();
    check(&programs);
}
