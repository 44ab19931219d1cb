//! Stores kept by session as handles: small programs, one for each way in which people write them. `NAME.txt` has the files of a
//! program, each below a line `//// path`; beside it stands `NAME.after.txt` with the files that were changed, or
//! `NAME.refused.txt` with what was said instead. `MCP_MIGRATE_UPDATE=1` writes what is missing or changed.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::plan::{Level, PlanSettings};

use crate::disk::{Outcome, Package};
use crate::parse::assert_parses;

const MANIFEST: &str = r#"{
  "name": "desk",
  "type": "module",
  "dependencies": { "@modelcontextprotocol/sdk": "^1.29.0", "express": "^5.1.0", "ioredis": "^5.8.0", "keyv": "^5.5.0", "redis": "^5.8.0", "zod": "^4.0.0" }
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

/// A folder of programs with what becomes of them.
pub struct Cases {
    /// The folder below `tests/fix`.
    pub folder: &'static str,
    /// What the ids of its steps begin with.
    pub step: &'static str,
    /// What the plan says of those that are left to a person.
    pub what: &'static str,
}

const HANDLES: Cases = Cases { folder: "handles/cases", step: "handle:", what: "into handles" };

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

impl Cases {
    fn path(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix").join(self.folder)
    }
}

fn all(cases: &Cases) -> Vec<Case> {
    let mut out = Vec::new();
    for entry in fs::read_dir(cases.path()).expect("cases") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if let Some((name, "txt")) = file.split_once('.') {
            let files = files_of(&fs::read_to_string(&path).expect("a text"));
            out.push(Case { name: name.to_owned(), files });
        }
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(out.len() >= 4, "only {} cases", out.len());
    out
}

/// All programs with their files.
pub fn programs() -> impl Iterator<Item = (String, Vec<(String, String)>)> {
    let own = |text: &str| text.to_owned();
    all(&HANDLES).into_iter().map(move |case| {
        let mut files = vec![(own("package.json"), own(MANIFEST)), (own("src/http.ts"), own(HTTP))];
        files.extend(case.files);
        (case.name, files)
    })
}

