//! Traps: no finding of severity warning or above, and nothing in the category.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, report};

/// A server without sessions whose one tool runs `body` with `args` and `extra`.
fn server(top: &str, parameters: &str, body: &str) -> String {
    format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
{top}
export function buildServer() {{
  const server = new McpServer({{ name: 'desk', version: '1.0.0' }});
  server.registerTool('work', {{ inputSchema: {{ {parameters} }} }}, async (args, extra) => {{
    {body}
    return {{ content: [{{ type: 'text', text: JSON.stringify(args) }}] }};
  }});
  return server;
}}
"
    )
}

fn quiet(programs: &[Program]) {
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        let mut own = program.problems(&answer);
        let category = answer.summary.category.map_or("null", |category| category.id());
        if program.category.is_none() && category != "none" {
            own.push(format!("category {category} for none"));
        }
        let loud = answer.findings.iter().filter(|f| f.severity >= Severity::Warning);
        let loud = loud.filter(|f| !program.allowed.contains(&f.rule));
        own.extend(loud.map(|f| format!("{} speaks at {}:{}: {}", f.rule, f.path, f.start.line, f.message)));
        problems.extend(own.into_iter().map(|problem| format!("{}: {problem}", program.name)));
    }
    report(&problems);
}

#[test]
fn ordinary_arguments() {
    let map = |name, parameter: &str, noun: &str| {
        Program::v1(name).stateless(&server(
            &format!("const {noun} = new Map<string, string[]>();"),
            &format!("{parameter}: z.string()"),
            &format!(
                "const mine = {noun}.get(args.{parameter}) ?? []; mine.push('x'); {noun}.set(args.{parameter}, mine);"
            ),
        ))
    };
    quiet(&[
        map("a thought chain", "sessionId", "thoughts"),
        map("a recorder", "session_id", "recordings"),
        map("a workbook", "sessionId", "workbooks"),
        Program::v1("a browser session, stdio").stdio(&server(
            "import { open, type Page } from './browser.js';\nconst sessions: Record<string, Page> = {};",
            "sessionId: z.string(), url: z.string()",
            "const page = (sessions[args.sessionId] ??= await open()); await page.goto(args.url); console.error(`session ${args.sessionId}`);",
        )).file("src/browser.ts", "export interface Page { goto(url: string): Promise<void> }\nexport async function open(): Promise<Page> { return { async goto() {} }; }\n"),
        Program::v1("tracing by an argument").stateless(&server("", "session_id: z.string()", "await fetch(`https://traces.example/sessions/${args.session_id}`);")),
        Program::commonjs("an argument of a low-level tool, JavaScript").js(r"
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const sessions = new Map();
const server = new Server({ name: 'ssh', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { sessionId, command } = request.params.arguments;
  const session = sessions.get(sessionId);
  if (!session) throw new Error('unknown session');
  return { content: [{ type: 'text', text: await session.exec(command) }] };
});
server.connect(new StdioServerTransport());
"),
        Program::v1("a conversation id in _meta").stateless(&server(
            "const talks = new Map<string, string[]>();",
            "text: z.string()",
            "const id = String(extra._meta?.conversationId); const talk = talks.get(id) ?? []; talk.push(args.text); talks.set(id, talk);",
        )),
    ]);
}

#[test]
fn ids_of_others() {
    quiet(&[
        Program::v1("an id per process, for analytics").stdio(&server(
            "import { randomUUID } from 'node:crypto';\nconst sessionId = randomUUID();\nconst track = (event: string) => fetch('https://stats.example', { method: 'POST', body: JSON.stringify({ event, sessionId }) });",
            "text: z.string()",
            "await track('work'); console.error(`[${sessionId}] work`);",
        )),
        Program::v1("the header sent to a vendor's own API").stateless(&server(
            "const vendorSession = process.env.VENDOR_SESSION ?? '';",
            "text: z.string()",
            "await fetch('https://api.example/v1', { headers: { 'mcp-session-id': vendorSession, 'X-MCP-Session-Id': vendorSession } });",
        )),
        Program::with("sessions of a database", "mssql").stateless(&server(
            "import sql from 'mssql';",
            "limit: z.number()",
            "const rows = await sql.query`SELECT session_id, blocking_session_id FROM sys.dm_exec_requests`; for (const row of rows.recordset) console.error(row.session_id);",
        )),
        Program::v1("a vendor's login session").stateless(&server(
            "let sid: string | undefined;\nasync function login() { sid ??= (await (await fetch('https://nas.local/login')).json()).data.sid; return sid; }",
            "path: z.string()",
            "const session = await login(); await fetch(`https://nas.local/list?_sid=${session}&path=${args.path}`);",
        )),
        Program::v1("sessions of an SDK").stateless(&server(
            "import { Glue } from './glue.js';\nconst glue = new Glue();\nconst sessionIds = new Map<string, string>();",
            "workspace: z.string(), code: z.string()",
            "let id = sessionIds.get(args.workspace); if (!id) { id = (await glue.createSession({ workspace: args.workspace })).sessionId; sessionIds.set(args.workspace, id); } await glue.runStatement({ SessionId: id, Code: args.code });",
        )).file("src/glue.ts", "export class Glue { async createSession(_: { workspace: string }) { return { sessionId: 'g-1' }; } async runStatement(_: { SessionId: string; Code: string }) {} }\n"),
        Program::v1("a name with session in it, keyed by database").stateless(&server(
            "class SessionCredentialsManager { private readonly byDatabase = new Map<string, { host: string }>(); get(database: string) { return this.byDatabase.get(database); } }\nconst sessions = new SessionCredentialsManager();",
            "database: z.string()",
            "const found = sessions.get(args.database); console.error(found?.host);",
        )),
        Program::with("a key that begins with session, by tenant", "ioredis").stateless(&server(
            "import Redis from 'ioredis';\nconst redis = new Redis();",
            "tenant: z.string(), dir: z.string()",
            "await redis.set(`session:workingDir:${args.tenant}`, args.dir);",
        )),
        Program::v1("the id of an agent's transcript").stdio(&server("", "text: z.string()", "const session_id = process.env.AGENT_SESSION_ID; console.error(session_id);")),
        Program::v1("sample data").stateless(&server(
            "const rows = [{ session_id: 'a1', 'mcp-session-id': 'x', clicks: 3 }];",
            "column: z.string()",
            "console.error(rows.map((row) => row.session_id).join());",
        )),
    ]);
}

#[test]
fn web_sessions() {
    let plain = server("", "text: z.string()", "console.error(args.text);");
    quiet(&[
        Program::v1("express-session").stateless(&plain).file("src/web.ts", r"
import express from 'express';
import session from 'express-session';
export const web = express();
web.use(session({ secret: 'x', resave: false, saveUninitialized: false }));
web.post('/cart/:sku', (req, res) => { const s = req.session as any; (s.cart ??= []).push(req.params.sku); res.json(s.cart); });
web.get('/sid', (req, res) => { console.error(req.sessionID); res.end(); });
"),
        Program::v1("a cookie and a map of logins").stateless(&plain).file("src/login.ts", r"
import { randomUUID } from 'node:crypto';
import express from 'express';
const sessions = new Map<string, { user: string; accessToken: string }>();
export const login = express.Router();
login.post('/login', (req, res) => { const sid = randomUUID(); sessions.set(sid, { user: req.body.user, accessToken: req.body.token }); res.cookie('sid', sid).end(); });
login.get('/me', (req, res) => { const s = sessions.get(req.cookies.sid); if (!s) { res.status(401).end(); return; } res.json(s.user); });
"),
        Program::v1("x-session-id and the sid of a token").stateless(&plain).file("src/mid.ts", r"
import type { NextFunction, Request, Response } from 'express';
const seen = new Map<string, number>();
export function mid(req: Request, _res: Response, next: NextFunction) {
  const id = req.get('x-session-id') ?? (req as any).jwt?.sid;
  seen.set(id, Date.now());
  console.error('session', id);
  next();
}
"),
        Program::v1("an admin page on the same app").file("src/server.ts", &plain).ts(r"
import express from 'express';
import session from 'express-session';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const app = express();
app.use(express.json(), session({ secret: 'x', resave: false, saveUninitialized: false }));
app.get('/admin', (req, res) => { if (!(req.session as any).user) { res.redirect('/login'); return; } res.send(`hello ${req.sessionID}`); });
app.post('/mcp', async (req, res) => {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
        Program::bare("a shop without any protocol", r#"{"name":"shop","dependencies":{"express":"^5.0.0","express-session":"^1.18.0"}}"#).category("null").ts(r"
import express from 'express';
import session from 'express-session';
const carts = new Map<string, string[]>();
const app = express();
app.use(session({ secret: 'x', resave: false, saveUninitialized: false }));
app.post('/add/:sku', (req, res) => { const cart = carts.get(req.sessionID) ?? []; cart.push(req.params.sku); carts.set(req.sessionID, cart); res.json(cart); });
app.listen(3000);
"),
    ]);
}

#[test]
fn clients() {
    quiet(&[
        Program::bare("a client written by hand", r#"{"name":"cli","type":"module","dependencies":{}}"#).category("none|null").ts(r"
export class McpClient {
  private sessionId: string | null = null;
  constructor(private readonly url: string) {}
  async call(method: string, params: unknown) {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (this.sessionId) headers['Mcp-Session-Id'] = this.sessionId;
    const response = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
    this.sessionId = response.headers.get('mcp-session-id') ?? this.sessionId;
    return response.json();
  }
  initialize() { return this.call('initialize', {}); }
  tool(name: string) { return this.call('tools/call', { name }); }
}
"),
Program::bare("a client that keeps the id of its server", r#"{"name":"cli","type":"module","dependencies":{"@modelcontextprotocol/sdk":"^1.26.0"}}"#).category("none|null").ts(r"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
const saved = new Map<string, string>();
export async function open(url: string) {
  const transport = new StreamableHTTPClientTransport(new URL(url), { sessionId: saved.get(url) });
  const client = new Client({ name: 'cli', version: '1.0.0' });
  await client.connect(transport);
  if (transport.sessionId) saved.set(url, transport.sessionId);
  console.error('session', transport.sessionId);
  return client;
}
"),
Program::v1("the upstream side of a gateway without sessions of its own").stateless(&server(
    "import { Client } from '@modelcontextprotocol/sdk/client/index.js';\nimport { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';\nconst transport = new StreamableHTTPClientTransport(new URL('http://up.internal/mcp'));\nconst client = new Client({ name: 'gate', version: '1.0.0' });\nconst ready = client.connect(transport);",
    "tool: z.string()",
    "await ready; await client.callTool({ name: args.tool }); console.error('upstream session', transport.sessionId);",
)),
    ]);
}

#[test]
fn words_alone() {
    let plain = server("", "text: z.string()", "console.error(args.text);");
    quiet(&[
        Program::v1("generated types").stateless(&plain).file("worker-configuration.d.ts", "interface Session { sessionId: string; transports: Map<string, string> }\ndeclare const sessionIdGenerator: () => string;\n"),
        Program::v1("unit tests").stateless(&plain).file("src/server.test.ts", r"
import { buildServer } from './server.js';
const transports = new Map<string, unknown>();
test('works', async () => { const handler = (buildServer() as any).handler; await handler({}, { sessionId: 's1' }); transports.set('mcp-session-id', handler); });
").file("tests/e2e.ts", r"
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'x' });
"),
        Program::v1("a CORS list").file("src/server.ts", &plain).ts(r"
import cors from 'cors';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const app = express();
app.use(cors({ origin: '*', exposedHeaders: ['Mcp-Session-Id'], allowedHeaders: ['Content-Type', 'mcp-session-id'] }), express.json());
app.use((_req, res, next) => { res.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id'); next(); });
app.post('/mcp', async (req, res) => {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
        Program::v1("comments, documentation, texts").stateless(&server(
            "/** Reads the Mcp-Session-Id header, see extra.sessionId and transports[sessionId]. */\nconst help = 'Send mcp-session-id; sessionIdGenerator: () => randomUUID()';",
            "text: z.string()",
            "console.error(help); // drafts.get(extra.sessionId!)",
        )).file("README.md", "# Sessions\n`sessionIdGenerator: () => randomUUID()`\n"),
        Program::v1("a warning that a variable is obsolete").stateless(&server(
            "if (process.env.MCP_SESSION_TTL) console.error('MCP_SESSION_TTL is obsolete: there are no sessions any more');",
            "text: z.string()",
            "console.error(args.text);",
        )),
        Program::v1("a session map that nobody uses").stateless(&server("const sessions = new Map<string, unknown>();\nvoid sessions;", "text: z.string()", "console.error(args.text);")).allow("dead-session-code"),
        Program::v1("handles with a name of their own").stateless(&server(
            "import { randomUUID } from 'node:crypto';\nconst windows = new Map<string, { tabs: string[] }>();\nfunction openWindow() { const window_id = `win_${randomUUID()}`; windows.set(window_id, { tabs: [] }); return window_id; }",
            "window_id: z.string(), url: z.string()",
            "const window = windows.get(args.window_id); if (!window) throw new Error(`window unknown; call open_window (${openWindow.name})`); window.tabs.push(args.url);",
        )),
        Program::v1("a protocol of an inspector's own, beside a stdio server").stdio(&plain).file("src/remote.ts", r"
import { randomUUID } from 'node:crypto';
import express from 'express';
const sessions = new Map<string, { url: string; log: string[] }>();
export const remote = express.Router();
remote.post('/api/sessions', (req, res) => { const sessionId = randomUUID(); sessions.set(sessionId, { url: req.body.url, log: [] }); res.json({ sessionId }); });
remote.get('/api/sessions/:sessionId/log', (req, res) => { const s = sessions.get(req.params.sessionId); if (!s) { res.status(404).end(); return; } res.json(s.log); });
"),
    ]);
}
