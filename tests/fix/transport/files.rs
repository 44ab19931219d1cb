//! Servers whose routes, handlers and tables stand in files of their own.

use super::{MANIFEST, TOOLS};
use crate::disk::Package;
use crate::parse::assert_parses;

const MAIN: &str = "import express from 'express';
import { closeAllSessions, countSessions } from './controller.js';
import { router } from './router.js';

const app = express();
app.get('/health', (_req, res) => {
  res.json({ sessions: countSessions() });
});
app.use('/mcp', router);
const server = app.listen(3000);

process.on('SIGTERM', () => {
  void closeAllSessions().finally(() => {
    server.close();
    process.exit(0);
  });
});
";

const ROUTER: &str = "import { Router, json } from 'express';
import { postMcp, streamOrEnd } from './controller.js';

export const router: Router = Router();
router.use(json());
router.route('/').post(postMcp).get(streamOrEnd).delete(streamOrEnd);
";

const CONTROLLER: &str = "import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Request, Response } from 'express';
import { buildServer } from './tools.js';

const transports: Record<string, StreamableHTTPServerTransport> = {};

export function countSessions(): number {
  return Object.keys(transports).length;
}

export async function closeAllSessions(): Promise<void> {
  const open = Object.values(transports);
  await Promise.all(open.map((transport) => transport.close()));
}

export async function postMcp(req: Request, res: Response): Promise<void> {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports[id] : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('No session');
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports[sid] = created;
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
}

export async function streamOrEnd(req: Request, res: Response): Promise<void> {
  const transport = transports[(req.headers['mcp-session-id'] as string | undefined) ?? ''];
  if (!transport) {
    res.status(400).send('No session');
    return;
  }
  await transport.handleRequest(req, res);
}
";

#[test]
fn what_counts_and_closes_for_other_files_stays_where_it_is() {
    let package = Package::new(&[
        ("package.json", MANIFEST),
        ("src/tools.ts", TOOLS),
        ("src/main.ts", MAIN),
        ("src/router.ts", ROUTER),
        ("src/controller.ts", CONTROLLER),
    ]);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    assert_eq!(package.text("src/main.ts"), MAIN);
    let (router, controller) = (package.text("src/router.ts"), package.text("src/controller.ts"));
    assert_parses("router.ts", &router);
    assert_parses("controller.ts", &controller);
    for text in [
        "import { postMcp, streamOrEnd, track } from './controller.js';",
        "router.route('/').post(track, postMcp).get(streamOrEnd).delete(streamOrEnd);",
    ] {
        assert!(router.contains(text), "{text} is missing:\n{router}");
    }
    for text in [
        "export const track = (_req: Request, res: Response, next: NextFunction) => {",
        "  return inFlight.size;",
        "  draining = true;\n  await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));\n}",
    ] {
        assert!(controller.contains(text), "{text} is missing:\n{controller}");
    }
    for text in ["transports", "randomUUID", "isInitializeRequest", "400"] {
        assert!(!controller.contains(text), "{text} is left:\n{controller}");
    }
}

const SESSIONS: &str = "import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';

const live = new Map<string, WebStandardStreamableHTTPServerTransport>();

function looksLikeInitialize(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (body as { method?: unknown }).method === 'initialize';
}

export async function getOrCreate(id: string | undefined, body: unknown) {
  if (id) return live.get(id);
  if (!looksLikeInitialize(body)) return undefined;
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (sid) => {
      live.set(sid, transport);
    },
  });
  await buildServer().connect(transport);
  return transport;
}

export const known = (id: string | undefined) => (id ? live.get(id) : undefined);
";

const ROUTES: &str = "import { Hono } from 'hono';
import { getOrCreate, known } from './sessions.js';

export const mcp = new Hono();

mcp.post('/', async (c) => {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (body === undefined) return c.text('Parse error', 400);
  const transport = await getOrCreate(c.req.header('mcp-session-id'), body);
  if (!transport) return c.text('No session', 400);
  return transport.handleRequest(c.req.raw, { parsedBody: body });
});

mcp.on(['GET', 'DELETE'], '/', async (c) => {
  const transport = known(c.req.header('mcp-session-id'));
  if (!transport) return c.text('No session', 404);
  return transport.handleRequest(c.req.raw);
});
";

#[test]
fn a_fallback_in_a_callback_is_no_answer_of_the_call_and_listed_methods_are_turned_away() {
    let files =
        [("package.json", MANIFEST), ("src/tools.ts", TOOLS), ("src/sessions.ts", SESSIONS), ("src/routes.ts", ROUTES)];
    let package = Package::new(&files);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    let routes = package.text("src/routes.ts");
    assert_parses("routes.ts", &routes);
    for text in [
        "  if (body === undefined) return c.text('Parse error', 400);\n  const transport = await getOrCreate();\n",
        "mcp.on(['GET', 'DELETE'], '/', (c) => {\n  return c.json(\n",
        "    405,\n    { Allow: 'POST' }\n  );\n});\n",
    ] {
        assert!(routes.contains(text), "{text} is missing:\n{routes}");
    }
    assert!(!routes.contains("No session"), "{routes}");
}

