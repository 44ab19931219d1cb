//! Stores kept by session as handles: small programs, one for each way in which people write them. `NAME.txt` has the files of a
//! program, each below a line `//// path`; beside it stands `NAME.after.txt` with the files that were changed, or
//! `NAME.refused.txt` with what was said instead. `MCP_MIGRATE_UPDATE=1` writes what is missing or changed.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::plan::Level;

use crate::disk::{Outcome, Package};
use crate::parse::assert_parses;

const MANIFEST: &str = r#"{
  "name": "desk",
  "type": "module",
  "dependencies": { "@modelcontextprotocol/sdk": "^1.29.0", "express": "^5.1.0", "zod": "^4.0.0" }
}
"#;

/// Serves the program over HTTP, with sessions.
const HTTP: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './server.js';

const app = express();
app.use(express.json());
const transports: Record<string, StreamableHTTPServerTransport> = {};

app.all('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports[id] : undefined;
  if (!transport && isInitializeRequest(req.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports[sid] = transport!;
      },
    });
    await buildServer().connect(transport);
  }
  if (!transport) {
    res.status(400).end();
    return;
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
";

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix/handles/cases")
}

/// A program: its name, and its files.
struct Case {
    name: String,
    files: Vec<(String, String)>,
}

fn files_of(text: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("//// ") {
            Some(path) => out.push((path.trim().to_owned(), String::new())),
            None => out.last_mut().expect("a path first").1.push_str(line),
        }
    }
    out
}

fn all() -> Vec<Case> {
    let mut out = Vec::new();
    for entry in fs::read_dir(cases()).expect("cases") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if let Some((name, "txt")) = file.split_once('.') {
            let files = files_of(&fs::read_to_string(&path).expect("a text"));
            out.push(Case { name: name.to_owned(), files });
        }
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(out.len() >= 12, "only {} cases", out.len());
    out
}

/// All programs with their files.
pub fn programs() -> impl Iterator<Item = (String, Vec<(String, String)>)> {
    let own = |text: &str| text.to_owned();
    all().into_iter().map(move |case| {
        let mut files = vec![(own("package.json"), own(MANIFEST)), (own("src/http.ts"), own(HTTP))];
        files.extend(case.files);
        (case.name, files)
    })
}

fn fixed(files: &[(String, String)]) -> (Package, Outcome) {
    let mut all: Vec<(&str, &str)> = vec![("package.json", MANIFEST), ("src/http.ts", HTTP)];
    all.extend(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let package = Package::new(&all);
    let outcome = package.fix();
    (package, outcome)
}

/// The files that were changed, or what was said instead.
fn told(case: &Case, package: &Package, outcome: &Outcome) -> (&'static str, String) {
    if let Some(refused) = &outcome.refused {
        return ("refused", package.told(refused));
    }
    if outcome.applied.is_empty() {
        let manual = outcome
            .manual
            .iter()
            .filter(|manual| manual.what.contains("into handles"))
            .map(|manual| format!("{}\n{}\n{}\n", manual.what, manual.why, manual.todo.join("\n")));
        return ("refused", manual.collect());
    }
    let changed = case.files.iter().filter(|(path, text)| package.text(path) != *text);
    ("after", changed.map(|(path, _)| format!("//// {path}\n{}", package.text(path))).collect())
}

#[test]
fn each_way_to_keep_state_by_session() {
    let update = std::env::var_os("MCP_MIGRATE_UPDATE").is_some();
    let mut wrong = Vec::new();
    for case in all() {
        let (package, outcome) = fixed(&case.files);
        let (kind, got) = told(&case, &package, &outcome);
        if kind == "after" {
            for (path, _) in &case.files {
                assert_parses(path, &package.text(path));
            }
            let handles = outcome.applied.iter().filter(|(id, _)| id.starts_with("handle:"));
            assert!(
                handles.clone().count() > 0 && handles.clone().all(|(_, level)| *level == Level::Review),
                "{}",
                case.name
            );
            // A second run finds nothing to do.
            assert!(package.plan().0.is_empty(), "{}: steps are left", case.name);
        }
        let path = cases().join(format!("{}.{kind}.txt", case.name));
        if update {
            fs::write(&path, &got).expect("an expectation");
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if got != expected {
            wrong.push(format!("=== {} ({kind})\n--- expected\n{expected}--- got\n{got}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn line_ends_are_kept() {
    for case in all() {
        let foreign: Vec<(String, String)> =
            case.files.iter().map(|(path, text)| (path.clone(), text.replace('\n', "\r\n"))).collect();
        let (package, outcome) = fixed(&foreign);
        let (native, _) = fixed(&case.files);
        if outcome.applied.is_empty() {
            continue;
        }
        for (path, _) in &case.files {
            assert_eq!(package.text(path), native.text(path).replace('\n', "\r\n"), "{}: {path}", case.name);
        }
    }
}
