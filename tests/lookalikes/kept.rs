//! What tables by session keep: transports of one's own, credentials that came with the address, and what nobody ever asks for.

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

/// A class of one's own that is handed the request and gives the response is a transport; one that a tool asks is not.
#[test]
fn transports_of_ones_own() {
    let aiohttp = |serve: &str, extra: &str| {
        format!(
            "
from uuid import uuid4
from aiohttp import web
from mcp.server.lowlevel import Server

server = Server('desk')

class Connection:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self._closed = False
        self._draft: list[str] = []

    async def connect(self):
        return self._draft, self._draft

    async def respond(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        return web.json_response(body)

    def note(self, line: str) -> None:
        self._draft.append(line)

class Manager:
    def __init__(self) -> None:
        self._open: dict[str, Connection] = {{}}

    async def serve(self, request: web.Request) -> web.StreamResponse:
        sid = request.headers.get('mcp-session-id')
        if sid is not None and sid in self._open:
            connection = self._open[sid]
            {serve}
        sid = uuid4().hex
        connection = Connection(sid)
        self._open[sid] = connection
        {serve}
{extra}"
        )
    };
    let program = |name, text: &str| Program::python(name, "mcp>=1.24,<2 aiohttp", text);
    check(&[
        program("the answer is returned", &aiohttp("return await connection.respond(request)", ""))
            .category("transport-map")
            .store("_open:transport:drop:*"),
        program(
            "the answer is kept and returned",
            &aiohttp("response = await connection.respond(request)\n            return response", "").replace(
                "        response = await connection.respond(request)\n            return response\n",
                "        return await connection.respond(request)\n",
            ),
        )
        .category("transport-map")
        .store("_open:transport:drop:*"),
        program(
            "a record that takes notes",
            &aiohttp("connection.note(await request.text())\n            return web.Response()", "").replace(
                "        connection.note(await request.text())\n            return web.Response()\n",
                "        return web.Response()\n",
            ),
        )
        .category("app-state")
        .store("_open:app-state:*:*"),
    ]);
}

/// A key in the address of the stream that opens a session is a credential, and what it is kept for is a sign-in.
#[test]
fn credentials_in_the_address() {
    let sse = |field: &str, parameter: &str| {
        Program::v1("a value of the address").ts(&format!(
            r"
import express from 'express';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ SSEServerTransport }} from '@modelcontextprotocol/sdk/server/sse.js';
type Data = {{ sessionId: string; {field}: string }};
const sessions: Map<string, Data> = new Map();
const transports: Record<string, SSEServerTransport> = {{}};
const server = new McpServer({{ name: 'desk', version: '1' }});
server.tool('look', 'Looks', {{}}, async (_args: object, extra: {{ sessionId?: string }}) => {{
  const data = extra.sessionId ? sessions.get(extra.sessionId) : undefined;
  return {{ content: [{{ type: 'text', text: await ask(data?.{field}) }}] }};
}});
async function ask(value?: string) {{ return `asked with ${{value ?? 'nothing'}}`; }}
const app = express();
app.get('/sse', async (req, res) => {{
  const {field} = req.query.{parameter} as string;
  const transport = new SSEServerTransport('/messages', res);
  sessions.set(transport.sessionId, {{ sessionId: transport.sessionId, {field} }});
  transports[transport.sessionId] = transport;
  res.on('close', () => {{ delete transports[transport.sessionId]; sessions.delete(transport.sessionId); }});
  await server.connect(transport);
}});
app.post('/messages', async (req, res) => {{
  const transport = transports[req.query.sessionId as string];
  if (!transport) {{ res.status(404).end(); return; }}
  await transport.handlePostMessage(req, res);
}});
app.listen(3000);
"
        ))
    };
    check(&[
        sse("apiKey", "apiKey").category("auth").store("sessions:auth:manual:*"),
        sse("key", "api_key").category("auth").store("sessions:auth:manual:*"),
        sse("secret", "token").category("auth").store("sessions:auth:manual:*"),
        // A page is no credential, though its token is called one.
        sse("page", "pageToken").category("app-state").store("sessions:app-state:*:*"),
        sse("language", "language").category("app-state").store("sessions:app-state:*:*"),
    ]);
}

