//! Servers on the second SDK: its handler serves them, or the step says why it can't.

use mcp_migrate::plan::Level;

use crate::disk::Package;
use crate::parse::assert_parses;

const MANIFEST: &str = r#"{
  "name": "clock",
  "type": "module",
  "dependencies": { "@modelcontextprotocol/server": "^2.0.0", "@modelcontextprotocol/node": "^2.0.0", "hono": "^4.0.0", "express": "^5.1.0" }
}
"#;

const TOOLS: &str = "import type { McpServer } from '@modelcontextprotocol/server';

export function registerTools(server: McpServer) {
  server.registerTool('now', { description: 'Tell the time.' }, async () => ({
    content: [{ type: 'text', text: new Date().toISOString() }],
  }));
}
";

const HONO: &str = "import { serve } from '@hono/node-server';
import { isInitializeRequest, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { registerTools } from './tools.js';

interface Session {
  server: McpServer;
  transport: WebStandardStreamableHTTPServerTransport;
  lastUsed: number;
}

const sessions = new Map<string, Session>();

async function openSession(): Promise<Session> {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  registerTools(server);
  const session: Session = {
    server,
    lastUsed: Date.now(),
    transport: new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, session),
    }),
  };
  await server.connect(session.transport);
  return session;
}

const app = new Hono();

app.all('/mcp', async (c) => {
  const id = c.req.header('mcp-session-id');
  const parsedBody = c.req.method === 'POST' ? await c.req.json() : undefined;
  let session = id ? sessions.get(id) : undefined;
  if (!session) {
    if (!isInitializeRequest(parsedBody)) return c.text('Bad request', 400);
    session = await openSession();
  }
  return session.transport.handleRequest(c.req.raw, { parsedBody });
});

const http = serve({ fetch: app.fetch, port: 3000 });

process.on('SIGTERM', () => {
  Promise.allSettled([...sessions.values()].map((session) => session.server.close())).then(() => {
    http.close();
    process.exit(0);
  });
});
";

fn files(server: &str) -> Package {
    Package::new(&[("package.json", MANIFEST), ("src/tools.ts", TOOLS), ("src/server.ts", server)])
}

#[test]
fn a_helper_that_opened_sessions_builds_servers() {
    let package = files(HONO);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    let after = package.text("src/server.ts");
    assert_parses("server.ts", &after);
    let wanted = [
        "function buildServer() {\n  const server = new McpServer({ name: 'clock', version: '1.0.0' });\n  registerTools(server);\n  return server;\n}",
        "const handler = createMcpHandler(() => buildServer());",
        "  return handler.fetch(c.req.raw, { parsedBody });",
        "app.all('/mcp', track, async (c) => {",
        "await handler.close();\n  http.close();\n  process.exit(0);\n",
        "if (c.req.header('mcp-method') === 'subscriptions/listen') {",
    ];
    for text in wanted {
        assert!(after.contains(text), "{text} is missing:\n{after}");
    }
    for text in ["Session", "sessions", "Transport"] {
        assert!(!after.contains(text), "{text} is left:\n{after}");
    }
}

#[test]
fn a_helper_that_does_more_keeps_its_transport() {
    let server =
        HONO.replace("  return session;\n", "  session.transport.onmessage = console.log;\n  return session;\n");
    let package = files(&server);
    let outcome = package.fix();
    let [(_, level)] = outcome.applied.as_slice() else { panic!("{:?}", outcome.refused) };
    assert_eq!(*level, Level::Review);
    let notes = outcome.notes;
    assert!(notes.iter().any(|note| note.contains("createMcpHandler")), "{notes:?}");
    let after = package.text("src/server.ts");
    assert_parses("server.ts", &after);
    assert!(after.contains("sessionIdGenerator: undefined"), "{after}");
    assert!(!after.contains("randomUUID") && !after.contains("createMcpHandler"), "{after}");
}

const IN_PLACE: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest, McpServer } from '@modelcontextprotocol/server';
import { registerTools } from './tools.js';

const transports = new Map<string, NodeStreamableHTTPServerTransport>();
const app = express();
app.use(express.json());

app.all('/mcp', async (req, res) => {
  const id = req.get('mcp-session-id');
  const known = id ? transports.get(id) : undefined;
  if (known) {
    await known.handleRequest(req, res, req.body);
    return;
  }
  if (!isInitializeRequest(req.body)) {
    res.status(400).end();
    return;
  }
  // One for each client.
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => {
      transports.set(sid, transport);
    },
  });
  registerTools(server);
  server.registerTool('zone', { description: 'Tell the zone.' }, async () => {
    return { content: [{ type: 'text', text: 'UTC' }] };
  });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
";

#[test]
fn a_server_built_in_the_route_gets_a_function() {
    let package = files(IN_PLACE);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    let after = package.text("src/server.ts");
    assert_parses("server.ts", &after);
    let wanted = "
function createServer(): McpServer {
  // One for each client.
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  registerTools(server);
  server.registerTool('zone', { description: 'Tell the zone.' }, async () => {
    return { content: [{ type: 'text', text: 'UTC' }] };
  });
  return server;
}

const mcp = toNodeHandler(createMcpHandler(createServer));

// GET and DELETE reach the handler too: it answers them with 405.
app.all('/mcp', (req, res) => mcp(req, res, req.body));
app.listen(3000);
";
    assert!(after.ends_with(wanted), "{after}");
}

