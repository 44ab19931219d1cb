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
  "dependencies": { "@modelcontextprotocol/sdk": "^1.29.0", "express": "^5.1.0", "zod": "^4.0.0" }
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
    let told: String = counts.map(|manual| format!("{}\n{}\n{}\n", manual.what, manual.why, manual.todo.join("\n"))).collect();
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
            assert!(package.plan().0.is_empty(), "{name}: steps are left");
        } else {
            assert_eq!(package.text(FILE), text, "{name}: refused, and changed all the same");
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
