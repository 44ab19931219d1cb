//! Input that nobody would write by hand: the front end answers, soon, and never panics.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcp_migrate::lower::LowerError;
use mcp_migrate::lower::rust::lower;
use mcp_migrate::model::facts::{Language, Module};
use proptest::prelude::*;

use super::sound;

/// Lowers within a bound that is generous for a busy machine and an unoptimised build.
fn quick(text: &str) -> Result<Module, LowerError> {
    let start = Instant::now();
    let answer = lower("src/lib.rs", Language::Rust, text);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    if let Ok(module) = &answer {
        sound(module, text);
    }
    answer
}

fn sources() -> Vec<String> {
    fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).expect("a folder of fixtures").flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, out);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                out.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    collect(&root.join("gold/rust"), &mut paths);
    collect(&root.join("cases"), &mut paths);
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).expect("a fixture is text")).collect()
}

#[test]
fn every_fixture_is_read_without_errors() {
    for text in sources() {
        let module = quick(&text).expect("lowers");
        assert!(module.errors.is_empty(), "{:?}", module.errors);
        assert!(!module.exprs.is_empty());
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in
        [("[", "]"), ("f(", ")"), ("{ ", " }"), ("if a { ", " }"), ("(|| ", ")"), ("match a { _ => ", " }")]
    {
        let text = format!("fn f() {{ {}1{} }}", open.repeat(10_000), close.repeat(10_000));
        assert_eq!(quick(&text).err(), Some(LowerError::TooDeep), "{open}");
    }
    for text in [
        format!("fn f() {{ x{} }}", ".y()".repeat(50_000)),
        format!("fn f() {{ a{} }}", " + a".repeat(50_000)),
        format!("fn f() {{ {}a }}", "!".repeat(50_000)),
        format!("fn f() {{ {}a }}", "&".repeat(50_000)),
        format!("fn f() {{ {} b }}", "|| ".repeat(50_000)),
        format!("fn f() -> {}A{} {{}}", "B<".repeat(50_000), ">".repeat(50_000)),
        format!("use {}x;", "a::".repeat(50_000)),
        format!("{}{}", "mod a { ".repeat(10_000), "}".repeat(10_000)),
        format!("fn f() {{ if a {{}} {} }}", "else if a {} ".repeat(20_000)),
    ] {
        let _ = quick(&text);
    }
}

#[test]
fn what_is_just_allowed_fits_the_stack() {
    for text in [
        format!("fn f() {{ {}1{} }}", "(".repeat(240), ")".repeat(240)),
        format!("fn f() {{ {}1{} }}", "{ ".repeat(240), " }".repeat(240)),
        format!("fn f() {{ {}1{} }}", "f(|x| ".repeat(120), ")".repeat(120)),
        format!("fn f() {{ x{} }}", ".y()".repeat(1_900)),
        format!("fn f() {{ x{} }}", ".y".repeat(2_900)),
        format!("fn f() {{ x{} }}", "?".repeat(5_900)),
        format!("fn f() {{ {}a }}", "!".repeat(5_900)),
        format!("fn f() {{ {}a }}", "-".repeat(5_900)),
        format!("fn f() {{ {}a }}", "*".repeat(5_900)),
        format!("fn f() {{ a{} }}", " + a".repeat(2_900)),
        format!("fn f() {{ a{} }}", " && a".repeat(1_900)),
        format!("fn f() {{ {}1 }}", "a = ".repeat(2_900)),
        format!("fn f() {{ {}1 }}", "return ".repeat(5_900)),
        format!("fn f() {{ {}1 }}", "|a| ".repeat(1_400)),
        format!("fn f() -> {}A{} {{}}", "B<".repeat(1_900), ">".repeat(1_900)),
        format!("fn f(x: {}A) {{}}", "&".repeat(5_900)),
        format!("fn f({}x: A) {{}}", "&".repeat(2_900)),
        format!("use {}x;", "a::".repeat(1_900)),
        format!("fn f() {{ if a {{}} {} }}", "else if a {} ".repeat(1_400)),
        format!("fn f() {{ m!({}1{}) }}", "(".repeat(200), ")".repeat(200)),
        format!("fn f() {{ m!({}1{}) }}", "a => {".repeat(200), "}".repeat(200)),
    ] {
        let _ = quick(&text);
    }
}

#[test]
fn long_files_are_flat() {
    let unit = "#[tool] fn f(&self) { let x = self.a.lock().unwrap(); if x.is_none() { return Err(1); } g(x); }\n";
    let text = format!("struct S;\nimpl S {{\n{}}}\n", unit.repeat(2_000));
    let module = quick(&text).expect("lowers");
    assert!(module.errors.is_empty());
    let lets = format!("fn f() {{ {} }}", "let x = x + 1; ".repeat(20_000));
    assert!(quick(&lets).is_ok());
    let items = "pub const A: u8 = 1;\n".repeat(10_000);
    assert!(quick(&items).is_ok());
    let list = format!("const A: &[u8] = &[{}];", "1, ".repeat(50_000));
    assert!(quick(&list).is_ok());
}

#[test]
fn a_broken_item_does_not_hide_the_others() {
    let text = "fn a() { b(); }\nstruct 9;\nfn c() { d(); }\n";
    let module = quick(text).expect("lowers");
    assert_eq!(module.errors.len(), 1);
    assert_eq!(module.functions.len(), 3);
    let unbalanced = quick("fn a() { b(; }\n").expect("lowers");
    assert!(!unbalanced.errors.is_empty());
}

#[test]
fn positions_count_from_the_start_of_the_file() {
    for before in ["", "\u{feff}", "#!/usr/bin/env run\n", "\u{feff}#!/bin/x\r\n", "// 漢字\r\n"] {
        let text = format!("{before}fn name() {{}}\r\n");
        let module = quick(&text).expect("lowers");
        let span = module.functions[1].name_span;
        assert_eq!(&text[span.start as usize..span.end as usize], "name", "{before:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        let _ = quick(&text);
    }

    #[test]
    fn any_mix_of_tokens(parts in prop::collection::vec(prop::sample::select(vec![
        "fn", "f", "(", ")", "{", "}", "[", "]", "<", ">", "let", "x", "=", ";", ",", "::", ":", "->", "=>", "match", "if", "else", "impl",
        "struct", "enum", "self", "Self", "Ok", "Err", "Some", "None", "|", "||", "&", "mut", "move", "async", ".await", ".lock()", "?", "\"{x}\"",
        "format!", "vec!", "use", "crate", "super", "mod", "trait", "for", "in", "while", "loop", "return", "#[tool]", "..", "1", "'a", "T", "where",
        "static", "const", "type", "dyn", "pub", "_", "@", "*x", ".entry(k).or_default()", "lazy_static!", "macro_rules!",
    ]), 0..60)) {
        let _ = quick(&parts.join(" "));
    }

    #[test]
    fn mutated_fixtures(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), length in 0usize..40, with in "\\PC{0,6}") {
        let sources = sources();
        let text = &sources[which.index(sources.len())];
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let first = at.index(boundaries.len());
        let last = (first + length).min(boundaries.len() - 1);
        let mutated = format!("{}{with}{}", &text[..boundaries[first]], &text[boundaries[last]..]);
        let _ = quick(&mutated);
    }
}