/// An identity that is put beside each transport and that nobody ever asks for proves nothing.
#[test]
fn never_asked_for() {
    let asgi = |asked: &str| {
        format!(
            "
import uuid
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from starlette.requests import Request
from starlette.responses import JSONResponse

server = Server('desk')
_transports: dict[str, StreamableHTTPServerTransport] = {{}}
_users: dict[str, object] = {{}}

async def authenticate(header):
    return header.removeprefix('Bearer ') if header else None

def user_of(session_id: str):
    return _users.get(session_id)

async def app(scope, receive, send):
    request = Request(scope, receive, send)
    user = await authenticate(request.headers.get('authorization'))
    if user is None:
        await JSONResponse({{}}, status_code=401)(scope, receive, send)
        return
    sid = request.headers.get('mcp-session-id')
    if request.method == 'DELETE':
        _transports.pop(sid, None)
        _users.pop(sid, None)
        return
    if sid in _transports:
        transport = _transports[sid]
        {asked}
    else:
        sid = str(uuid.uuid4())
        transport = StreamableHTTPServerTransport(mcp_session_id=sid)
        _transports[sid] = transport
        _users[sid] = user
    await transport.handle_request(scope, receive, send)
"
        )
    };
    let program = |name, asked: &str| Program::python(name, "mcp>=1.24,<2 starlette", &asgi(asked));
    let refuse = "await JSONResponse({}, status_code=403)(scope, receive, send)\n            return";
    check(&[
        program("nobody asks", "pass").category("transport-map").store("_users:transport:drop:*"),
        program("asked by a function that runs", &format!("if user_of(sid) != user:\n            {refuse}"))
            .category("auth")
            .store("_users:auth:manual:*"),
        program("asked at once", &format!("if _users[sid] != user:\n            {refuse}"))
            .category("auth")
            .store("_users:auth:manual:*"),
    ]);
}

/// A table of ids that come, are looked up and go is the transport of a protocol spoken by hand, though it keeps points in time only.
#[test]
fn ids_that_come_and_go() {
    let hyper = |gate: &str, delete: &str| {
        format!(
            r#"
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use axum::{{Json, Router, extract::State, http::{{HeaderMap, StatusCode}}, response::{{IntoResponse, Response}}, routing::post}};
use serde_json::{{Value, json}};
use tokio::sync::RwLock;

pub struct Open {{ pub created_at: Instant, pub last_access: Instant }}

#[derive(Clone, Default)]
pub struct Sessions {{ open: Arc<RwLock<HashMap<String, Open>>> }}

impl Sessions {{
    pub async fn create(&self) -> String {{
        let id = uuid::Uuid::new_v4().to_string();
        let now = Instant::now();
        self.open.write().await.insert(id.clone(), Open {{ created_at: now, last_access: now }});
        id
    }}
    pub async fn touch(&self, id: &str) -> bool {{
        let mut open = self.open.write().await;
        if let Some(session) = open.get_mut(id) {{ session.last_access = Instant::now(); true }} else {{ false }}
    }}
    pub async fn remove(&self, id: &str) -> bool {{ self.open.write().await.remove(id).is_some() }}
}}

fn session_of(headers: &HeaderMap) -> Option<String> {{
    headers.get("mcp-session-id").and_then(|value| value.to_str().ok()).map(str::to_owned)
}}

async fn endpoint(State(sessions): State<Sessions>, headers: HeaderMap, Json(message): Json<Value>) -> Response {{
    if message["method"] == "initialize" {{
        let id = sessions.create().await;
        return ([("mcp-session-id", id)], Json(json!({{"jsonrpc": "2.0", "result": {{}}}}))).into_response();
    }}
    if let Some(id) = session_of(&headers) {{
        {gate}
    }}
    Json(json!({{"jsonrpc": "2.0", "result": {{}}}})).into_response()
}}

async fn leave(State(sessions): State<Sessions>, headers: HeaderMap) -> StatusCode {{
    let Some(id) = session_of(&headers) else {{ return StatusCode::BAD_REQUEST }};
    {delete}
    StatusCode::NO_CONTENT
}}

#[tokio::main]
async fn main() {{
    let app = Router::new().route("/mcp", post(endpoint).delete(leave)).with_state(Sessions::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await.unwrap();
    axum::serve(listener, app).await.unwrap();
}}
"#
        )
    };
    let program = |name, text: &str| Program::rust(name, "axum=0.8 serde_json=1 tokio=1 uuid=1", text);
    let gate = "if !sessions.touch(&id).await { return StatusCode::NOT_FOUND.into_response(); }";
    check(&[
        program("checked and ended", &hyper(gate, "sessions.remove(&id).await;"))
            .category("transport-map")
            .store("open:transport:drop:*"),
        program("only noted", &hyper("let _ = id;", "let _ = id;")).category("none|setup-only"),
    ]);
}
