//! Input that nobody would write by hand: the front end answers, soon, and never panics.

use std::time::{Duration, Instant};

use mcp_migrate::lower::LowerError;
use mcp_migrate::lower::typescript::lower;
use mcp_migrate::model::facts::{ExprKind, Language, Module};
use proptest::prelude::*;

use super::fixtures::{sound, sources};

fn try_all(text: &str) {
    for path in ["a.ts", "a.tsx", "a.js"] {
        if let Ok(module) = lower(path, Language::TypeScript, text) {
            sound(&module, path);
        }
    }
}

/// Lowers within a bound that is generous for a busy machine and an unoptimised build.
fn quick(path: &str, text: &str) -> Result<Module, LowerError> {
    let start = Instant::now();
    let answer = lower(path, Language::TypeScript, text);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    answer
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{a:", "}"), ("f(", ")"), ("(() => ", ")"), ("!", "")] {
        let text = format!("x = {}1{}", open.repeat(10_000), close.repeat(10_000));
        assert_eq!(quick("a.js", &text).err(), Some(LowerError::TooDeep), "{open}");
    }
    let types = format!("let x: {}A{}", "B<".repeat(10_000), ">".repeat(10_000));
    assert_eq!(quick("a.ts", &types).err(), Some(LowerError::TooDeep));
    let unclosed = "[".repeat(10_000);
    let _ = quick("a.js", &unclosed);
}

#[test]
fn every_kind_of_nesting_fits_the_stack() {
    for (open, close) in [
        ("class A { m() { ", " } }"),
        ("x = class { f = ", " };"),
        ("function f() { ", " }"),
        ("x = { m() { ", " } };"),
        ("f(async () => { ", " });"),
        ("if (a) { ", " }"),
        ("for (const a of b) { ", " }"),
        ("switch (a) { case 1: ", " }"),
        ("try { ", " } finally {}"),
        ("a: ", ""),
        ("x = `${", "}`"),
        ("x = a => ", ""),
        ("x = ", ""),
        ("x = a ? (", ") : b"),
        ("x = a + (b * ", ")"),
        ("namespace N { ", " }"),
    ] {
        let text = format!("{}y{}", open.repeat(3_000), close.repeat(3_000));
        if let Ok(module) = quick("a.ts", &text) {
            assert!(!module.exprs.is_empty());
        }
        let shallower = format!("{}y{}", open.repeat(100), close.repeat(100));
        assert!(quick("a.ts", &shallower).is_ok(), "{open}");
    }
    let pattern = format!("let {}x{} = y", "{a: ".repeat(3_000), "}".repeat(3_000));
    let _ = quick("a.ts", &pattern);
    let alias = format!("type T = {}x{}", "{a: ".repeat(3_000), "}".repeat(3_000));
    let _ = quick("a.ts", &alias);
}

#[test]
fn parentheses_do_not_count() {
    let text = format!("x = {}1{}", "(".repeat(3_000), ")".repeat(3_000));
    assert!(quick("a.js", &text).is_ok());
}

#[test]
fn moderate_nesting_is_lowered() {
    let text = format!("x = {}1{}", "[".repeat(800), "]".repeat(800));
    assert!(quick("a.js", &text).is_ok());
    let text = format!("{}{}", "f(() => {".repeat(200), "})".repeat(200));
    let module = quick("a.js", &text).expect("lowers");
    assert_eq!(module.functions.len(), 201);
}

#[test]
fn long_chains_are_flat() {
    let sum = format!("x = a{}", " + b".repeat(20_000));
    let module = quick("a.js", &sum).expect("lowers");
    let longest = module.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Opaque(parts) => Some(parts.len()),
        _ => None,
    });
    assert_eq!(longest.max(), Some(20_001));
    for chain in [
        format!("x = 'a'{}", " + b".repeat(20_000)),
        format!("x = a{}", " || b".repeat(20_000)),
        format!("x = a{}", " && b".repeat(20_000)),
        format!("a{}", ".b()".repeat(5_000)),
        format!("if (a) b(); {}", "else if (a) b(); ".repeat(5_000)),
        format!("x = {}c", "a ? b : ".repeat(5_000)),
        format!("x = {}", "a, ".repeat(20_000) + "b"),
        format!("type T = {}'z'", "'a' | ".repeat(5_000)),
        format!("switch (a) {{ {} }}", "case 1: ".repeat(20_000)),
    ] {
        let path = if chain.starts_with("type") { "a.ts" } else { "a.js" };
        assert!(quick(path, &chain).is_ok(), "{}", &chain[..40]);
    }
}

#[test]
fn a_minified_line_is_read_in_time() {
    let unit = "function a(b,c){var d=b.e(c),f=d?{g:d,h:[1,2,'x']}:null;return f&&f.g||c(function(i){return i+1})}";
    let text = unit.repeat((1 << 20) / unit.len());
    let module = quick("a.js", &text).expect("lowers");
    assert!(module.errors.is_empty());
    let broken = &text[..text.len() - 17].replace("null;return", "null return");
    let _ = quick("a.js", broken);
}

#[test]
fn junk_is_answered() {
    for junk in [
        "",
        "}",
        "import",
        "export {",
        "class {",
        "`${",
        "a.",
        "({",
        "for (",
        "switch (x) { case",
        "@",
        "import x from",
        "export default",
        "let {a:",
        "new",
        "function",
        "type A =",
        "'",
        "/*",
        "#!",
        "\0",
        "\u{feff}",
        "💥",
        "<a",
        "a?.",
    ] {
        try_all(junk);
    }
    let binary: String = (0..60_000_u32).map(|i| char::from((i.wrapping_mul(2_654_435_761) >> 24) as u8)).collect();
    let _ = quick("a.js", &binary);
}

fn fragments() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "class",
        "A",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "=>",
        "=",
        "const",
        "let",
        "function",
        "*",
        "async",
        "await",
        "import",
        "export",
        "default",
        "from",
        "'x'",
        "`",
        "${",
        "?.",
        "??",
        "...",
        ",",
        ";",
        ":",
        "<",
        ">",
        "as",
        "if",
        "else",
        "for",
        "of",
        "in",
        "switch",
        "case",
        "return",
        "throw",
        "static",
        "get",
        "#p",
        "@",
        "this",
        "super",
        "new",
        "type",
        "interface",
        "enum",
        "namespace",
        "declare",
        "module",
        "require",
        "a",
        "b",
        "1",
        "/",
        "+",
        "delete",
        "typeof",
        "extends",
        "constructor",
        "\n",
        "yield",
        "try",
        "catch",
        "using",
        "abstract",
        "undefined",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        try_all(&text);
    }

    #[test]
    fn arbitrary_tokens_never_panic(text in fragments()) {
        try_all(&text);
    }

    #[test]
    fn mutilated_sources_never_panic(pick in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), length in 0_usize..400, truncate in any::<bool>()) {
        let sources = sources();
        let (_, text) = pick.get(&sources);
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at += 1;
            }
            at
        };
        let from = boundary(cut.index(text.len()));
        let to = boundary((from + length).min(text.len()));
        let mutilated = if truncate { text[..from].to_owned() } else { format!("{}{}", &text[..from], &text[to..]) };
        try_all(&mutilated);
    }
}
