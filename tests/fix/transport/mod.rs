//! Routes without sessions: small programs, one for each way in which people write them. `NAME.ts` is the program; beside it stands
//! `NAME.after.ts`, or `NAME.refused.txt` with the code that stops the step. `MCP_MIGRATE_UPDATE=1` writes what is missing or changed.

mod by_hand;
mod files;
mod packages;
mod second_sdk;
mod servers;
mod stops;
mod twins;

use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::plan::Level;

use crate::disk::{Outcome, Package};
use crate::parse::assert_parses;

const MANIFEST: &str = r#"{
  "name": "clock",
  "type": "module",
  "dependencies": { "@modelcontextprotocol/sdk": "^1.29.0", "express": "^5.1.0", "hono": "^4.0.0", "fastify": "^5.0.0" }
}
"#;

const TOOLS: &str = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'Tell the time.' }, async () => ({
    content: [{ type: 'text', text: new Date().toISOString() }],
  }));
  return server;
}
";

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix/transport/cases")
}

/// A program, with the extension of its file.
struct Case {
    name: String,
    extension: String,
    text: String,
}

fn all() -> Vec<Case> {
    let mut out = Vec::new();
    for entry in fs::read_dir(cases()).expect("cases") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let Some((name, extension)) = file.split_once('.') else { continue };
        if matches!(extension, "ts" | "js" | "cjs") {
            let text = fs::read_to_string(&path).expect("a text");
            out.push(Case { name: name.to_owned(), extension: extension.to_owned(), text });
        }
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(out.len() >= 40, "only {} cases", out.len());
    out
}

/// All programs with their files.
pub fn programs() -> impl Iterator<Item = (String, Vec<(String, String)>)> {
    let own = |text: &str| text.to_owned();
    all().into_iter().map(move |case| {
        let path = format!("src/server.{}", case.extension);
        let files = vec![(own("package.json"), own(MANIFEST)), (own("src/tools.ts"), own(TOOLS)), (path, case.text)];
        (case.name, files)
    })
}

fn fixed(text: &str, extension: &str) -> (Package, Outcome, String) {
    let path = format!("src/server.{extension}");
    let package = Package::new(&[("package.json", MANIFEST), ("src/tools.ts", TOOLS), (&path, text)]);
    let outcome = package.fix();
    let after = package.text(&path);
    (package, outcome, after)
}

/// Compares with what is kept beside the case.
fn compare(file: &str, found: &str, failures: &mut Vec<String>) {
    let path = cases().join(file);
    if std::env::var_os("MCP_MIGRATE_UPDATE").is_some() {
        fs::write(&path, found).expect("the file");
    }
    let wanted = fs::read_to_string(&path).unwrap_or_default();
    if wanted != found {
        failures.push(format!("{file}:\n{found}"));
    }
}

