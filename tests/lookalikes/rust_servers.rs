//! Rust servers as people write them: what a handler holds open, upstreams, composite keys, constants of inline modules, tools that a
//! macro writes. Each kind in several spellings, beside what only looks like it.

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

/// A server whose factory builds a handler with `field`, made by `value`, that `tool` uses.
fn handler(uses: &str, items: &str, field: &str, value: &str, tool: &str, factory: &str) -> String {
    format!(
        r#"
use std::sync::{{Arc, Mutex}};
use rmcp::{{ServerHandler, tool, tool_handler, tool_router, handler::server::router::tool::ToolRouter}};
use rmcp::transport::streamable_http_server::{{StreamableHttpService, session::local::LocalSessionManager}};
{uses}

{items}

#[derive(Clone)]
struct Desk {{ {field}, tool_router: ToolRouter<Self> }}

impl Desk {{
    fn open(host: &str) -> Result<Self, String> {{
        let inner = {value};
        Ok(Self {{ inner, tool_router: Self::tool_router() }})
    }}
}}

#[tool_router]
impl Desk {{
    #[tool(description = "work")]
    async fn work(&self) -> String {{ {tool} }}
}}

#[tool_handler]
impl ServerHandler for Desk {{}}

#[tokio::main]
async fn main() {{
    let host = String::from("a");
    {factory}
    let service = StreamableHttpService::new(factory, LocalSessionManager::default().into(), Default::default());
    let app = axum::Router::new().nest_service("/mcp", service);
    axum::serve(tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap(), app).await.unwrap();
}}
"#
    )
}

const FRESH: &str = "let factory = move || Desk::open(&host).map_err(std::io::Error::other);";
const SHARED: &str = "let desk = Desk::open(&host).unwrap(); let factory = move || Ok(desk.clone());";

/// A browser, a shell or a socket that the factory opens for each session is state, though nothing changes it.
#[test]
fn held_open() {
    let needs = "rmcp=0.8 axum=0.8 tokio=1 ssh2=0.9 headless_chrome=1 reqwest=0.12";
    let remote = "pub struct Remote { session: ssh2::Session }
impl Remote {
    pub fn open(host: &str) -> Result<Self, ssh2::Error> { let session = ssh2::Session::new()?; Ok(Self { session }) }
    pub fn run(&self) -> String { self.session.channel_session().map(|_| String::new()).unwrap_or_default() }
}";
    let shell = |factory: &str| {
        handler(
            "",
            remote,
            "inner: Arc<Mutex<Remote>>",
            "Arc::new(Mutex::new(Remote::open(host).map_err(|e| e.to_string())?))",
            "self.inner.lock().unwrap().run()",
            factory,
        )
    };
    check(&[
        Program::rust("a shell behind a lock, in a struct of one's own", needs, &shell(FRESH))
            .category("app-state")
            .store("inner:app-state:*:lost"),
        Program::rust(
            "a browser by itself",
            needs,
            &handler(
                "use headless_chrome::Browser;",
                "",
                "inner: Arc<Browser>",
                "Arc::new(Browser::default().map_err(|e| e.to_string())?)",
                "self.inner.new_tab().map(|_| String::new()).unwrap_or_default()",
                FRESH,
            ),
        )
        .category("app-state")
        .store("inner:app-state:*:lost"),
        Program::rust("one for the process", needs, &shell(SHARED)).category("setup-only"),
        Program::rust(
            "a client that keeps nothing open",
            needs,
            &handler(
                "",
                "",
                "inner: Arc<Mutex<reqwest::Client>>",
                "Arc::new(Mutex::new(reqwest::Client::new()))",
                "format!(\"{:?}\", self.inner.lock().unwrap())",
                FRESH,
            ),
        )
        .category("setup-only"),
    ]);
}

/// A client of another server that a call opens, kept by the handler of a session: a gateway. One for the process is shared.
#[test]
fn opened_by_calls() {
    let proxy = |factory: &str| {
        format!(
            r#"
use std::sync::Arc;
use rmcp::{{ErrorData as McpError, RoleClient, RoleServer, ServerHandler, ServiceExt, model::*, service::{{RequestContext, RunningService}}}};
use rmcp::transport::{{TokioChildProcess, streamable_http_server::{{StreamableHttpService, session::local::LocalSessionManager}}}};
use tokio::{{process::Command, sync::Mutex}};

#[derive(Clone)]
struct Proxy {{ upstream: Arc<Mutex<Option<RunningService<RoleClient, ()>>>> }}

impl Proxy {{
    fn new() -> Self {{ Self {{ upstream: Arc::new(Mutex::new(None)) }} }}
    async fn ensure(&self) {{
        let mut upstream = self.upstream.lock().await;
        if upstream.is_none() {{
            let child = TokioChildProcess::new(Command::new("server")).unwrap();
            *upstream = Some(().serve(child).await.unwrap());
        }}
    }}
}}

impl ServerHandler for Proxy {{
    async fn call_tool(&self, params: CallToolRequestParam, _: RequestContext<RoleServer>) -> Result<CallToolResult, McpError> {{
        self.ensure().await;
        let upstream = self.upstream.lock().await;
        upstream.as_ref().unwrap().call_tool(params).await.map_err(|e| McpError::internal_error(e.to_string(), None))
    }}
}}

#[tokio::main]
async fn main() {{
    {factory}
    let service = StreamableHttpService::new(factory, LocalSessionManager::default().into(), Default::default());
    let app = axum::Router::new().nest_service("/mcp", service);
    axum::serve(tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap(), app).await.unwrap();
}}
"#
        )
    };
    let needs = "rmcp=0.8 axum=0.8 tokio=1";
    check(&[
        Program::rust("one for each session", needs, &proxy("let factory = || Ok(Proxy::new());"))
            .category("gateway")
            .store("upstream:upstream:*:*"),
        Program::rust(
            "one for the process",
            needs,
            &proxy("let proxy = Proxy::new(); let factory = move || Ok(proxy.clone());"),
        )
        .category("setup-only"),
    ]);
}

