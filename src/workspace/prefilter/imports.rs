//! What a file imports, by its bytes: near enough to tell which packages belong together before any of them is parsed.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::{memchr, memchr2};

use crate::model::facts::Language;

static BEFORE_SPECIFIERS: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(["from", "require(", "import"]).expect("three words make an automaton"));

/// No specifier is longer.
const LONGEST: usize = 200;

/// Specifiers of the imports that a file seems to have, sorted. Rust's are followed from module to module in any case.
pub fn imports(language: Language, bytes: &[u8]) -> Vec<String> {
    let mut out = match language {
        Language::TypeScript | Language::JavaScript => in_script(bytes),
        Language::Python => in_python(bytes),
        Language::Rust => Vec::new(),
    };
    out.sort_unstable();
    out.dedup();
    out
}

/// A quoted text after `from`, `import`, `import(` or `require(`.
fn in_script(bytes: &[u8]) -> Vec<String> {
    let specifier = |end: usize| {
        let rest = bytes[end..].trim_ascii_start();
        let rest = rest.strip_prefix(b"(").unwrap_or(rest).trim_ascii_start();
        let quote = *rest.first().filter(|byte| matches!(byte, b'\'' | b'"' | b'`'))?;
        let rest = &rest[1..rest.len().min(LONGEST)];
        std::str::from_utf8(&rest[..memchr2(quote, b'\n', rest)?]).ok().map(str::to_owned)
    };
    BEFORE_SPECIFIERS.find_iter(bytes).filter_map(|found| specifier(found.end())).collect()
}

/// `import a.b, c` and `from a import b, c`, where `b` may be a module as well.
fn in_python(bytes: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..end].trim_ascii_start();
        if let Some(modules) = line.strip_prefix(b"import ") {
            out.extend(modules.split(|byte| *byte == b',').filter_map(first_word));
        } else if let Some(from) = line.strip_prefix(b"from ") {
            let written = rest[..end].len() - from.len();
            from_import(&rest[written..], end - written, &mut out);
        }
        at += end + 1;
    }
    out
}

/// The rest of `from a import b, (c, d)`: `line` is how much of it stands on the first line.
fn from_import(rest: &[u8], line: usize, out: &mut Vec<String>) {
    let Some(module) = first_word(&rest[..line]) else { return };
    let names = rest[..line].trim_ascii_start().get(module.len()..).unwrap_or_default().trim_ascii_start();
    let Some(names) = names.strip_prefix(b"import") else { return };
    let names = match memchr(b'(', names) {
        Some(open) => {
            let open = line - names.len() + open + 1;
            &rest[open..memchr(b')', &rest[open..]).map_or(rest.len(), |close| open + close)]
        }
        None => names,
    };
    let dot = if module.ends_with('.') { "" } else { "." };
    out.extend(names.split(|byte| *byte == b',').filter_map(first_word).map(|name| format!("{module}{dot}{name}")));
    out.push(module);
}

fn first_word(text: &[u8]) -> Option<String> {
    let text = text.trim_ascii_start();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || !byte.is_ascii();
    let end = text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).ok().filter(|word| !word.is_empty() && word.len() < LONGEST).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_scripts() {
        let text = "import { a } from './a.js';\nimport './b';\nconst c = require(\"./c\");\nexport * from \"d\";\nawait import( './e' );\n\
                    import type { F } from '@x/f/g';\nArray.from(list); imports('no\nspecifier');";
        assert_eq!(imports(Language::TypeScript, text.as_bytes()), ["./a.js", "./b", "./c", "./e", "@x/f/g", "d"]);
    }

    #[test]
    fn of_python() {
        let text = "import a.b as x, c\nfrom . import d\nfrom .e import f as g\nfrom h.i import (\n    j,\n    k as l,\n)\n    import m\n";
        let expected = [".", ".d", ".e", ".e.f", "a.b", "c", "h.i", "h.i.j", "h.i.k", "m"];
        assert_eq!(imports(Language::Python, text.as_bytes()), expected);
    }

    #[test]
    fn broken_texts_have_what_they_have() {
        for text in ["from", "from ", "import", "import ", "from a import (b", "from a import", "require('", "import '"]
        {
            imports(Language::Python, text.as_bytes());
            imports(Language::JavaScript, text.as_bytes());
        }
        assert_eq!(imports(Language::Python, b"from a import (b"), ["a", "a.b"]);
        assert!(imports(Language::Rust, b"use a::b;").is_empty());
    }
}