#[test]
fn each_spelling_becomes_a_transport_for_each_request_or_is_refused_with_its_place() {
    let mut failures = Vec::new();
    for case in all() {
        let (package, outcome, after) = fixed(&case.text, &case.extension);
        if let Some(refused) = &outcome.refused {
            assert_eq!(after, case.text, "{}: refused, and changed all the same", case.name);
            compare(&format!("{}.refused.txt", case.name), &package.told(refused), &mut failures);
        } else if !outcome.manual.is_empty() {
            let told: Vec<String> =
                outcome.manual.iter().map(|manual| format!("{}: {}\n", manual.what, manual.why)).collect();
            compare(&format!("{}.manual.txt", case.name), &told.concat(), &mut failures);
        } else {
            assert!(!outcome.applied.is_empty(), "{}: nothing was done", case.name);
            assert_parses(&format!("server.{}", case.extension), &after);
            for word in ["mcp-session-id", "isInitializeRequest(", "onsessioninitialized"] {
                assert!(!after.contains(word), "{}: {word} is left", case.name);
            }
            compare(&format!("{}.after.{}", case.name, case.extension), &after, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn line_ends_and_tabs_are_kept() {
    for case in all() {
        let (_, outcome, plain) = fixed(&case.text, &case.extension);
        if outcome.applied.is_empty() {
            continue;
        }
        let (_, _, windows) = fixed(&case.text.replace('\n', "\r\n"), &case.extension);
        assert_eq!(windows, plain.replace('\n', "\r\n"), "{}", case.name);
        let (_, _, tabs) = fixed(&tabbed(&case.text), &case.extension);
        assert_eq!(tabs, tabbed(&plain), "{}", case.name);
    }
}

#[test]
fn semicolons_are_not_needed() {
    let mut failures = Vec::new();
    for case in all() {
        let (_, outcome, plain) = fixed(&case.text, &case.extension);
        if outcome.applied.is_empty() {
            continue;
        }
        let (package, outcome, bare) = fixed(&without_semicolons(&case.text), &case.extension);
        if let Some(refused) = &outcome.refused {
            failures.push(format!("{}: {}", case.name, package.told(refused)));
        } else if without_commas(&bare) != without_commas(&without_semicolons(&plain)) {
            failures.push(format!("{}:\n{bare}", case.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A program in the style that leaves semicolons out.
fn without_semicolons(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix(";\n").map_or(line.to_owned(), |line| format!("{line}\n")))
        .collect()
}

/// Where nothing else shows it, that style has no commas behind last items either.
fn without_commas(text: &str) -> String {
    text.replace(",\n", "\n")
}

/// Two spaces at the start of lines as one tab.
fn tabbed(text: &str) -> String {
    let line = |line: &str| {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        format!("{}{}{}", "\t".repeat(spaces / 2), " ".repeat(spaces % 2), &line[spaces..])
    };
    text.split_inclusive('\n').map(line).collect()
}

#[test]
fn the_level_says_what_the_reader_has_to_look_at() {
    let level = |name: &str| {
        let case = all().into_iter().find(|case| case.name == name).expect("the case");
        fixed(&case.text, &case.extension).1.applied[0].1
    };
    assert_eq!(level("map-early-return"), Level::Safe);
    // A comment goes; a bound means something else; an endpoint goes.
    assert_eq!(level("async-main"), Level::Review);
    assert_eq!(level("cap"), Level::Review);
    assert_eq!(level("sse-beside"), Level::Review);
}

#[test]
fn comments_that_are_left_to_a_person_are_named() {
    let case = all().into_iter().find(|case| case.name == "comments").expect("the case");
    let notes = fixed(&case.text, &case.extension).1.notes;
    let wanted = "A comment still speaks of sessions, and may not be true any more: src/server.ts:7";
    assert!(notes.iter().any(|note| note == wanted), "{notes:?}");
}

#[test]
fn the_gold_server_with_a_transport_map_is_as_good_as_the_one_migrated_by_hand() {
    let before = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript/b-transport-map/before");
    let read = |name: &str| fs::read_to_string(before.join(name)).expect("a file");
    let (server, tools, manifest) = (read("src/server.ts"), read("src/tools.ts"), read("package.json"));
    let package = Package::new(&[("package.json", &manifest), ("src/tools.ts", &tools), ("src/server.ts", &server)]);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1);
    let after = package.text("src/server.ts");
    assert_parses("server.ts", &after);
    let wanted = [
        "sessionIdGenerator: undefined",
        "res.on('close', () => void server.close());",
        "await server.connect(transport);",
        "app.get('/mcp', methodNotAllowed);",
        "sessions: inFlight.size",
        "await Promise.allSettled([...inFlight].map((res) => once(res, 'close', { signal: AbortSignal.timeout(10_000) })));",
    ];
    for text in wanted {
        assert!(after.contains(text), "{text} is missing:\n{after}");
    }
    for text in ["randomUUID", "isInitializeRequest", "transports", "sessionId:", "400"] {
        assert!(!after.contains(text), "{text} is left:\n{after}");
    }
}

#[test]
fn the_second_sdk_gets_its_handler() {
    let before = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript/b-transport-map/before-v2");
    let read = |name: &str| fs::read_to_string(before.join(name)).expect("a file");
    let (server, tools, manifest) = (read("src/server.ts"), read("src/tools.ts"), read("package.json"));
    let package = Package::new(&[("package.json", &manifest), ("src/tools.ts", &tools), ("src/server.ts", &server)]);
    package.fix();
    let after = package.text("src/server.ts");
    assert_parses("server.ts", &after);
    let wanted = [
        "const handler = createMcpHandler(() => getServer(), {",
        "onerror: (error) => console.error('request failed', error),",
        "const mcp = toNodeHandler(handler);",
        "app.all('/mcp', track, (req: Request, res: Response) => mcp(req, res, req.body));",
        "await handler.close();",
    ];
    for text in wanted {
        assert!(after.contains(text), "{text} is missing:\n{after}");
    }
    for text in ["StreamableHTTPServerTransport", "transports", "methodNotAllowed", "app.get('/mcp'"] {
        assert!(!after.contains(text), "{text} is left:\n{after}");
    }
}

#[test]
fn a_store_of_sessions_in_a_file_of_its_own_keeps_what_makes_a_transport() {
    let server = "import express from 'express';
import { SessionStore } from './sessions.js';

const app = express();
app.use(express.json());
const store = new SessionStore(60_000);

app.post('/mcp', async (req, res) => {
  let session = store.find(req.header('mcp-session-id'));
  if (!session) {
    session = await store.open();
  }
  await session.transport.handleRequest(req, res, req.body);
});

app.get('/health', (_req, res) => {
  res.json({ sessions: store.count });
});

process.on('SIGTERM', async () => {
  await store.closeAll();
  process.exit(0);
});

app.listen(3000);
";
    let store = "import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

interface Session {
  transport: StreamableHTTPServerTransport;
  lastUsed: number;
}

export class SessionStore {
  private sessions = new Map<string, Session>();
  private timer: NodeJS.Timeout;

  constructor(private readonly ttl: number) {
    this.timer = setInterval(() => this.sweep(), 5_000);
    this.timer.unref();
  }

  get count(): number {
    return this.sessions.size;
  }

  find(id: string | undefined): Session | undefined {
    const session = id ? this.sessions.get(id) : undefined;
    if (session) session.lastUsed = Date.now();
    return session;
  }

  async open(): Promise<Session> {
    const id = randomUUID();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const session = { transport, lastUsed: Date.now() };
    transport.onclose = () => {
      this.sessions.delete(id);
    };
    await buildServer().connect(transport);
    this.sessions.set(id, session);
    return session;
  }

  private sweep(): void {
    for (const [id, session] of this.sessions) {
      if (Date.now() - session.lastUsed > this.ttl) {
        this.sessions.delete(id);
        void session.transport.close();
      }
    }
  }

  async closeAll(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.sessions.values()].map((session) => session.transport.close()));
    this.sessions.clear();
  }
}
";
    let files =
        [("package.json", MANIFEST), ("src/tools.ts", TOOLS), ("src/server.ts", server), ("src/sessions.ts", store)];
    let package = Package::new(&files);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    let (server, store) = (package.text("src/server.ts"), package.text("src/sessions.ts"));
    assert_parses("server.ts", &server);
    assert_parses("sessions.ts", &store);
    for text in ["const session = await store.open();", "sessions: inFlight.size", "draining = true;"] {
        assert!(server.contains(text), "{text} is missing:\n{server}");
    }
    assert!(store.contains("sessionIdGenerator: undefined"), "{store}");
    for text in ["Map", "timer", "sweep", "closeAll", "find", "count"] {
        assert!(!store.contains(text), "{text} is left:\n{store}");
    }
}
