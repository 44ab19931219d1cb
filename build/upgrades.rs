//! `grammars/<language>/upgrades.toml` → `static CHANGES: &[Change]` and `static SUCCESSORS: &[(Family, &str, &str)]`.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use crate::tables;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    successor: Vec<Successor>,
    change: Vec<Change>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Successor {
    of: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    packages: Vec<String>,
    at: String,
    below: Option<String>,
    kind: String,
    text: String,
    #[serde(default)]
    modules: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    calls: Vec<String>,
    #[serde(default)]
    rules: Vec<String>,
    /// For people who read the file.
    source: String,
}

/// The source of the tables.
pub fn generate(grammars: &Path) -> String {
    let mut out = String::from("/// What newer releases change.\npub static CHANGES: &[Change] = &[\n");
    let mut successors = String::from(
        "];\n/// Package, and the name under which it goes on.\npub static SUCCESSORS: &[(Family, &str, &str)] = &[\n",
    );
    for (language, file) in tables::read_all::<File>(grammars, "upgrades.toml") {
        let family = match language.as_str() {
            "typescript" => "Js",
            "python" => "Python",
            "rust" => "Rust",
            other => panic!("grammars/{other}/upgrades.toml: no family for this language"),
        };
        for Successor { of, name } in file.successor {
            writeln!(successors, "    (Family::{family}, {of:?}, {name:?}),").expect("writing to a string");
        }
        for change in file.change {
            let Change {
                packages,
                at,
                below,
                kind,
                text,
                modules,
                names,
                members,
                roles,
                options,
                calls,
                rules,
                source,
            } = change;
            assert!(!source.is_empty(), "{language}/upgrades.toml: {text}: no source");
            assert!(members.is_empty() == roles.is_empty(), "{language}/upgrades.toml: {text}: members go with roles");
            assert!(options.is_empty() == calls.is_empty(), "{language}/upgrades.toml: {text}: options go with calls");
            let kind = match kind.as_str() {
                "era" => "Era",
                "mode" => "Mode",
                "failure" => "Failure",
                "removed" => "Removed",
                "behaviour" => "Behaviour",
                other => panic!("{language}/upgrades.toml: unknown kind {other:?}"),
            };
            let at = release(&at);
            let below = below.map_or("None".to_owned(), |below| format!("Some({})", release(&below)));
            writeln!(
                out,
                "    Change {{ family: Family::{family}, packages: &{packages:?}, at: {at}, below: {below}, kind: ChangeKind::{kind}, text: {text:?}, \
                 modules: &{modules:?}, names: &{names:?}, members: &{members:?}, roles: &{roles:?}, options: &{options:?}, calls: &{calls:?}, rules: &{rules:?} }},"
            )
            .expect("writing to a string");
        }
    }
    out + &successors + "];\n"
}

fn release(text: &str) -> String {
    let mut numbers = [0u64; 3];
    for (slot, part) in numbers.iter_mut().zip(text.split('.')) {
        *slot = part.parse().unwrap_or_else(|_| panic!("upgrades.toml: bad version {text:?}"));
    }
    format!("Release({numbers:?})")
}
