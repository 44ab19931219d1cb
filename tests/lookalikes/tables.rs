//! Tables of a database with the session's id in a column: the spellings of statements, beside tables that know no session.

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

fn node(name: &'static str, package: &str, top: &str, call: &str) -> Program {
    Program::with(name, package).stateful(&format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
{top}
export function buildServer() {{
  const server = new McpServer({{ name: 'shop', version: '1.0.0' }});
  server.registerTool('add', {{ inputSchema: {{ sku: z.string() }} }}, async ({{ sku }}, extra) => {{
    {call}
    return {{ content: [{{ type: 'text', text: JSON.stringify(rows) }}] }};
  }});
  return server;
}}
"
    ))
}

fn python(name: &'static str, needs: &'static str, top: &str, body: &str) -> Program {
    Program::python(
        name,
        needs,
        &format!(
            "from mcp.server.fastmcp import Context, FastMCP\n{top}\nmcp = FastMCP('shop')\n\n@mcp.tool()\nasync def add(sku: str, ctx: Context) -> str:\n    sid = ctx.request_context.request.headers.get('mcp-session-id')\n{body}\n    return str(rows)\n\nmcp.run(transport='streamable-http')\n"
        ),
    )
}

#[test]
fn prepared_in_node() {
    let better = "import Database from 'better-sqlite3';\nconst db = new Database('shop.db');";
    let wanted = |program: Program| program.category("app-state").store("carts:app-state:*:*");
    check(&[
        wanted(node(
            "prepared and run at once",
            "better-sqlite3",
            better,
            "db.prepare('INSERT INTO carts (session_id, sku) VALUES (?, ?)').run(extra.sessionId, sku); const rows = db.prepare('SELECT sku FROM carts WHERE session_id = ?').all(extra.sessionId);",
        )),
        wanted(node(
            "prepared once, named values",
            "better-sqlite3",
            &format!(
                "{better}\nconst insert = db.prepare('INSERT INTO carts VALUES (@sid, @sku)');\nconst select = db.prepare('SELECT sku FROM carts WHERE session_id = ?');"
            ),
            "insert.run({ sid: extra.sessionId, sku }); const rows = select.pluck().all(extra.sessionId);",
        )),
        wanted(node(
            "node:sqlite",
            "dotenv",
            "import { DatabaseSync } from 'node:sqlite';\nconst db = new DatabaseSync('shop.db');",
            "db.prepare('INSERT INTO carts VALUES (?, ?)').run(extra.sessionId ?? null, sku); const rows = db.prepare('SELECT * FROM carts WHERE session_id = ?').all(extra.sessionId ?? null);",
        )),
        wanted(node(
            "pg, values in a list",
            "pg",
            "import pg from 'pg';\nconst pool = new pg.Pool();",
            "await pool.query('INSERT INTO carts (session_id, sku) VALUES ($1, $2)', [extra.sessionId, sku]); const { rows } = await pool.query('SELECT sku FROM carts WHERE session_id = $1', [extra.sessionId]);",
        )),
        wanted(node(
            "pg, a record",
            "pg",
            "import { Pool } from 'pg';\nconst pool = new Pool();",
            "await pool.query({ text: 'INSERT INTO carts (session_id, sku) VALUES ($1, $2)', values: [extra.sessionId, sku] }); const { rows } = await pool.query({ text: 'SELECT sku FROM carts WHERE session_id = $1', values: [extra.sessionId] });",
        )),
        wanted(node(
            "pg, a client of the pool",
            "pg",
            "import { Pool } from 'pg';\nconst pool = new Pool();",
            "const client = await pool.connect(); await client.query('INSERT INTO carts VALUES ($1, $2)', [extra.sessionId, sku]); const { rows } = await client.query('SELECT sku FROM carts WHERE session_id = $1', [extra.sessionId]);",
        )),
        wanted(node(
            "mysql2",
            "mysql2",
            "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'db' });",
            "await pool.execute('INSERT INTO carts VALUES (?, ?)', [extra.sessionId, sku]); const [rows] = await pool.execute('SELECT sku FROM carts WHERE session_id = ?', [extra.sessionId]);",
        )),
        wanted(node(
            "libsql",
            "@libsql/client",
            "import { createClient } from '@libsql/client';\nconst db = createClient({ url: 'file:shop.db' });",
            "await db.execute({ sql: 'INSERT INTO carts VALUES (?, ?)', args: [extra.sessionId, sku] }); const { rows } = await db.execute({ sql: 'SELECT sku FROM carts WHERE session_id = ?', args: [extra.sessionId] });",
        )),
    ]);
    let none = |program: Program| program.category("setup-only|transport-map");
    check(&[
        none(node(
            "a table of goods",
            "better-sqlite3",
            better,
            "db.prepare('INSERT INTO goods VALUES (?)').run(sku); const rows = db.prepare('SELECT * FROM goods WHERE sku = ?').all(sku); console.log(extra.sessionId);",
        )),
        none(node(
            "a statement of another library",
            "dotenv",
            "import { stage } from './stage.js';",
            "const rows = stage.prepare('INSERT INTO carts VALUES (?)').run(sku); console.log(extra.sessionId);",
        )),
    ]);
}