const SSE: &str = "import express from 'express'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { buildServer } from './tools.js'

const app = express()
const open = new Map<string, SSEServerTransport>()

app.get('/sse', async (_req, res) => {
  const transport = new SSEServerTransport('/messages', res)
  open.set(transport.sessionId, transport)
  await buildServer().connect(transport)
})
app.post('/messages', async (req, res) => {
  await open.get(String(req.query.sessionId))?.handlePostMessage(req, res)
})
app.listen(3001)
";

#[test]
fn a_program_of_its_own_for_older_clients_stays_and_an_endpoint_on_the_same_application_goes() {
    let server = include_str!("cases/map-early-return.ts");
    let files = |sse: &'static str| {
        [("package.json", MANIFEST), ("src/tools.ts", TOOLS), ("src/server.ts", server), ("src/sse.ts", sse)]
    };
    let package = Package::new(&files(SSE));
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    assert_eq!(package.text("src/sse.ts"), SSE);
    assert!(!package.text("src/server.ts").contains("mcp-session-id"));
    // The application is another file's: this is a part of its program.
    let handed = SSE
        .replace("const app = express()", "export function addSse(app: express.Express) {")
        .replace("app.listen(3001)", "}");
    let handed: &'static str = Box::leak(handed.into_boxed_str());
    let server = format!("{server}\n").replace("app.listen(", "addSse(app);\napp.listen(");
    let server = format!("import {{ addSse }} from './sse.js';\n{server}");
    let package = Package::new(&[
        ("package.json", MANIFEST),
        ("src/tools.ts", TOOLS),
        ("src/server.ts", &server),
        ("src/sse.ts", handed),
    ]);
    let outcome = package.fix();
    assert!(
        outcome.applied.is_empty() || !package.text("src/sse.ts").contains("'/sse'"),
        "half of the endpoint is left"
    );
}

const STORE: &str =
    "import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** The open sessions of this process. */
const open = new Map<string, StreamableHTTPServerTransport>();

export function keep(id: string, transport: StreamableHTTPServerTransport): void {
  open.set(id, transport);
  console.log(`session ${id} opened (${open.size})`);
}

export function find(id: string | undefined): StreamableHTTPServerTransport | undefined {
  return id === undefined ? undefined : open.get(id);
}

export function forget(id: string): void {
  if (open.delete(id)) console.log(`session ${id} closed (${open.size})`);
}

export const howMany = (): number => open.size;

export async function closeAll(): Promise<void> {
  await Promise.allSettled([...open.values()].map((transport) => transport.close()));
  open.clear();
}
";

const USER: &str = "import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { find, forget, keep } from './store.js';
import { buildServer } from './tools.js';

export const mcp = Router();

async function begin(): Promise<StreamableHTTPServerTransport> {
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => keep(id, transport),
  });
  transport.onclose = () => {
    if (transport.sessionId) forget(transport.sessionId);
  };
  await buildServer().connect(transport);
  return transport;
}

mcp.post('/', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = find(id);
  if (!transport && !id && isInitializeRequest(req.body)) {
    transport = await begin();
  }
  if (!transport) {
    res.status(400).send('No session');
    return;
  }
  await transport.handleRequest(req, res, req.body);
});
";

const APP: &str = "import express from 'express';
import { closeAll, howMany } from './store.js';
import { mcp } from './routes.js';

const app = express();
app.use(express.json());
app.use('/mcp', mcp);
app.get('/health', (_req, res) => {
  res.json({ sessions: howMany() });
});
app.listen(3000);

process.on('SIGTERM', async () => {
  await closeAll();
  process.exit(0);
});
";

#[test]
fn what_is_counted_stands_beside_what_stays_of_a_file() {
    let package = Package::new(&[
        ("package.json", MANIFEST),
        ("src/tools.ts", TOOLS),
        ("src/store.ts", STORE),
        ("src/routes.ts", USER),
        ("src/app.ts", APP),
    ]);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    let store = package.text("src/store.ts");
    assert_parses("store.ts", &store);
    for text in
        ["const inFlight = new Set<Response>();", "let draining = false;", "export const track = (", "draining = true;"]
    {
        assert!(store.contains(text), "{text} is missing:\n{store}");
    }
    for text in ["export function keep", "export function find", "open.size"] {
        assert!(!store.contains(text), "{text} is left:\n{store}");
    }
}
