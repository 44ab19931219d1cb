//! Rust servers whose set-up is told by what they are handed: clients pooled for a session, the one connection of stdio, a protocol
//! spoken by hand that lets clients subscribe. Each kind in several spellings, beside what only looks like it.

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

/// A gateway whose clients are kept in a pool of its own, of which `clients` is the table, `made` the pool of a new handler; `main`
/// runs before the factory.
fn pooled(name: &'static str, clients: &str, lock: &str, made: &str, main: &str, factory: &str) -> Program {
    let text = format!(
        r#"
use std::{{collections::HashMap, sync::Arc}};
use rmcp::{{ErrorData as McpError, RoleClient, RoleServer, ServerHandler, ServiceExt, model::*, service::{{Peer, RequestContext, RunningService}}}};
use rmcp::transport::{{TokioChildProcess, streamable_http_server::{{StreamableHttpService, session::local::LocalSessionManager}}}};
use tokio::{{process::Command, sync::{{Mutex, RwLock}}}};

#[derive(Default)]
struct Pool {{ clients: {clients} }}

impl Pool {{
    async fn add(&self, name: String, client: RunningService<RoleClient, ()>) {{ self.clients{lock}.insert(name, client); }}
    async fn peer(&self, name: &str) -> Option<Peer<RoleClient>> {{ self.clients{lock}.get(name).map(|client| client.peer().clone()) }}
}}

async fn dial(pool: &Pool) {{
    let client = ().serve(TokioChildProcess::new(Command::new("server")).unwrap()).await.unwrap();
    pool.add("main".to_string(), client).await;
}}

struct Gate {{ pool: Arc<Pool>, calls: Mutex<Vec<String>> }}

impl Gate {{
    fn new() -> Self {{ Self {{ pool: {made}, calls: Mutex::new(Vec::new()) }} }}
    fn over(pool: Arc<Pool>) -> Self {{ Self {{ pool, calls: Mutex::new(Vec::new()) }} }}
}}

impl ServerHandler for Gate {{
    async fn initialize(&self, _: InitializeRequestParam, _: RequestContext<RoleServer>) -> Result<InitializeResult, McpError> {{
        dial(&self.pool).await;
        Ok(InitializeResult::default())
    }}
    async fn call_tool(&self, params: CallToolRequestParam, _: RequestContext<RoleServer>) -> Result<CallToolResult, McpError> {{
        self.calls.lock().await.push(params.name.to_string());
        let peer = self.pool.peer("main").await.unwrap();
        peer.call_tool(params).await.map_err(|e| McpError::internal_error(e.to_string(), None))
    }}
}}

#[tokio::main]
async fn main() {{
    {main}
    let service = StreamableHttpService::new({factory}, LocalSessionManager::default().into(), Default::default());
    let app = axum::Router::new().nest_service("/mcp", service);
    axum::serve(tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap(), app).await.unwrap();
}}
"#
    );
    Program::rust(name, "rmcp=0.11 axum=0.8 tokio=1 dashmap=6", &text)
}

/// Clients that a session dials and keeps in a pool of its own make a gateway. A pool that the process filled is shared.
#[test]
fn pools_of_clients() {
    let table = "Arc<Mutex<HashMap<String, RunningService<RoleClient, ()>>>>";
    let read = "RwLock<HashMap<String, RunningService<RoleClient, ()>>>";
    let dash = "dashmap::DashMap<String, RunningService<RoleClient, ()>>";
    let wanted = |program: Program| program.category("gateway").store("pool:upstream:*:*");
    check(&[
        wanted(pooled("mutex", table, ".lock().await", "Arc::new(Pool::default())", "", "|| Ok(Gate::new())")),
        wanted(pooled("a default", read, ".write().await", "Default::default()", "", "|| Ok(Gate::new())")),
        wanted(pooled("a map that locks itself", dash, "", "Arc::new(Pool::default())", "", "|| Ok(Gate::new())")),
        pooled(
            "filled by the process",
            table,
            ".lock().await",
            "Arc::new(Pool::default())",
            "let pool = Arc::new(Pool::default()); dial(&pool).await;",
            "move || Ok(Gate::over(pool.clone()))",
        )
        .category("app-state")
        .store("calls:app-state:*:*"),
    ]);
}