#[test]
fn statements_in_python() {
    let wanted = |program: Program| program.category("app-state").store("carts:app-state:*:*");
    check(&[
        wanted(python(
            "sqlite3",
            "mcp>=1.9,<2",
            "import sqlite3\ndb = sqlite3.connect('shop.db')",
            "    db.execute('INSERT INTO carts VALUES (?, ?)', (sid, sku))\n    rows = db.execute('SELECT sku FROM carts WHERE session_id = ?', (sid,)).fetchall()",
        )),
        wanted(python(
            "sqlite3, a cursor with names",
            "mcp>=1.9,<2",
            "import sqlite3\ndb = sqlite3.connect('shop.db')",
            "    cur = db.cursor()\n    cur.execute('INSERT INTO carts VALUES (:sid, :sku)', {'sid': sid, 'sku': sku})\n    rows = cur.execute('SELECT sku FROM carts WHERE session_id = :sid', {'sid': sid}).fetchall()",
        )),
        wanted(python(
            "aiosqlite",
            "mcp>=1.9,<2 aiosqlite>=0.20",
            "import aiosqlite",
            "    async with aiosqlite.connect('shop.db') as db:\n        await db.execute('INSERT INTO carts VALUES (?, ?)', (sid, sku))\n        async with db.execute('SELECT sku FROM carts WHERE session_id = ?', (sid,)) as cursor:\n            rows = await cursor.fetchall()",
        )),
        wanted(python(
            "asyncpg",
            "mcp>=1.9,<2 asyncpg>=0.29",
            "import asyncpg\npool: asyncpg.Pool | None = None",
            "    async with pool.acquire() as conn:\n        await conn.execute('INSERT INTO carts VALUES ($1, $2)', sid, sku)\n        rows = await conn.fetch('SELECT sku FROM carts WHERE session_id = $1', sid)",
        )),
        wanted(python(
            "psycopg",
            "mcp>=1.9,<2 psycopg>=3.1",
            "import psycopg",
            "    with psycopg.connect('dbname=shop') as conn, conn.cursor() as cur:\n        cur.execute('INSERT INTO carts VALUES (%s, %s)', (sid, sku))\n        rows = cur.execute('SELECT sku FROM carts WHERE session_id = %s', (sid,)).fetchall()",
        )),
    ]);
    check(&[python("a table of goods", "mcp>=1.9,<2", "import sqlite3\ndb = sqlite3.connect('shop.db')", "    print(sid)\n    db.execute('INSERT INTO goods VALUES (?)', (sku,))\n    rows = db.execute('SELECT * FROM goods').fetchall()")
        .category("none|setup-only")]);
}

fn rust(name: &'static str, needs: &str, uses: &str, field: &str, body: &str) -> Program {
    Program::rust(
        name,
        needs,
        &format!(
            r#"
use http::request::Parts;
use rmcp::{{ServerHandler, handler::server::{{router::tool::ToolRouter, tool::Extension, wrapper::Parameters}}, tool, tool_handler, tool_router}};
use rmcp::transport::streamable_http_server::{{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager}};
{uses}
#[derive(Clone)]
struct Shop {{ db: {field}, tool_router: ToolRouter<Shop> }}
#[tool_router]
impl Shop {{
    fn new(db: {field}) -> Self {{ Self {{ db, tool_router: Self::tool_router() }} }}
    #[tool(description = "Adds an item")]
    async fn add(&self, Extension(parts): Extension<Parts>, Parameters(item): Parameters<Item>) -> String {{
        let session = parts.headers.get("mcp-session-id").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        {body}
    }}
}}
#[tool_handler]
impl ServerHandler for Shop {{}}
fn serve(db: {field}) {{
    let service = StreamableHttpService::new(move || Ok(Shop::new(db.clone())), LocalSessionManager::default().into(), StreamableHttpServerConfig::default());
    let _router = axum::Router::<()>::new().nest_service("/mcp", service);
}}
"#
        ),
    )
}