#[test]
fn a_server_built_of_the_request_keeps_its_transport() {
    let calls = [
        "registerTools(server, req.get('accept-language'));",
        "const { ip } = req;\n  registerTools(server, ip);",
        "log();\n  registerTools(server);",
        "registerTools(server);\n  if (debug) server.server.onerror = console.error;",
    ];
    for call in calls {
        let server = IN_PLACE.replace("registerTools(server);", call);
        let package = files(&server);
        let outcome = package.fix();
        let after = package.text("src/server.ts");
        assert_parses("server.ts", &after);
        assert!(after.contains(call) && after.contains("sessionIdGenerator: undefined"), "{call}: {after}");
        assert!(outcome.notes.iter().any(|note| note.contains("createMcpHandler")), "{call}: {:?}", outcome.refused);
    }
}

const BY_CALLER: &str = "import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import express, { type Request, type RequestHandler } from 'express';
import { serverFor, callerOf } from './callers.js';

const active = new Map<string, NodeStreamableHTTPServerTransport>();
const find = (req: Request) => active.get(req.get('mcp-session-id') ?? '');

const onPost: RequestHandler = async (req, res) => {
  const caller = callerOf(req);
  if (!caller) {
    res.status(401).end();
    return;
  }
  let transport = find(req);
  if (!transport && isInitializeRequest(req.body)) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        active.set(id, transport!);
      },
    });
    await serverFor(caller).connect(transport);
  }
  if (!transport) {
    res.status(400).end();
    return;
  }
  await transport.handleRequest(req, res, req.body);
};

const onGet: RequestHandler = async (req, res) => {
  const transport = find(req);
  if (transport) await transport.handleRequest(req, res);
  else res.status(404).end();
};

const app = express();
app.use(express.json());
app.post('/mcp', onPost);
app.get('/mcp', onGet);
const listener = app.listen(3000);
process.on('SIGTERM', () => listener.close());
";

const CALLERS: &str = "import { McpServer } from '@modelcontextprotocol/server';
import type { Request } from 'express';

export interface Caller {
  plan: string;
}

export function callerOf(req: Request): Caller | undefined {
  const plan = req.get('x-plan');
  return plan ? { plan } : undefined;
}

export function serverFor(caller: Caller): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('plan', { description: 'Tell the plan.' }, async () => ({
    content: [{ type: 'text', text: caller.plan }],
  }));
  return server;
}
";

fn by_caller(server: &str) -> Package {
    Package::new(&[("package.json", MANIFEST), ("src/callers.ts", CALLERS), ("src/server.ts", server)])
}

#[test]
fn a_server_built_for_the_caller_gets_a_handler_for_each_request() {
    let connect = "await serverFor(caller).connect(transport);";
    let built = [
        (connect.to_owned(), "serverFor(caller)"),
        (connect.replace("caller)", "{ plan: caller.plan })"), "serverFor({ plan: caller.plan })"),
        (connect.replace("caller)", "callerOf(req)!)"), "serverFor(callerOf(req)!)"),
        (
            connect.replace("caller)", "{ plan: req.get('x-plan') ?? '' })"),
            "serverFor({ plan: req.get('x-plan') ?? '' })",
        ),
    ];
    for (code, build) in built {
        let package = by_caller(&BY_CALLER.replace(connect, &code));
        let outcome = package.fix();
        assert_eq!(outcome.applied.len(), 1, "{code}: {:?}", outcome.refused);
        assert!(outcome.notes.iter().any(|note| note.contains("made for each of them")), "{:?}", outcome.notes);
        let after = package.text("src/server.ts");
        assert_parses("server.ts", &after);
        let wanted = format!(
            "each of them. It answers GET and DELETE with 405.\n  const mcp = toNodeHandler(createMcpHandler(() => {build}));\n  await mcp(req, res, req.body);\n"
        );
        for text in [wanted.as_str(), "    res.status(401).end();", "app.all('/mcp', onPost);"] {
            assert!(after.contains(text), "{text} is missing:\n{after}");
        }
        for text in ["active", "Transport", "onGet", "randomUUID"] {
            assert!(!after.contains(text), "{text} is left:\n{after}");
        }
    }
}

#[test]
fn a_server_built_of_what_may_change_or_behind_a_shutdown_that_waits_is_told() {
    let replaced = [
        (
            "const caller = callerOf(req);",
            "let caller = callerOf(req);\n  if (req.get('x-guest')) caller = { plan: 'guest' };",
        ),
        ("serverFor(caller)", "serverFor(await callerLater(req))"),
        (
            "process.on('SIGTERM', () => listener.close());",
            "process.on('SIGTERM', async () => {\n  for (const transport of active.values()) await transport.close();\n  process.exit(0);\n});",
        ),
    ];
    for (old, new) in replaced {
        let server = BY_CALLER.replace(old, new);
        let package = by_caller(&server);
        assert_older_alone(&package, new);
    }
}

/// Each request gets a transport of its own, and it is said that this serves no clients of the newest revision.
fn assert_older_alone(package: &Package, case: &str) {
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{case}: {:?}", outcome.refused);
    let after = package.text("src/server.ts");
    assert_parses("server.ts", &after);
    assert!(after.contains("sessionIdGenerator: undefined"), "{case}:\n{after}");
    assert!(!after.contains("createMcpHandler"), "{case}:\n{after}");
    assert!(outcome.notes.iter().any(|note| note.contains("createMcpHandler")), "{case}: {:?}", outcome.notes);
}

#[test]
fn what_a_check_says_of_a_field_of_the_request_does_not_reach_into_the_handler() {
    let server = BY_CALLER
        .replace("const caller = callerOf(req);\n  if (!caller)", "if (!req.caller)")
        .replace("serverFor(caller)", "serverFor(req.caller)");
    assert_older_alone(&by_caller(&server), "a field of the request");
}
