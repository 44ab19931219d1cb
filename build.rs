//! Compiles the data under `grammars/` into static tables.

use std::path::Path;

#[path = "build/vocabulary.rs"]
mod vocabulary;

fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let text = [("typescript", "TYPESCRIPT"), ("python", "PYTHON")]
        .map(|(language, constant)| vocabulary::generate(Path::new(&format!("grammars/{language}/sdk.toml")), constant))
        .concat();
    std::fs::write(Path::new(&out).join("vocabulary.rs"), text).expect("writing the tables");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
}
