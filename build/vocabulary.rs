//! Turns `grammars/<language>/sdk.toml` into static tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    traits: Traits,
    #[serde(default)]
    switch: Vec<Switch>,
    #[serde(default)]
    export: Vec<Export>,
    #[serde(default)]
    member: Vec<Member>,
    #[serde(default)]
    anywhere: BTreeMap<String, Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Traits {
    explicit_factories: bool,
    partial_classes: bool,
    full_construction: bool,
    modern_by_version: bool,
    raw_header: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    names: Vec<String>,
    on: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Export {
    from: Vec<String>,
    names: Vec<String>,
    gives: Option<String>,
    does: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    of: Vec<String>,
    names: Vec<String>,
    gives: Option<String>,
    does: Option<String>,
    source: Option<String>,
}

/// An id of the data file as the enum variant's path.
fn variant(kind: &str, id: &str) -> String {
    let camel: String = id.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    let camel = if camel == "ExternalStore" { "External".to_owned() } else { camel };
    format!("{kind}::{camel}")
}

fn option(kind: &str, id: Option<&String>) -> String {
    id.map_or("None".to_owned(), |id| format!("Some({})", variant(kind, id)))
}

/// The Rust source of the tables of every language that has them.
pub fn generate_all(grammars: &Path) -> String {
    generate(&grammars.join("typescript/sdk.toml"), "TYPESCRIPT") + &generate(&grammars.join("rust/sdk.toml"), "RUST")
}

/// The Rust source of the tables of one language, as a static called `constant`.
fn generate(path: &Path, constant: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut exports = BTreeMap::new();
    for row in &file.export {
        for name in &row.names {
            for from in &row.from {
                let made = format!(
                    "ExportRow {{ from: {from:?}, name: {name:?}, gives: {}, does: {}, text: {:?} }},",
                    option("Role", row.gives.as_ref()),
                    option("Op", row.does.as_ref()),
                    row.text
                );
                let old = exports.insert((name.clone(), from.clone()), made);
                assert!(old.is_none(), "{}: {name} of {from} stands twice", path.display());
            }
        }
    }
    let mut members = BTreeMap::new();
    for row in &file.member {
        for name in &row.names {
            for of in &row.of {
                let made = format!(
                    "MemberRow {{ of: {}, name: {name:?}, gives: {}, does: {}, source: {} }},",
                    variant("Role", of),
                    option("Role", row.gives.as_ref()),
                    option("Op", row.does.as_ref()),
                    option("Source", row.source.as_ref())
                );
                let old = members.insert((name.clone(), of.clone()), made);
                assert!(old.is_none(), "{}: {name} of {of} stands twice", path.display());
            }
        }
    }
    let mut anywhere = BTreeMap::new();
    for (op, names) in &file.anywhere {
        for name in names {
            anywhere.insert(name.clone(), format!("({name:?}, {}),", variant("Op", op)));
        }
    }
    let mut out = String::new();
    let traits = format!(
        "Traits {{ explicit_factories: {}, partial_classes: {}, full_construction: {}, modern_by_version: {}, raw_header: {} }}",
        file.traits.explicit_factories,
        file.traits.partial_classes,
        file.traits.full_construction,
        file.traits.modern_by_version,
        file.traits.raw_header
    );
    let mut switches = String::new();
    for row in &file.switch {
        for name in &row.names {
            write!(switches, "SwitchRow {{ name: {name:?}, on: {:?} }}, ", row.on).expect("writing to a string");
        }
    }
    let rows = |map: &mut dyn Iterator<Item = &String>| map.cloned().collect::<Vec<_>>().join("\n    ");
    write!(
        out,
        "/// Generated from `sdk.toml`.\npub static {constant}: Tables = Tables {{\n  traits: {traits},\n  switches: &[{switches}],\n  exports: &[\n    {}\n  ],\n  members: &[\n    {}\n  ],\n  anywhere: &[\n    {}\n  ],\n}};\n",
        rows(&mut exports.values()),
        rows(&mut members.values()),
        rows(&mut anywhere.values()),
    )
    .expect("writing to a string");
    out
}