fn package(files: &[(String, String)]) -> Package {
    let mut all: Vec<(&str, &str)> = vec![("package.json", MANIFEST), ("src/http.ts", HTTP)];
    all.extend(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    Package::new(&all)
}

fn fixed(files: &[(String, String)]) -> (Package, Outcome) {
    let package = package(files);
    let outcome = package.fix();
    (package, outcome)
}

/// The files that were changed, or what was said instead.
fn told(cases: &Cases, case: &Case, package: &Package, outcome: &Outcome) -> (&'static str, String) {
    if let Some(refused) = &outcome.refused {
        return ("refused", package.told(refused));
    }
    if !outcome.applied.iter().any(|(id, _)| id.starts_with(cases.step)) {
        let manual =
            outcome.manual.iter().filter(|manual| manual.what.contains(cases.what)).map(|manual| package.left(manual));
        return ("refused", manual.collect());
    }
    let changed = case.files.iter().filter(|(path, text)| package.text(path) != *text);
    ("after", changed.map(|(path, _)| format!("//// {path}\n{}", package.text(path))).collect())
}

#[test]
fn each_way_to_keep_state_by_session() {
    each(&HANDLES);
}

/// Fixes every program of a folder, and compares what became of it.
pub fn each(cases: &Cases) {
    let update = std::env::var_os("MCP_MIGRATE_UPDATE").is_some();
    let mut wrong = Vec::new();
    for case in all(cases) {
        let (package, outcome) = fixed(&case.files);
        let (kind, got) = told(cases, &case, &package, &outcome);
        if kind == "after" {
            for (path, _) in &case.files {
                assert_parses(path, &package.text(path));
            }
            let handles = outcome.applied.iter().filter(|(id, _)| id.starts_with(cases.step));
            assert!(
                handles.clone().count() > 0 && handles.clone().all(|(_, level)| *level == Level::Review),
                "{}",
                case.name
            );
            // A second run finds nothing to do.
            assert!(package.plan().0.is_empty(), "{}: steps are left", case.name);
        }
        let path = cases.path().join(format!("{}.{kind}.txt", case.name));
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
    keeps_line_ends(&HANDLES);
}

/// Sees that programs with foreign line ends become the same, with theirs.
pub fn keeps_line_ends(cases: &Cases) {
    for case in all(cases) {
        let foreign: Vec<(String, String)> =
            case.files.iter().map(|(path, text)| (path.clone(), text.replace('\n', "\r\n"))).collect();
        let (package, outcome) = fixed(&foreign);
        let (native, _) = fixed(&case.files);
        if !outcome.applied.iter().any(|(id, _)| id.starts_with(cases.step)) {
            continue;
        }
        for (path, _) in &case.files {
            assert_eq!(package.text(path), native.text(path).replace('\n', "\r\n"), "{}: {path}", case.name);
        }
    }
}

#[test]
fn semicolons_are_not_needed() {
    needs_no_semicolons(&HANDLES);
}

/// Sees that programs in the style without semicolons become the same, but for the layout.
pub fn needs_no_semicolons(cases: &Cases) {
    let mut failures = Vec::new();
    for case in all(cases) {
        let bare: Vec<(String, String)> =
            case.files.iter().map(|(path, text)| (path.clone(), without_semicolons(path, text))).collect();
        let (native, outcome) = fixed(&case.files);
        if !outcome.applied.iter().any(|(id, _)| id.starts_with(cases.step)) {
            continue;
        }
        let (package, _) = fixed(&bare);
        for (path, _) in &case.files {
            let wanted = squeezed(&without_semicolons(path, &native.text(path))).replace(';', "");
            if squeezed(&package.text(path)).replace(';', "") != wanted {
                failures.push(format!("{}: {path}\n{}", case.name, package.text(path)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A program in the style that leaves semicolons out.
fn without_semicolons(path: &str, text: &str) -> String {
    if path.ends_with(".json") {
        return text.to_owned();
    }
    let line = |line: &str| line.strip_suffix(";\n").map_or(line.to_owned(), |line| format!("{line}\n"));
    text.split_inclusive('\n').map(line).collect()
}

/// The text without what line breaks and commas at the end of a list make of it.
fn squeezed(text: &str) -> String {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    [",}", ",]", ",)"].iter().fold(text, |text, end| text.replace(end, &end[1..]))
}

#[test]
fn handles_are_optional_for_a_time_and_required_by_a_later_run() {
    optional_for_a_time(&HANDLES, 12);
}

/// Sees that handles which were optional for a time are required by a later run, and all is as if they had always been. `least` says
/// how many programs have such handles.
pub fn optional_for_a_time(cases: &Cases, least: usize) {
    let transition = PlanSettings { transition: true, ..PlanSettings::default() };
    let mut forms = 0;
    for case in all(cases) {
        let (direct, outcome) = fixed(&case.files);
        if outcome.applied.is_empty() {
            continue;
        }
        let package = package(&case.files);
        let first = package.fix_with(&transition);
        assert!(first.refused.is_none(), "{}: {}", case.name, package.told(&first.refused.expect("a refusal")));
        assert_eq!(first.applied.len(), outcome.applied.len(), "{}", case.name);
        assert!(package.plan_with(&transition).0.is_empty(), "{}: the same again changes nothing", case.name);
        let between: String = case.files.iter().map(|(path, _)| package.text(path)).collect();
        let required: String = case.files.iter().map(|(path, _)| direct.text(path)).collect();
        for (path, _) in &case.files {
            assert_parses(path, &package.text(path));
        }
        let asks = between.contains("givenHandle(") || between.contains("handleIn(");
        // Where each tool that reaches the value creates it, no tool takes a handle but a new one.
        assert_eq!(squeezed(&between) != squeezed(&required), asks, "{}\n{between}", case.name);
        let later = package.fix();
        assert!(later.refused.is_none(), "{}: {}", case.name, package.told(&later.refused.expect("a refusal")));
        assert_eq!(later.applied.len(), usize::from(asks), "{}: {:?}", case.name, later.applied);
        let handles = ["src/handles.ts", "src/handles.js"].map(str::to_owned);
        for path in case.files.iter().map(|(path, _)| path).chain(&handles) {
            let (got, wanted) = (package.text(path), direct.text(path));
            assert_eq!(squeezed(&got), squeezed(&wanted), "{}: {path}\n{got}", case.name);
        }
        assert!(package.plan().0.is_empty(), "{}: and that is the end of it", case.name);
        forms += usize::from(asks);
    }
    assert!(forms >= least, "only {forms}");
}
