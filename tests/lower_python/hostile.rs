//! Input that nobody would write by hand: the front end answers, soon, and never panics.

use std::time::{Duration, Instant};

use mcp_migrate::lower::LowerError;
use mcp_migrate::lower::python::lower;
use mcp_migrate::model::facts::{ExprKind, Language, Module};
use proptest::prelude::*;

use super::{python_files, sound};

fn attempt(text: &str) {
    if let Ok(module) = lower("a.py", Language::Python, text) {
        sound(&module, text);
    }
}

/// Lowers within a bound that is generous for a busy machine and an unoptimised build.
fn quick(text: &str) -> Result<Module, LowerError> {
    let start = Instant::now();
    let answer = lower("a.py", Language::Python, text);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    answer
}

#[test]
fn every_example_lowers_without_errors() {
    let sources = python_files("fixtures/gold/python");
    assert!(sources.len() > 60, "{}", sources.len());
    for (path, text) in sources {
        let module = lower(&path, Language::Python, &text).expect("lowers");
        assert!(module.errors.is_empty(), "{path}: {:?}", module.errors);
        sound(&module, &path);
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{1: ", "}"), ("f(", ")"), ("lambda: ", ""), ("not ", ""), ("*", "")] {
        let text = format!("x = {}1{}\n", open.repeat(10_000), close.repeat(10_000));
        let _ = quick(&text);
    }
    let types = format!("x: {}A{}\n", "B[".repeat(10_000), "]".repeat(10_000));
    let _ = quick(&types);
    let written = format!("x: \"{}A{}\"\n", "B[".repeat(10_000), "]".repeat(10_000));
    assert!(quick(&written).is_ok());
    let blocks: String = (0..3_000).map(|depth| format!("{}if a:\n", " ".repeat(depth))).collect();
    let _ = quick(&format!("{blocks}{}pass\n", " ".repeat(3_000)));
}

#[test]
fn every_kind_of_nesting_fits_the_stack() {
    for open in ["def f():", "class A:", "if a:", "for a in b:", "while a:", "with a as b:", "try:", "async def f():"] {
        for depth in [60, 600] {
            let mut text = String::new();
            for level in 0..depth {
                text.push_str(&" ".repeat(level));
                text.push_str(open);
                text.push('\n');
            }
            text.push_str(&" ".repeat(depth));
            text.push_str("pass\n");
            let answer = quick(&text);
            assert!(depth > 100 || answer.is_ok(), "{open}");
        }
    }
}

#[test]
fn long_chains_are_flat() {
    let sum = format!("x = a{}\n", " - b".repeat(20_000));
    let module = quick(&sum).expect("lowers");
    let longest = module.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Opaque(parts) => Some(parts.len()),
        _ => None,
    });
    assert_eq!(longest.max(), Some(20_001));
    for chain in [
        format!("x = 'a'{}\n", " + b".repeat(20_000)),
        format!("x = a{}\n", " or b".repeat(20_000)),
        format!("x = a{}\n", " and b".repeat(20_000)),
        format!("x = a{}\n", " < b".repeat(20_000)),
        format!("a{}\n", ".b()".repeat(5_000)),
        format!("if a: b()\n{}", "elif a: b()\n".repeat(5_000)),
        format!("x = {}c\n", "a if b else ".repeat(5_000)),
        format!("x = {}1\n", "y = ".repeat(5_000)),
        format!("x: {}None\n", "A | ".repeat(5_000)),
        format!("x = {}\n", "'a' ".repeat(20_000)),
        format!("match a:\n{}", " case 1: pass\n".repeat(5_000)),
        format!("try: pass\n{}", "except A: pass\n".repeat(5_000)),
    ] {
        assert!(quick(&chain).is_ok(), "{}", &chain[..20]);
    }
}

#[test]
fn many_names_take_their_time_only_once() {
    let mut text = String::new();
    for at in 0..20_000 {
        text.push_str(&format!("def f{at}(a: 'A', *b, **c) -> 'B': return g{at}(a)\n"));
    }
    assert!(quick(&text).is_ok());
    let fields: String = (0..5_000).map(|at| format!("        self.x{at} = {at}\n")).collect();
    assert!(quick(&format!("class A:\n    def __init__(self):\n{fields}")).is_ok());
    let imports: String = (0..5_000).map(|at| format!("from m{at} import name\n")).collect();
    assert!(quick(&imports).is_ok());
    let tries = format!("def f():\n{}", "    try: return a\n    except: return b\n".repeat(3_000));
    assert!(quick(&tries).is_ok());
}

#[test]
fn junk_is_answered() {
    for junk in [
        "",
        "}",
        "import",
        "from",
        "from . import",
        "class",
        "def",
        "def f(",
        "f'{",
        "a.",
        "({",
        "for",
        "match x:\n case",
        "@",
        "@a",
        "lambda",
        "with a as",
        "x:",
        "x: int =",
        "global",
        "'",
        "\"\"\"",
        "#",
        "\0",
        "\u{feff}",
        "💥",
        "del",
        "yield",
        "a[",
        "a[:",
        "async",
        "await",
        "*",
        "**",
        "except",
        "raise from",
        "class A(:",
        "x = y = ",
        "print >>a, b",
        "exec 'a'",
    ] {
        attempt(junk);
    }
    let binary: String = (0..60_000_u32).map(|i| char::from((i.wrapping_mul(2_654_435_761) >> 24) as u8)).collect();
    let _ = quick(&binary);
}

fn fragments() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "class", "A", "{", "}", "(", ")", "[", "]", "->", "=", ":=", "def", "lambda", "*", "**", "async", "await",
        "import", "from", "as", "'x'", "f'{", "}'", ",", ";", ":", ":\n    ", "\n", "\n    ", "if", "elif", "else",
        "for", "in", "not", "is", "match", "case", "return", "raise", "yield", "try", "except", "finally", "with",
        "global", "nonlocal", "self", "a", "b", "1", "/", "+", "%", "|", "or", "and", "del", "assert", "@", ".", "...",
        "None", "getattr", "super", "type",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        attempt(&text);
    }

    #[test]
    fn arbitrary_tokens_never_panic(text in fragments()) {
        attempt(&text);
    }

    #[test]
    fn mutilated_sources_never_panic(pick in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), length in 0_usize..400, truncate in any::<bool>()) {
        let sources = python_files("fixtures/gold/python");
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
        attempt(&mutilated);
    }
}
