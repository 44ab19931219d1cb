//! `grammars/<language>/packages.toml` → `static KNOWN: &[KnownPackage]`.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use crate::tables;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    package: Vec<Package>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Package {
    name: String,
    kind: String,
    #[serde(default)]
    eras: Vec<EraRange>,
    #[serde(default)]
    modules: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EraRange {
    from: String,
    era: String,
}

/// The source of the table.
pub fn generate(grammars: &Path) -> String {
    let mut out = String::from("/// Every package the tables know.\npub static KNOWN: &[KnownPackage] = &[\n");
    for (language, file) in tables::read_all::<File>(grammars, "packages.toml") {
        let family = match language.as_str() {
            "typescript" => "Js",
            "python" => "Python",
            "rust" => "Rust",
            other => panic!("grammars/{other}/packages.toml: no family for this language"),
        };
        for package in file.package {
            let Package { name, kind, eras, modules } = package;
            let kind = match kind.as_str() {
                "server-sdk" => "ServerSdk",
                "client-sdk" => "ClientSdk",
                "framework" => "Framework",
                "framework-hiding-sessions" => "FrameworkHidingSessions",
                "adapter" => "Adapter",
                other => panic!("{language}/packages.toml: {name}: unknown kind {other:?}"),
            };
            let eras: Vec<String> = eras.iter().map(|range| era_range(&name, range)).collect();
            let eras = eras.join(", ");
            writeln!(
                out,
                "    KnownPackage {{ family: Family::{family}, name: {name:?}, kind: SdkKind::{kind}, modules: &{modules:?}, eras: &[{eras}] }},"
            )
            .expect("writing to a string");
        }
    }
    out.push_str("];\n");
    out
}

fn era_range(name: &str, range: &EraRange) -> String {
    let mut numbers = [0u64; 3];
    for (slot, part) in numbers.iter_mut().zip(range.from.split('.')) {
        *slot = part.parse().unwrap_or_else(|_| panic!("{name}: bad version {:?}", range.from));
    }
    let era = match range.era.as_str() {
        "legacy" => "Some(Era::Legacy)",
        "modern" => "Some(Era::Modern)",
        "unknown" => "None",
        other => panic!("{name}: unknown era {other:?}"),
    };
    format!("EraRange {{ from: Release({numbers:?}), era: {era} }}")
}