/// A server of the SDK that brings its own HTTP, set up by `main` after `uses`.
fn runtime(name: &'static str, needs: &str, uses: &str, main: &str) -> Program {
    let text = format!(
        r#"
use std::{{collections::HashMap, sync::Arc}};
use async_trait::async_trait;
use rust_mcp_sdk::{{McpServer, StdioTransport, ToMcpServerHandler, TransportOptions, mcp_server::ServerHandler, schema::{{CallToolRequestParams, CallToolResult, schema_utils::CallToolError}}}};
{uses}

struct Desk;

#[async_trait]
impl ServerHandler for Desk {{
    async fn handle_call_tool_request(&self, params: CallToolRequestParams, runtime: Arc<dyn McpServer>) -> Result<CallToolResult, CallToolError> {{
        Ok(CallToolResult::text_content(vec![]))
    }}
}}

#[tokio::main]
async fn main() {{
    {main}
    server.start().await.unwrap();
}}
"#
    );
    Program::rust(name, needs, &text)
}

/// What serves over stdio opens no session, however it is spelled; what serves over HTTP does, whichever crate it is in.
#[test]
fn runtimes() {
    let stdio = "let transport = StdioTransport::new(TransportOptions::default()).unwrap();";
    let options = "McpServerOptions { server_details: details(), handler: Desk.to_mcp_server_handler(), transport, task_store: None }";
    let http = |function: &str, options: &str| {
        format!("let server = {function}(details(), Desk.to_mcp_server_handler(), {options}::default());")
    };
    check(&[
        runtime(
            "stdio, by options",
            "rust-mcp-sdk=1.0.1 tokio=1",
            "use rust_mcp_sdk::mcp_server::{McpServerOptions, server_runtime};",
            &format!("{stdio} let server = server_runtime::create_server({options});"),
        )
        .category("none"),
        runtime(
            "stdio, the function by itself",
            "rust-mcp-sdk=0.5 tokio=1",
            "use rust_mcp_sdk::mcp_server::server_runtime::create_server;",
            &format!("{stdio} let server = create_server(details(), transport, Desk);"),
        )
        .category("none"),
        runtime(
            "stdio, the core runtime",
            "rust-mcp-sdk=0.8 tokio=1",
            "use rust_mcp_sdk::mcp_server::{McpServerOptions, server_runtime_core};",
            &format!("{stdio} let server = server_runtime_core::create_server({options});"),
        )
        .category("none"),
        runtime(
            "HTTP, the function by itself",
            "rust-mcp-sdk=0.8 tokio=1",
            "use rust_mcp_sdk::mcp_server::{HyperServerOptions, hyper_server::create_server};",
            &http("create_server", "HyperServerOptions"),
        )
        .category("setup-only"),
    ]);
}

/// A server that speaks the protocol by hand over channels, whose records of sessions have `field`, made by `value`; `more` are
/// methods of a record, `arms` answers to the protocol's methods.
fn spoken(name: &'static str, field: &str, value: &str, more: &str, arms: &str) -> Program {
    let text = format!(
        r#"
use std::{{collections::{{HashMap, HashSet}}, sync::{{Arc, Mutex}}}};
use axum::{{Json, Router, extract::State, http::{{HeaderMap, StatusCode}}, response::{{IntoResponse, Response}}, routing::post}};
use dashmap::DashMap;
use serde_json::{{Value, json}};
use tokio::sync::mpsc::{{Sender, channel}};

#[derive(Clone)]
struct Session {{ tx: Sender<Value>, {field} }}

impl Session {{
    fn new(tx: Sender<Value>) -> Self {{ Self {{ tx, {value} }} }}
    {more}
}}

#[derive(Clone, Default)]
struct Sessions {{ sessions: Arc<DashMap<String, Session>> }}

async fn handle(State(state): State<Sessions>, headers: HeaderMap, Json(req): Json<Value>) -> Response {{
    let method = req["method"].as_str().unwrap_or_default();
    if method == "initialize" {{
        let id = uuid::Uuid::new_v4().to_string();
        let (tx, _rx) = channel(8);
        state.sessions.insert(id.clone(), Session::new(tx));
        return ([("mcp-session-id", id)], Json(json!({{"protocolVersion": "2025-06-18"}}))).into_response();
    }}
    let Some(id) = headers.get("mcp-session-id").and_then(|v| v.to_str().ok()) else {{ return StatusCode::BAD_REQUEST.into_response() }};
    let Some(session) = state.sessions.get(id).map(|session| session.clone()) else {{ return StatusCode::NOT_FOUND.into_response() }};
    let uri = req["params"]["uri"].as_str().unwrap_or_default().to_string();
    match method {{
        {arms}
        "tools/call" => Json(json!({{"content": []}})).into_response(),
        _ => {{
            session.tx.send(json!({{"method": "notifications/message"}})).await.unwrap();
            StatusCode::ACCEPTED.into_response()
        }}
    }}
}}

#[tokio::main]
async fn main() {{
    let app = Router::new().route("/mcp", post(handle)).with_state(Sessions::default());
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:80").await.unwrap(), app).await.unwrap();
}}
"#
    );
    Program::rust(name, "axum=0.8 tokio=1 uuid=1 dashmap=6 serde_json=1", &text)
}

