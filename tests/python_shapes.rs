//! What is found in the Python examples: every container of `fixtures/gold/python` with what it holds, where it belongs and what
//! becomes of it, as the tables beside the examples say; nothing in what was migrated.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::classify::stores::Analysis;
use mcp_migrate::lower::python;
use mcp_migrate::model::facts::{Exported, Language, Module};
use mcp_migrate::model::flow::Flow;
use mcp_migrate::model::name::Name;
use mcp_migrate::model::program::{Link, Program};

/// `name:holds:carrier:failure`
type Row = String;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Lowers the Python files of a folder (or one file with its `handles.py`), with paths relative to the folder.
fn modules(folder: &Path, only: Option<&str>) -> Vec<Module> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "py") {
                files.push(entry);
            }
        }
    }
    files.sort();
    files
        .iter()
        .filter_map(|file| {
            let path = file.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
            if only.is_some_and(|only| path != only && path != "handles.py") {
                return None;
            }
            let text = fs::read_to_string(file).expect("readable");
            Some(python::lower(&path, Language::Python, &text).expect("lowered"))
        })
        .collect()
}

/// Where a specifier leads, among modules of one folder and packages that are installed.
fn resolve(modules: &[Module], from: &str, specifier: &str, absent: &[&str]) -> Link {
    let dots = specifier.chars().take_while(|c| *c == '.').count();
    let rest = specifier[dots..].replace('.', "/");
    let mut folder: Vec<&str> = from.split('/').collect();
    folder.pop();
    if dots > 0 {
        folder.truncate((folder.len() + 1).saturating_sub(dots));
    }
    let within = |folder: &str| {
        let base = [folder, rest.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        modules.iter().position(|m| m.path == format!("{base}.py") || m.path == format!("{base}/__init__.py"))
    };
    let found = if dots > 0 { within(&folder.join("/")) } else { within(&folder.join("/")).or_else(|| within("")) };
    let head = specifier.split('.').next().unwrap_or_default();
    match found {
        Some(at) => Link::Module(at as u32),
        None if dots > 0 || absent.contains(&head) => Link::Missing,
        None => Link::External(Name::new(head)),
    }
}

fn program(modules: Vec<Module>, absent: &[&str]) -> Program {
    let mut program = Program::default();
    for (at, module) in modules.iter().enumerate() {
        let exported = module.exports.iter().filter_map(|export| match &export.what {
            Exported::All { source } | Exported::From { source, .. } => Some(*source),
            _ => None,
        });
        for source in module.imports.iter().map(|import| import.source).chain(exported) {
            let link = resolve(&modules, &module.path, source.text(), absent);
            program.links.insert((at as u32, source), link);
        }
    }
    program.modules = modules;
    program
}

/// The stores and the process state of a folder.
fn found(folder: &Path, only: Option<&str>, absent: &[&str]) -> (BTreeSet<Row>, BTreeSet<String>) {
    let program = program(modules(folder, only), absent);
    let analysis = Analysis::new(Flow::solve(&program));
    let stores = analysis.stores.iter();
    let stores =
        stores.map(|store| format!("{}:{}:{}:{}", store.name, store.holds, store.carrier, store.failure)).collect();
    let process = analysis.process.iter().map(|lasting| lasting.holder.name.text().to_owned()).collect();
    (stores, process)
}

fn rows(path: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(fixtures().join(path)).expect("a table");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Compares what was found with the rows of a table; state that lives as long as the process is listed elsewhere.
fn differences(wanted: &[Row], stores: &BTreeSet<Row>, process: &BTreeSet<String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut known = BTreeSet::new();
    for row in wanted {
        let name = row.split(':').next().unwrap_or_default();
        // The name of an external store's key may end in a colon.
        if row.ends_with(":app-state:handle:works") {
            if !process.contains(name) {
                out.push(format!("no process state {name}"));
            }
            continue;
        }
        if stores.contains(row) {
            known.insert(row.clone());
        } else {
            out.push(format!("missing {row}"));
        }
    }
    out.extend(stores.difference(&known).map(|row| format!("unexpected {row}")));
    out
}

#[test]
fn every_gold_server_shows_its_stores() {
    let root = fixtures().join("gold/python");
    let mut failures = Vec::new();
    for row in rows("gold/python/expected.tsv") {
        let (path, stores) = (&row[0], &row[5]);
        let (folder, file) = path.split_once('/').expect("folder and file");
        let wanted: Vec<Row> = match stores.as_str() {
            "-" => Vec::new(),
            listed => listed.split("; ").map(str::to_owned).collect(),
        };
        let (stores, process) = found(&root.join(folder), Some(file), &[]);
        failures.extend(differences(&wanted, &stores, &process).into_iter().map(|what| format!("{path}: {what}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_shape_shows_its_store() {
    let root = fixtures().join("gold/python/shapes");
    let rows = rows("gold/python/shapes/shapes.expected.tsv");
    let mut failures = Vec::new();
    let ids: BTreeSet<(String, String)> = rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    for (id, sdk) in ids {
        let of: Vec<&Vec<String>> = rows.iter().filter(|row| row[0] == id && row[1] == sdk).collect();
        // A package has the SDK that its manifest names.
        let absent: &[&str] = if sdk == "official" { &["fastmcp"] } else { &[] };
        let (stores, process) = found(&root, Some(&format!("{id}.py")), absent);
        let (category, name) = (&of[0][2], &of[0][3]);
        if name == "-" && category == "app-state" {
            // A store without a name of its own.
            let tail = format!(":{}:{}:{}", of[0][4], of[0][5], of[0][6]);
            if stores.len() != 1 || !stores.iter().all(|store| store.ends_with(&tail)) {
                failures.push(format!("{id} {sdk}: {stores:?} instead of one {tail}"));
            }
            continue;
        }
        let wanted: Vec<Row> = of
            .iter()
            .filter(|row| row[3] != "-")
            .map(|row| format!("{}:{}:{}:{}", row[3], row[4], row[5], row[6]))
            .collect();
        failures.extend(differences(&wanted, &stores, &process).into_iter().map(|what| format!("{id} {sdk}: {what}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_case_shows_its_stores() {
    let mut failures = Vec::new();
    for entry in fs::read_dir(fixtures().join("cases")).expect("cases") {
        let folder = entry.expect("an entry").path();
        let Ok(text) = fs::read_to_string(folder.join("case.json")) else { continue };
        let case: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        if case["language"] != "python" {
            continue;
        }
        let (stores, _) = found(&folder, None, &[]);
        let wanted = case["stores"].as_array().cloned().unwrap_or_default();
        if stores.len() != wanted.len() {
            failures.push(format!("{}: {stores:?}", folder.display()));
        }
        for store in wanted {
            let allowed = |what: &str| {
                let also = store[format!("{what}_allowed")].as_array().cloned().unwrap_or_default();
                let all = std::iter::once(store[what].clone()).chain(also);
                all.filter_map(|value| value.as_str().map(str::to_owned)).collect::<Vec<_>>()
            };
            let fits = stores.iter().any(|row| {
                let mut parts = row.rsplitn(4, ':');
                let mut part = || parts.next().unwrap_or_default().to_owned();
                let (failure, carrier, holds, name) = (part(), part(), part(), part());
                [("name", name), ("holds", holds), ("carrier", carrier), ("failure", failure)]
                    .iter()
                    .all(|(what, value)| allowed(what).contains(value))
            });
            if !fits {
                failures.push(format!("{}: {store} is not among {stores:?}", folder.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_tools_that_reach_a_store_are_named() {
    for (folder, store, tools) in [
        ("c_basket_header", "_baskets", &["add_item", "checkout"][..]),
        ("d_session_object_key", "_notebooks", &["read_notebook", "set_title", "write_page"]),
        ("f_lowlevel_dispatch", "_ledgers", &["balance", "post_entry"]),
        ("g_session_auth", "_session_user", &["whoami"]),
    ] {
        let program = program(modules(&fixtures().join("gold/python").join(folder), Some("before.py")), &[]);
        let analysis = Analysis::new(Flow::solve(&program));
        let found = analysis.stores.iter().find(|found| found.name == store).expect("the store");
        let names: Vec<&str> = found.tools.iter().map(|name| name.text()).collect();
        assert_eq!(names, tools, "{folder}");
    }
}
