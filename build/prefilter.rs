//! `grammars/<language>/prefilter.toml` → `static <LANGUAGE>: &[(&str, u8)]`, longest literal first.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use crate::tables;

/// More literals than this leave the automaton's fast lane.
const MOST: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    strong: Vec<String>,
    import: Vec<String>,
    weak: Vec<String>,
    method: Vec<String>,
    handshake: Vec<String>,
}

/// The source of the tables.
pub fn generate(grammars: &Path) -> String {
    let mut out = String::new();
    for (language, file) in tables::read_all::<File>(grammars, "prefilter.toml") {
        let classes = [
            ("STRONG", file.strong),
            ("IMPORT", file.import),
            ("WEAK", file.weak),
            ("METHOD", file.method),
            ("HANDSHAKE", file.handshake),
        ];
        let mut literals: BTreeMap<String, &str> = BTreeMap::new();
        for (class, words) in classes {
            for word in words {
                assert!(!word.is_empty(), "{language}/prefilter.toml: empty literal");
                if let Some(other) = literals.insert(word.clone(), class) {
                    panic!("{language}/prefilter.toml: {word:?} is both {other} and {class}");
                }
            }
        }
        assert!(literals.len() <= MOST, "{language}/prefilter.toml: {} literals, at most {MOST}", literals.len());
        let mut literals: Vec<_> = literals.into_iter().collect();
        literals.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        let name = language.to_uppercase();
        writeln!(out, "static {name}: &[(&str, u8)] = &[").expect("writing to a string");
        for (word, class) in literals {
            writeln!(out, "    ({word:?}, {class}),").expect("writing to a string");
        }
        out.push_str("];\n");
    }
    out
}
