//! Limits and counts kept by session: small servers, one for each way in which people write them. Beside `NAME.ts` stands
//! `NAME.after.ts`, or `NAME.refused.txt` with what is said instead. `MCP_MIGRATE_UPDATE=1` writes what is missing or changed.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::plan::Level;

use crate::disk::{Outcome, Package};
use crate::parse::assert_parses;

const MANIFEST: &str = r#"{
  "name": "geo",
  "type": "module",
  "dependencies": { "@modelcontextprotocol/sdk": "^1.29.0", "express": "^5.1.0", "fastify": "^5.0.0", "hono": "^4.9.0", "@hono/node-server": "^2.0.0", "zod": "^4.0.0" }
}
"#;

const FILE: &str = "src/server.ts";

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix/telemetry/cases")
}

/// The programs: name and text.
fn all() -> Vec<(String, String)> {
    let mut out = Vec::new();
    for entry in fs::read_dir(cases()).expect("cases") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if let Some((name, "ts")) = file.split_once('.') {
            out.push((name.to_owned(), fs::read_to_string(&path).expect("a text")));
        }
    }
    out.sort();
    assert!(out.len() >= 10, "only {} cases", out.len());
    out
}

/// All programs with their files.
pub fn programs() -> impl Iterator<Item = (String, Vec<(String, String)>)> {
    let own = |text: &str| text.to_owned();
    all().into_iter().map(move |(name, text)| (name, vec![(own("package.json"), own(MANIFEST)), (own(FILE), text)]))
}

fn fixed(text: &str) -> (Package, Outcome) {
    let package = Package::new(&[("package.json", MANIFEST), (FILE, text)]);
    let outcome = package.fix();
    (package, outcome)
}

/// What was said in place of a step for the counts.
fn refusal(package: &Package, outcome: &Outcome) -> Option<String> {
    if let Some(refused) = &outcome.refused {
        return Some(package.told(refused));
    }
    let counts = outcome.manual.iter().filter(|manual| manual.what.starts_with("count `"));
    let told: String = counts.map(|manual| package.left(manual)).collect();
    (!told.is_empty()).then_some(told)
}

#[test]
fn each_way_to_count_by_session() {
    let update = std::env::var_os("MCP_MIGRATE_UPDATE").is_some();
    let mut wrong = Vec::new();
    for (name, text) in all() {
        let (package, outcome) = fixed(&text);
        let (kind, got) = match refusal(&package, &outcome) {
            Some(told) => ("refused.txt", told),
            None => ("after.ts", package.text(FILE)),
        };
        if kind == "after.ts" {
            assert_parses(FILE, &got);
            let counts = outcome.applied.iter().filter(|(id, _)| id.starts_with("telemetry:"));
            let levels: Vec<Level> = counts.map(|(_, level)| *level).collect();
            if levels.is_empty() || levels.iter().any(|level| *level != Level::Review) {
                wrong.push(format!("=== {name}: {levels:?}, {:?}", outcome.manual));
            }
            if !package.plan().0.is_empty() || !outcome.manual.is_empty() {
                wrong.push(format!("=== {name}: something is left: {:?}", outcome.manual));
            }
        } else {
            if package.text(FILE) != text {
                wrong.push(format!("=== {name}: refused, and changed all the same: {got}\n{}", package.text(FILE)));
            }
        }
        let path = cases().join(format!("{name}.{kind}"));
        if update {
            fs::write(&path, &got).expect("an expectation");
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if got != expected {
            wrong.push(format!("=== {name} ({kind})\n--- expected\n{expected}--- got\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn line_ends_are_kept() {
    for (name, text) in all() {
        let (package, outcome) = fixed(&text.replace('\n', "\r\n"));
        if outcome.applied.is_empty() {
            continue;
        }
        let (native, _) = fixed(&text);
        assert_eq!(package.text(FILE), native.text(FILE).replace('\n', "\r\n"), "{name}");
    }
}

/// Serves what another file builds.
const HTTP: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';

const transports = new Map<string, StreamableHTTPServerTransport>();
const app = express();

app.post('/mcp', express.json(), async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports.set(sid, created);
      },
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
";

#[test]
fn the_address_reaches_tools_of_another_file() {
    let (_, text) = all().into_iter().find(|(name, _)| name == "swept").expect("a case");
    let tools = text[..text.find("const transports").expect("the route")]
        .replace("function buildServer", "export function buildServer")
        .replace("import express from 'express';\n", "")
        .replace("import { randomUUID } from 'node:crypto';\n", "")
        .replace(
            "import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';\n",
            "",
        );
    let package = Package::new(&[("package.json", MANIFEST), (FILE, &tools), ("src/http.ts", HTTP)]);
    let outcome = package.fix();
    assert!(outcome.refused.is_none() && outcome.manual.is_empty(), "{:?} {:?}", outcome.refused, outcome.manual);
    let (tools, http) = (package.text(FILE), package.text("src/http.ts"));
    assert_parses(FILE, &tools);
    assert_parses("src/http.ts", &http);
    assert!(tools.contains("export const requestContext = new AsyncLocalStorage"), "{tools}");
    assert!(http.contains("import { buildServer, requestContext } from './server.js';"), "{http}");
    assert!(
        http.contains("app.use('/mcp', (req, _res, next) => {\n  requestContext.run({ address: req.ip }, next);"),
        "{http}"
    );
}
