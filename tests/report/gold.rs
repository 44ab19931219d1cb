//! Every format over two gold servers that are read from disk.

use std::fs;
use std::path::Path;

use mcp_migrate::check::Policy;
use mcp_migrate::edit::Level;
use mcp_migrate::pipeline::fix::{FixOptions, edits};
use mcp_migrate::report::edits::Edits;
use mcp_migrate::report::places::{Base, Places};
use mcp_migrate::report::scan::Scan;
use mcp_migrate::report::sources::DiskSources;
use mcp_migrate::report::{github, gitlab, jsonl, junit, markdown, rdjson, sarif, terse};
use mcp_migrate::{ScanOptions, Silent};
use serde_json::Value;
use tempfile::TempDir;

use crate::sarif_schema;

/// The servers of which each format has a snapshot.
const SERVERS: &[&str] = &["c-session-map", "g-gateway-child"];

fn scan(folder: &Path) -> Scan {
    let options = ScanOptions { paths: vec![folder.to_owned()], ..ScanOptions::default() };
    let mut scan = mcp_migrate::scan(&options, &Silent).unwrap_or_else(|error| panic!("{error}"));
    // The root is named as it was given; this folder differs from machine to machine.
    scan.root = ".".to_owned();
    scan
}

/// A copy of an example, which lies in no repository: fingerprints name files from there.
fn gold(server: &str) -> (TempDir, Scan) {
    let folder = TempDir::new().expect("a folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript").join(server).join("before");
    copy(&example, folder.path(), "");
    let scan = scan(folder.path());
    (folder, scan)
}

/// A renderer of text for programs.
type Renderer = fn(&Scan, &Places<'_>) -> String;

fn snapshots(format: &str, render: Renderer) {
    for server in SERVERS {
        let (_folder, scan) = gold(server);
        let sources = DiskSources::new(scan.disk_root.clone());
        let text = render(&scan, &Places::new(Base::root(), &sources));
        assert_eq!(text, render(&scan, &Places::new(Base::root(), &sources)), "the same each time");
        assert!(!text.contains(env!("CARGO_MANIFEST_DIR")), "no path of this machine");
        insta::assert_snapshot!(format!("{format}_{server}"), text);
    }
}

#[test]
fn terse_snapshots() {
    snapshots("terse", terse::render);
}

#[test]
fn github_snapshots() {
    snapshots("github", github::render);
}

#[test]
fn gitlab_snapshots() {
    snapshots("gitlab", gitlab::render);
}

#[test]
fn rdjson_snapshots() {
    snapshots("rdjson", |scan, places| rdjson::render(scan, &Edits::default(), places));
}

#[test]
fn junit_snapshots() {
    snapshots("junit", junit::render);
}

#[test]
fn jsonl_snapshots() {
    snapshots("jsonl", |scan, _| jsonl::render(scan));
}

#[test]
fn markdown_snapshots() {
    snapshots("markdown", |scan, places| markdown::render(scan, None, places.base()));
}

#[test]
fn short_markdown_snapshots() {
    snapshots("pr", |scan, places| markdown::brief(scan, None, places.base()));
}

#[test]
fn sarif_snapshots() {
    snapshots("sarif", |scan, places| {
        let text = sarif::render(scan, &Edits::default(), places);
        assert_eq!(sarif_schema::errors(&text), Vec::<String>::new());
        let mut log: Value = serde_json::from_str(&text).expect("JSON");
        // The rules are the same everywhere; a test of their own looks at them.
        log["runs"][0]["tool"]["driver"]["rules"] = Value::from("…");
        log["runs"][0]["tool"]["driver"]["notifications"] = Value::from("…");
        serde_json::to_string_pretty(&log).expect("JSON")
    });
}

/// Edits of real groups, one of which makes a file, are as the schema has them.
#[test]
fn sarif_with_edits_matches_the_schema() {
    for (server, files) in [("b-transport-map", 1), ("c-session-map", 2)] {
        let (_folder, scan) = gold(server);
        let options = FixOptions {
            scan: ScanOptions { paths: vec![scan.disk_root.clone()], ..ScanOptions::default() },
            level: Level::Review,
            rules: Vec::new(),
            without: Vec::new(),
            declined: Vec::new(),
            plan: None,
            policy: Policy::default(),
            allow_dirty: false,
        };
        let edits = edits(&options, &Silent).unwrap_or_else(|error| panic!("{error:?}"));
        let sources = DiskSources::new(scan.disk_root.clone());
        let text = sarif::render(&scan, &edits, &Places::new(Base::folder("apps/a"), &sources));
        assert_eq!(sarif_schema::errors(&text), Vec::<String>::new());
        let log: Value = serde_json::from_str(&text).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results");
        let fix = results.iter().find_map(|result| result["fixes"].get(0)).expect("a fix");
        assert_eq!(fix["artifactChanges"].as_array().map(Vec::len), Some(files), "{server}");
    }
}

/// Lines move in every change; alerts and baselines must not.
#[test]
fn fingerprints_survive_moved_lines() {
    for server in SERVERS {
        let (_folder, before) = gold(server);
        let folder = TempDir::new().expect("a folder");
        copy(&before.disk_root, folder.path(), &"// moved\n".repeat(20));
        let after = scan(folder.path());
        let seen = |scan: &Scan| -> Vec<(String, &'static str, u32)> {
            scan.findings.iter().map(|f| (f.fingerprint.clone(), f.rule, f.start.line)).collect()
        };
        let moved: Vec<_> = seen(&before).into_iter().map(|(print, rule, line)| (print, rule, line + 20)).collect();
        assert_eq!(seen(&after), moved, "{server}");
        assert!(!moved.is_empty());
    }
}

/// Copies a server, with a head before each of its source files.
fn copy(from: &Path, to: &Path, head: &str) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
        let to = to.join(name);
        if path.is_dir() {
            copy(&path, &to, head);
        } else {
            let text = fs::read_to_string(&path).expect("text");
            let source = path.extension().is_some_and(|e| e == "ts");
            fs::write(to, if source { format!("{head}{text}") } else { text }).expect("a file");
        }
    }
}