/// The state of a server that answers calls in a method of the trait, without the macros.
#[test]
fn methods_of_the_trait() {
    let text = r#"
use std::sync::{Arc, Mutex};
use rmcp::{ErrorData as McpError, RoleServer, ServerHandler, model::*, service::RequestContext};
use rmcp::transport::streamable_http_server::{StreamableHttpService, session::local::LocalSessionManager};

#[derive(Clone, Default)]
struct Desk { lines: Arc<Mutex<Vec<String>>> }

impl ServerHandler for Desk {
    async fn call_tool(&self, params: CallToolRequestParam, _: RequestContext<RoleServer>) -> Result<CallToolResult, McpError> {
        self.lines.lock().unwrap().push(params.name.to_string());
        Ok(CallToolResult::success(vec![]))
    }
}

#[tokio::main]
async fn main() {
    let service = StreamableHttpService::new(|| Ok(Desk::default()), LocalSessionManager::default().into(), Default::default());
    let app = axum::Router::new().nest_service("/mcp", service);
    axum::serve(tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap(), app).await.unwrap();
}
"#;
    check(&[Program::rust("a list of lines", "rmcp=0.8 axum=0.8 tokio=1", text)
        .category("app-state")
        .store("lines:app-state:*:lost")]);
}

/// A gateway by hand: children in a pool under a key of two parts, the header's name in `names`.
fn pooled(names: &str, path: &str, key: &str, made: &str) -> Program {
    let http = format!(
        r#"
use std::sync::Arc;
use axum::{{Json, Router, extract::State, http::HeaderMap, response::{{IntoResponse, Response}}, routing::post}};
use serde_json::{{Value, json}};
use crate::pool::Pool;
use crate::names::*;
use {path};

pub fn router(pool: Arc<Pool>) -> Router {{ Router::new().route("/mcp", post(handle)).with_state(pool) }}

async fn handle(State(pool): State<Arc<Pool>>, headers: HeaderMap, Json(req): Json<Value>) -> Response {{
    let session = match headers.get(headers::SESSION_ID).and_then(|v| v.to_str().ok()).map(String::from) {{
        Some(id) => id,
        None => uuid::Uuid::new_v4().to_string(),
    }};
    let result = match req["method"].as_str().unwrap_or_default() {{
        "initialize" => json!({{"protocolVersion": "2025-06-18"}}),
        "tools/call" => pool.forward(&session, "main", req.clone()).await,
        _ => json!({{}}),
    }};
    Response::builder().header(headers::SESSION_ID, &session).body(result.to_string().into()).unwrap()
}}
"#
    );
    let pool = format!(
        r"
use std::{{collections::HashMap, sync::Arc}};
use serde_json::Value;
use tokio::{{process::{{Child, Command}}, sync::Mutex}};

{key}

pub struct Backend {{ child: Child }}
impl Backend {{
    pub fn start(server: &str) -> Self {{ Self {{ child: Command::new(server).spawn().unwrap() }} }}
    pub async fn send(&mut self, message: &Value) -> Value {{ message.clone() }}
}}

#[derive(Default)]
pub struct Pool {{ backends: Mutex<HashMap<Key, Arc<Mutex<Backend>>>> }}

impl Pool {{
    pub async fn forward(&self, session: &str, server: &str, message: Value) -> Value {{
        let key = {made};
        let mut backends = self.backends.lock().await;
        if !backends.contains_key(&key) {{
            backends.insert(key.clone(), Arc::new(Mutex::new(Backend::start(server))));
        }}
        let backend = backends[&key].clone();
        let mut backend = backend.lock().await;
        backend.send(&message).await
    }}
}}
"
    );
    let main = "mod http; mod names; mod pool;
#[tokio::main]
async fn main() {
    let pool = std::sync::Arc::new(pool::Pool::default());
    axum::serve(tokio::net::TcpListener::bind(\"127.0.0.1:80\").await.unwrap(), http::router(pool)).await.unwrap();
}
";
    Program::rust("pooled", "axum=0.8 tokio=1 uuid=1", main)
        .file("src/names.rs", names)
        .file("src/http.rs", &http)
        .file("src/pool.rs", &pool)
}

/// A record of which a session is a part is a key as a tuple is; a constant of a module within another file is a constant.
#[test]
fn composite_keys() {
    let inline = "pub mod headers {\n    pub const SESSION_ID: &str = \"mcp-session-id\";\n}\n";
    let record = "#[derive(Clone, PartialEq, Eq, Hash)]\npub struct Key { server: String, session: String }";
    let by_record = "Key { server: server.to_string(), session: session.to_string() }";
    let tuple = "pub type Key = (String, String);";
    let wanted = |program: Program| program.category("gateway").store("backends:upstream:*:*");
    check(&[
        wanted(pooled(inline, "crate::names::headers", record, by_record)),
        wanted(pooled(inline, "crate::names::headers", tuple, "(server.to_string(), session.to_string())")),
        pooled(inline, "crate::names::headers", record, "Key { server: server.to_string(), session: String::new() }")
            .category("none"),
    ]);
    let other = "pub mod headers {\n    pub const SESSION_ID: &str = \"x-tenant\";\n}\n";
    let answer = pooled(other, "crate::names::headers", record, by_record).scan();
    let loud = answer.findings.iter().filter(|finding| finding.severity >= Severity::Warning).count();
    assert_eq!(loud, 0, "another header: {:?}", findings(&answer));
}

/// The second SDK answers the id when it is called.
#[test]
fn ids_by_call() {
    let server = |key: &str| {
        format!(
            r#"
use std::{{collections::HashMap, sync::Arc}};
use async_trait::async_trait;
use rust_mcp_sdk::{{McpServer, mcp_server::{{HyperServerOptions, ServerHandler, hyper_server}}, schema::{{CallToolRequestParams, CallToolResult, schema_utils::CallToolError}}}};
use tokio::sync::RwLock;

#[derive(Default)]
struct Game {{ rooms: RwLock<HashMap<String, String>> }}

#[async_trait]
impl ServerHandler for Game {{
    async fn handle_call_tool_request(&self, params: CallToolRequestParams, runtime: Arc<dyn McpServer>) -> Result<CallToolResult, CallToolError> {{
        let key = {key};
        self.rooms.write().await.insert(key, params.name.clone());
        Ok(CallToolResult::text_content(vec![]))
    }}
}}

#[tokio::main]
async fn main() {{
    let server = hyper_server::create_server(details(), Game::default().to_mcp_server_handler(), HyperServerOptions::default());
    server.start().await.unwrap();
}}
"#
        )
    };
    let needs = "rust-mcp-sdk=0.8 tokio=1";
    let wanted = |name, key: &str| {
        Program::rust(name, needs, &server(key)).category("app-state").store("rooms:app-state:*:lost")
    };
    check(&[
        wanted("or nothing", "runtime.session_id().unwrap_or_default()"),
        wanted("or a constant", "runtime.session_id().unwrap_or_else(|| \"local\".to_string())"),
        Program::rust("another number", needs, &server("runtime.server_version().unwrap_or_default()"))
            .category("setup-only"),
    ]);
}

/// Tools that a macro of the file writes are tools.
#[test]
fn written_by_macros() {
    let items = |call: &str| {
        format!(
            "macro_rules! register {{
    ($($tool:ident => $text:expr),* $(,)?) => {{
        #[tool_router]
        impl Notes {{
            $(
                #[tool(description = $text)]
                async fn $tool(&self) -> String {{
                    self.lines.lock().unwrap().push(String::new());
                    String::new()
                }}
            )*
        }}
    }};
}}
{call}"
        )
    };
    let server = |items: &str| {
        format!(
            "
use std::sync::{{Arc, Mutex}};
use rmcp::{{ServerHandler, tool, tool_handler, tool_router, handler::server::router::tool::ToolRouter}};
use rmcp::transport::streamable_http_server::{{StreamableHttpService, session::local::LocalSessionManager}};

#[derive(Clone)]
struct Notes {{ lines: Arc<Mutex<Vec<String>>>, tool_router: ToolRouter<Self> }}
impl Notes {{ fn new() -> Self {{ Self {{ lines: Arc::default(), tool_router: Self::tool_router() }} }} }}
{items}
#[tool_handler]
impl ServerHandler for Notes {{}}

#[tokio::main]
async fn main() {{
    let service = StreamableHttpService::new(|| Ok(Notes::new()), LocalSessionManager::default().into(), Default::default());
    let app = axum::Router::new().nest_service(\"/mcp\", service);
    axum::serve(tokio::net::TcpListener::bind(\"0.0.0.0:80\").await.unwrap(), app).await.unwrap();
}}
"
        )
    };
    let needs = "rmcp=0.8 axum=0.8 tokio=1";
    check(&[
        Program::rust("called", needs, &server(&items("register! { put => \"a\", take => \"b\" }")))
            .category("app-state")
            .store("lines:app-state:*:lost"),
        Program::rust("never called", needs, &server(&items(""))).category("setup-only"),
    ]);
}
