//! What the generators share.

use std::path::Path;

use serde::de::DeserializeOwned;

/// An environment variable that cargo sets.
pub fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// Reads `grammars/<language>/<file>` of every language that has it, sorted by language.
pub fn read_all<T: DeserializeOwned>(grammars: &Path, file: &str) -> Vec<(String, T)> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(grammars).unwrap_or_else(|error| panic!("{}: {error}", grammars.display()));
    for entry in entries.flatten() {
        let path = entry.path().join(file);
        if !path.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let value = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        found.push((entry.file_name().to_string_lossy().into_owned(), value));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
