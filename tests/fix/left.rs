//! What `fix` leaves is said: whatever the scan still finds after a run is listed, with its place, or seen to by a group that is. And
//! where it finds nothing any more, nothing is left.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::check::Policy;
use mcp_migrate::edit::Level;
use mcp_migrate::pipeline::fix::{FixOptions, prepare};
use mcp_migrate::pipeline::{ScanOptions, Silent};
use mcp_migrate::rules::finding::Severity;
use mcp_migrate::scan;

/// Paths and texts of a program.
type Files = Vec<(String, String)>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The programs below a folder: each folder that has a manifest.
fn programs(folder: &Path, out: &mut Vec<PathBuf>) {
    const MANIFESTS: &[&str] = &["package.json", "pyproject.toml", "requirements.txt", "Cargo.toml", "go.mod"];
    if MANIFESTS.iter().any(|name| folder.join(name).exists()) {
        out.push(folder.to_owned());
        return;
    }
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, out);
        }
    }
}

fn texts(folder: &Path, below: &Path, out: &mut Files) {
    for entry in fs::read_dir(below).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "node_modules") {
                texts(folder, &path, out);
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let name = path.strip_prefix(folder).expect("within").to_string_lossy().replace('\\', "/");
            out.push((name, text));
        }
    }
}

/// What is wrong with what a run says of a program.
fn problems(name: &str, files: &Files) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let at = folder.path().join(path);
        fs::create_dir_all(at.parent().expect("a parent")).expect("a folder");
        fs::write(at, text).expect("a file");
    }
    let scanned = ScanOptions { paths: vec![folder.path().to_owned()], allow_empty: true, ..ScanOptions::default() };
    let options = FixOptions {
        scan: scanned.clone(),
        level: Level::Review,
        rules: Vec::new(),
        without: Vec::new(),
        declined: Vec::new(),
        plan: None,
        policy: Policy::default(),
        allow_dirty: true,
    };
    let prepared = prepare(&options, &Silent).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let told = if prepared.is_empty() { prepared.told().clone() } else { prepared.write(&options).expect("written") };
    let listed: BTreeSet<(&str, u32, u32)> = told
        .manual
        .iter()
        .flat_map(|manual| std::iter::once(&manual.at).chain(&manual.also))
        .chain(told.refused().flat_map(|group| &group.about))
        .map(|at| (at.path.as_str(), at.line, at.column))
        .collect();
    let after = scan(&scanned, &Silent).expect("a scan");
    let mut out = Vec::new();
    let mut remains = false;
    for finding in after.findings.iter().filter(|finding| finding.severity > Severity::Note) {
        remains = true;
        let place = (finding.path.as_str(), finding.start.line, finding.start.column);
        if !listed.contains(&place) {
            out.push(format!("{name}: not a word of {} at {}:{}:{}", finding.rule, place.0, place.1, place.2));
        }
    }
    // What models read of is told once, where the code that it speaks of changed: it is nothing that a scan finds.
    let left: Vec<&str> = told.manual.iter().map(|manual| manual.what.as_str()).collect();
    let left: Vec<&str> = left.into_iter().filter(|what| !what.starts_with("see what ")).collect();
    if (told.refused().next().is_some() || !left.is_empty()) && !remains {
        let refused: Vec<&str> = told.refused().map(|group| group.title.as_str()).collect();
        out.push(format!("{name}: nothing is found any more, and yet something is left: {left:?} {refused:?}"));
    }
    for manual in &told.manual {
        if manual.what.is_empty() || manual.why.is_empty() || manual.todo.iter().all(String::is_empty) {
            out.push(format!("{name}: {}:{} is told by halves", manual.at.path, manual.at.line));
        }
    }
    out
}

fn check(programs: impl Iterator<Item = (String, Files)>) {
    let mut all = Vec::new();
    let mut count = 0;
    for (name, files) in programs {
        count += 1;
        all.extend(problems(&name, &files));
    }
    assert!(count > 5, "only {count} programs");
    assert!(all.is_empty(), "{}", all.join("\n"));
}

fn below(folder: &str) -> impl Iterator<Item = (String, Files)> {
    let folder = root().join(folder);
    let mut found = Vec::new();
    programs(&folder, &mut found);
    found.sort();
    found.into_iter().map(move |path| {
        let mut files = Vec::new();
        texts(&path, &path, &mut files);
        (path.strip_prefix(&folder).expect("within").display().to_string(), files)
    })
}

#[test]
fn of_every_example_server_all_that_is_left_is_listed() {
    check(below("fixtures/gold"));
}

#[test]
fn of_every_server_that_is_run_all_that_is_left_is_listed() {
    check(below("fixtures/e2e"));
}

#[test]
fn of_every_case_in_words_all_that_is_left_is_listed() {
    check(below("fixtures/cases"));
}

#[test]
fn of_every_set_up_all_that_is_left_is_listed() {
    check(below("tests/fix/entry/cases"));
}

#[test]
fn of_every_case_all_that_is_left_is_listed() {
    check(super::transport::programs().chain(super::handles::programs()).chain(super::telemetry::programs()));
}