#[test]
fn statements_in_rust() {
    let wanted = |program: Program| program.category("app-state").store("carts:app-state:*:*");
    let sqlx = "axum=0.8 http=1 rmcp=1.0 sqlx=0.8 tokio=1";
    let lite = "axum=0.8 http=1 rmcp=1.0 rusqlite=0.32 tokio=1";
    check(&[
        wanted(rust(
            "sqlx",
            sqlx,
            "use sqlx::SqlitePool;",
            "SqlitePool",
            r#"sqlx::query("INSERT INTO carts (session_id, sku) VALUES (?, ?)").bind(&session).bind(&item.sku).execute(&self.db).await.unwrap();
        let rows: Vec<(String,)> = sqlx::query_as("SELECT sku FROM carts WHERE session_id = ?").bind(&session).fetch_all(&self.db).await.unwrap();
        format!("{rows:?}")"#,
        )),
        wanted(rust(
            "rusqlite",
            lite,
            "use rusqlite::{Connection, params};\nuse std::sync::{Arc, Mutex};",
            "Arc<Mutex<Connection>>",
            r#"let db = self.db.lock().unwrap();
        db.execute("INSERT INTO carts (session_id, sku) VALUES (?1, ?2)", params![session, item.sku]).unwrap();
        let count: i64 = db.query_row("SELECT count(*) FROM carts WHERE session_id = ?1", params![session], |row| row.get(0)).unwrap();
        count.to_string()"#,
        )),
        wanted(rust(
            "rusqlite, prepared",
            lite,
            "use rusqlite::Connection;\nuse std::sync::{Arc, Mutex};",
            "Arc<Mutex<Connection>>",
            r#"let db = self.db.lock().unwrap();
        let mut insert = db.prepare("INSERT INTO carts (session_id, sku) VALUES (?1, ?2)").unwrap();
        insert.execute((&session, &item.sku)).unwrap();
        String::new()"#,
        )),
    ]);
    check(&[rust(
        "a table of goods",
        sqlx,
        "use sqlx::SqlitePool;",
        "SqlitePool",
        r#"tracing::info!(%session);
        sqlx::query("INSERT INTO goods (sku) VALUES (?)").bind(&item.sku).execute(&self.db).await.unwrap();
        String::new()"#,
    )
    .category("setup-only|none")]);
}

/// A table of sessions with what each of them has beside its transport; a tool or the log level sets it.
fn beside(handler: &str) -> Program {
    Program::v1("beside the transport").file("src/index.ts", &format!(
        r"
import {{ randomUUID }} from 'node:crypto';
import express from 'express';
import {{ Server }} from '@modelcontextprotocol/sdk/server/index.js';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {{ CallToolRequestSchema, SetLevelRequestSchema, type LoggingLevel }} from '@modelcontextprotocol/sdk/types.js';
interface Entry {{ transport: StreamableHTTPServerTransport; server: Server; minLevel?: string; }}
const entries = new Map<string, Entry>();
function setLevel(id: string, level: string) {{
  const entry = entries.get(id);
  if (entry) entry.minLevel = level;
}}
async function tell(level: LoggingLevel, data: string) {{
  const told = [...entries.values()].filter((entry) => (entry.minLevel ?? level) === level);
  await Promise.all(told.map((entry) => entry.server.sendLoggingMessage({{ level, data }})));
}}
function buildServer() {{
  const server = new Server({{ name: 'notes', version: '1.0.0' }}, {{ capabilities: {{ tools: {{}}, logging: {{}} }} }});
  {handler}
  return server;
}}
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {{
  const id = req.headers['mcp-session-id'] as string | undefined;
  const known = id ? entries.get(id) : undefined;
  if (known) return known.transport.handleRequest(req, res, req.body);
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({{
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {{ entries.set(sid, {{ transport, server }}); }},
  }});
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
}});
setInterval(() => void tell('info', 'still here'), 60_000);
app.listen(3000);
"
    ))
}

/// What only says which log lines a client wants to be sent is no state of an application; what a tool sets is.
#[test]
fn levels_beside_transports() {
    let level = "server.setRequestHandler(SetLevelRequestSchema, async (request, extra) => { setLevel(extra.sessionId!, request.params.level); return {}; });";
    let tool = "server.setRequestHandler(CallToolRequestSchema, async (request, extra) => { setLevel(extra.sessionId!, String(request.params.arguments?.level)); return { content: [] }; });";
    check(&[
        beside(level).category("app-state").store("entries:subscription:manual:*"),
        beside(tool).category("app-state").store("entries:app-state:handle:*"),
        beside(&format!("{level}\n  {tool}")).category("app-state").store("entries:app-state:handle:*"),
    ]);
}

/// Timers that a server keeps by name go on sending; what else it keeps by name is state.
#[test]
fn timers_by_name() {
    let keeping = |ty: &str, value: &str| {
        Program::v1("kept by name").stateful(&format!(
            r"
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ z }} from 'zod';
export function buildServer() {{
  const server = new McpServer({{ name: 'watch', version: '1.0.0' }});
  const kept = new Map<string, {ty}>();
  server.registerTool('watch', {{ inputSchema: {{ uri: z.string() }} }}, async ({{ uri }}) => {{
    kept.set(uri, {value});
    return {{ content: [{{ type: 'text', text: `${{kept.size}}` }}] }};
  }});
  return server;
}}
"
        ))
    };
    check(&[
        keeping("NodeJS.Timeout", "setInterval(() => void server.server.sendResourceUpdated({ uri }), 1000)")
            .store("kept:subscription:manual:*"),
        keeping("{ uri: string }", "{ uri }").store("kept:app-state:handle:*"),
    ]);
}
