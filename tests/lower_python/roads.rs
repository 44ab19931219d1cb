//! A file is read by a fast parser, or by one that recovers from errors: both come to the same.

use mcp_migrate::lower::python::{Road, lower, lower_by};
use mcp_migrate::model::facts::{Language, Module};

use super::python_files;

/// Constructs, one a line, with line ends written `\n`.
const CONSTRUCTS: &str = include_str!("roads.txt");

fn by(road: Road, text: &str) -> Option<Module> {
    lower_by(road, "a.py", Language::Python, text).ok().flatten()
}

/// Compares the two roads; the answer says whether the text is one for the fast one.
#[track_caller]
fn agree(text: &str, of: &str) -> bool {
    let Some(fast) = by(Road::Fast, text) else { return false };
    let other = by(Road::Recovering, text);
    // Names are printed as written.
    let (fast, other) = (format!("{:#?}", Some(fast)), format!("{other:#?}"));
    if fast != other {
        let line = fast.lines().zip(other.lines()).position(|(fast, other)| fast != other).unwrap_or(0);
        let around = |text: &str| text.lines().skip(line.saturating_sub(10)).take(20).collect::<Vec<_>>().join("\n");
        panic!("{of}\n--- fast\n{}\n--- recovering\n{}", around(&fast), around(&other));
    }
    true
}

fn constructs() -> Vec<String> {
    CONSTRUCTS.lines().map(|line| format!("{}\n", line.replace("\\n", "\n"))).collect()
}

#[test]
fn the_roads_agree_on_every_example() {
    let examples = python_files("fixtures");
    assert!(examples.len() > 60, "{}", examples.len());
    let fast = examples.iter().filter(|(path, text)| agree(text, path)).count();
    assert!(fast * 10 > examples.len() * 9, "{fast} of {}", examples.len());
}

#[test]
fn the_roads_agree_on_every_construct() {
    let constructs = constructs();
    let mut fast = 0;
    for text in &constructs {
        fast += usize::from(agree(text, text));
        // Annotations stand in more places than one.
        if let Some(ty) = text.strip_prefix("x: ") {
            let text = format!("def f(a: {}): pass\n", ty.trim_end());
            agree(&text, &text);
        }
        // The same within a function, with other line ends.
        let inside: String = text.lines().map(|line| format!("    {line}\r\n")).collect();
        let inside = format!("def outer():\r\n{inside}    # a comment\r\n\r\n# another\r\nafter\r\n");
        agree(&inside, &inside);
    }
    assert!(fast * 10 > constructs.len() * 8, "{fast} of {}", constructs.len());
}

#[test]
fn what_is_broken_takes_the_other_road() {
    for text in ["x = (", "print 'a'", "def f(:\n  pass\n", "if a:\nb\n", "x = $\n", "exec 'a'\n", "f'{'\n"] {
        assert!(by(Road::Fast, text).is_none(), "{text}");
        assert!(by(Road::Recovering, text).is_some(), "{text}");
    }
    let (one, other) = ("a = 1\rb = 2\n", "x = 1 \\\n\n");
    assert!(by(Road::Fast, one).is_none() && by(Road::Fast, other).is_none());
}

#[test]
fn cut_texts_are_read_as_before() {
    for text in constructs()
        .iter()
        .map(String::as_str)
        .chain(python_files("fixtures").iter().step_by(9).map(|(_, text)| text.as_str()))
    {
        let step = (text.len() / 24).max(1);
        for at in (0..text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
            let cut = &text[..at];
            agree(cut, cut);
            let without = format!("{cut}{}", text[at..].chars().skip(1).collect::<String>());
            agree(&without, &without);
            let _ = lower("a.py", Language::Python, &without);
        }
    }
}

#[test]
fn directives_are_found_on_both_roads() {
    let text = "# mcp-migrate-allow one: a\r\nx = '# mcp-migrate-allow'\r\nf(a, # mcp-migrate-allow two: b\r\n)\r\n";
    assert!(agree(text, text));
    let module = by(Road::Fast, text).expect("for the fast road");
    assert_eq!(module.comments.len(), 2);
}

#[test]
fn what_is_deep_or_long_takes_the_other_road() {
    for text in [
        format!("x = {}1{}\n", "[".repeat(10_000), "]".repeat(10_000)),
        format!("x = {}a\n", "-".repeat(100_000)),
        format!("x = {}a\n", "not ".repeat(100_000)),
        format!("x = a{}\n", ".b".repeat(100_000)),
        format!("x = a{}\n", "()".repeat(100_000)),
        format!("x = a{}\n", " ** b".repeat(100_000)),
        format!("x = {}a\n", "lambda: ".repeat(50_000)),
        format!("x = {}c\n", "a if b else ".repeat(50_000)),
        format!("x = {}c\n", "await ".repeat(50_000)),
        format!("x = (\n{}a)\n", "not\n".repeat(50_000)),
    ] {
        assert!(by(Road::Fast, &text).is_none(), "{}", &text[..20]);
    }
}