/// What clients subscribe to by a protocol spoken by hand is more than a transport. What the server puts them down for is not.
#[test]
fn subscriptions_by_hand() {
    let arm = r#""resources/subscribe" => { session.subscribe(uri); Json(json!({})).into_response() }"#;
    let wanted = |program: Program| program.category("app-state").store("sessions:subscription:manual:refused");
    check(&[
        wanted(spoken(
            "a map of its own",
            "resource_subscriptions: Arc<DashMap<String, u64>>",
            "resource_subscriptions: Default::default()",
            "fn subscribe(&self, uri: String) { self.resource_subscriptions.insert(uri, 0); }",
            arm,
        )),
        wanted(spoken(
            "a set behind a lock",
            "subscribed_uris: Arc<Mutex<HashSet<String>>>",
            "subscribed_uris: Arc::new(Mutex::new(HashSet::new()))",
            "fn subscribe(&self, uri: String) { self.subscribed_uris.lock().unwrap().insert(uri); }",
            arm,
        )),
        spoken(
            "what the server subscribes to",
            "subscribed_backends: Arc<Mutex<Vec<String>>>",
            "subscribed_backends: Arc::new(Mutex::new(Vec::new()))",
            "fn attach(&self, backend: String) { self.subscribed_backends.lock().unwrap().push(backend); }",
            r#""resources/subscribe" => { session.attach(uri); Json(json!({})).into_response() }"#,
        )
        .category("transport-map"),
        spoken("nothing to subscribe to", "level: u8", "level: 0", "", "").category("transport-map"),
    ]);
}

/// A client of another server that the start of a session dials, in the spellings of a place that is filled later.
#[test]
fn dialled_at_the_start() {
    let gate = |name: &'static str, ty: &str, made: &str, fill: &str, used: &str, factory: &str| {
        let text = format!(
            r#"
use std::sync::Arc;
use rmcp::{{ErrorData as McpError, RoleClient, RoleServer, ServerHandler, ServiceExt, model::*, service::{{RequestContext, RunningService}}}};
use rmcp::transport::{{TokioChildProcess, streamable_http_server::{{StreamableHttpService, session::local::LocalSessionManager}}}};
use tokio::{{process::Command, sync::{{OnceCell, RwLock}}}};

#[derive(Clone)]
struct Gate {{ upstream: {ty} }}

impl Gate {{ fn new() -> Self {{ Self {{ upstream: {made} }} }} }}

impl ServerHandler for Gate {{
    async fn initialize(&self, _: InitializeRequestParam, _: RequestContext<RoleServer>) -> Result<InitializeResult, McpError> {{
        let client = ().serve(TokioChildProcess::new(Command::new("server")).unwrap()).await.unwrap();
        {fill}
        Ok(InitializeResult::default())
    }}
    async fn call_tool(&self, params: CallToolRequestParam, _: RequestContext<RoleServer>) -> Result<CallToolResult, McpError> {{
        {used}.call_tool(params).await.map_err(|e| McpError::internal_error(e.to_string(), None))
    }}
}}

#[tokio::main]
async fn main() {{
    let gate = Gate::new();
    let service = StreamableHttpService::new({factory}, LocalSessionManager::default().into(), Default::default());
    let app = axum::Router::new().nest_service("/mcp", service);
    axum::serve(tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap(), app).await.unwrap();
}}
"#
        );
        Program::rust(name, "rmcp=0.11 axum=0.8 tokio=1", &text)
    };
    let once = "Arc<OnceCell<RunningService<RoleClient, ()>>>";
    let made = "Arc::new(OnceCell::new())";
    let (set, get) = ("let _ = self.upstream.set(client);", "self.upstream.get().unwrap()");
    let lock = "Arc<RwLock<Option<RunningService<RoleClient, ()>>>>";
    let fill = "*self.upstream.write().await = Some(client);";
    let used = "self.upstream.read().await.as_ref().unwrap()";
    let wanted = |program: Program| program.category("gateway").store("upstream:upstream:*:*");
    check(&[
        wanted(gate("once", once, made, set, get, "|| Ok(Gate::new())")),
        wanted(gate("behind a lock", lock, "Arc::new(RwLock::new(None))", fill, used, "|| Ok(Gate::new())")),
        gate("once for all", once, made, set, get, "move || Ok(gate.clone())").category("setup-only"),
    ]);
}
