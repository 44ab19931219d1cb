//! Turns the data under `grammars/` into static tables. One generator per kind of table, each in its own file under `build/`.

#[path = "build/packages.rs"]
mod packages;
#[path = "build/prefilter.rs"]
mod prefilter;
#[path = "build/tables.rs"]
mod tables;
#[path = "build/upgrades.rs"]
mod upgrades;
#[path = "build/vocabulary.rs"]
mod vocabulary;

use std::path::{Path, PathBuf};

/// A generator: its output file, and from the folder of grammars to Rust source.
type Generator = (&'static str, fn(&Path) -> String);

const GENERATORS: &[Generator] = &[
    ("packages.rs", packages::generate),
    ("prefilter.rs", prefilter::generate),
    ("upgrades.rs", upgrades::generate),
    ("vocabulary.rs", vocabulary::generate_all),
];

fn main() {
    let grammars = PathBuf::from(tables::env("CARGO_MANIFEST_DIR")).join("grammars");
    let out = PathBuf::from(tables::env("OUT_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=grammars");
    for (file, generate) in GENERATORS {
        let path = out.join(file);
        if let Err(error) = std::fs::write(&path, generate(&grammars)) {
            panic!("cannot write {}: {error}", path.display());
        }
    }
}
