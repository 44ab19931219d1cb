//! Comments that hold a directive for this program. Only comments count: the same words in a string are text.
//!
//! Front ends record their byte ranges. A file without the word costs one search.

use memchr::memmem;
use tree_sitter::Tree;

/// The word that a directive begins with.
pub const DIRECTIVE: &str = "mcp-migrate-allow";

/// The comments with a directive in a parsed text, in source order. Any grammar will do whose comments are called so.
pub fn in_tree(tree: &Tree, text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in memmem::find_iter(text.as_bytes(), DIRECTIVE) {
        if found.last().is_some_and(|&(_, end)| at < end) {
            continue;
        }
        let mut node = tree.root_node().descendant_for_byte_range(at, at + DIRECTIVE.len());
        let mut comment = None;
        while let Some(inner) = node.filter(|node| node.kind().contains("comment")) {
            comment = Some((inner.start_byte(), inner.end_byte()));
            node = inner.parent();
        }
        found.extend(comment);
    }
    found
}

/// The comments with a directive in a Rust text, in source order, for a front end whose parser drops comments.
pub fn in_rust(text: &str) -> Vec<(usize, usize)> {
    if memmem::find(text.as_bytes(), DIRECTIVE.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (end, is_comment) = token(text, at);
        if is_comment && text[at..end].contains(DIRECTIVE) {
            found.push((at, end));
        }
        at = end;
    }
    found
}

/// The end of what begins at a boundary of a Rust text, and whether it is a comment.
fn token(text: &str, at: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let rest = &text[at..];
    let up_to =
        |needle: &str, from: usize| rest[from..].find(needle).map_or(text.len(), |n| at + from + n + needle.len());
    match bytes[at] {
        b'/' if rest.starts_with("//") => (rest.find('\n').map_or(text.len(), |n| at + n), true),
        b'/' if rest.starts_with("/*") => (block_end(text, at), true),
        b'"' => (quoted_end(bytes, at + 1, b'"'), false),
        b'\'' => {
            // A character, or a lifetime: that has no second quote right behind its first character.
            let mut inner = rest[1..].char_indices();
            match (inner.next(), inner.next()) {
                (Some((_, '\\')), _) => (quoted_end(bytes, at + 1, b'\''), false),
                (Some(_), Some((next, '\''))) => (at + 1 + next + 1, false),
                _ => (at + 1, false),
            }
        }
        byte if byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80 => {
            let word = rest.find(|c: char| !(c == '_' || c.is_alphanumeric())).unwrap_or(rest.len()).max(1);
            let word = if rest.is_char_boundary(word) { word } else { rest.chars().next().map_or(1, char::len_utf8) };
            let hashes = rest[word..].bytes().take_while(|&byte| byte == b'#').count();
            let raw = matches!(&rest[..word], "r" | "br" | "cr") && rest[word + hashes..].starts_with('"');
            match raw {
                true => (up_to(&format!("\"{}", "#".repeat(hashes)), word + hashes + 1), false),
                false => (at + word, false),
            }
        }
        _ => (at + 1, false),
    }
}

/// The end of a block comment; they nest.
fn block_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, start);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

fn quoted_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::tree::{Budget, parse};
    use proptest::prelude::*;

    fn texts(text: &str, found: Vec<(usize, usize)>) -> Vec<&str> {
        found.into_iter().map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn comments_of_a_tree_and_no_strings() {
        let text = "// mcp-migrate-allow: a -- b\nconst s = 'mcp-migrate-allow: x'; /* mcp-migrate-allow\n twice mcp-migrate-allow */\n\
                    const t = `// mcp-migrate-allow`;\nconst e = <p>// mcp-migrate-allow{/* mcp-migrate-allow: c */}</p>;\n";
        let tree = parse(&tree_sitter_typescript::LANGUAGE_TSX.into(), text, Budget::default()).expect("a tree");
        assert_eq!(
            texts(text, in_tree(&tree, text)),
            [
                "// mcp-migrate-allow: a -- b",
                "/* mcp-migrate-allow\n twice mcp-migrate-allow */",
                "/* mcp-migrate-allow: c */"
            ]
        );
    }

    #[test]
    fn comments_of_rust_and_no_strings() {
        let text = "/// mcp-migrate-allow: a\nfn f<'a>(x: &'a str) { let q = '\"'; let s = \"// mcp-migrate-allow \\\" \"; \
                    let r = r#\"\"// mcp-migrate-allow\"#; let b = b'\\''; /* /* */ mcp-migrate-allow */ g(br\"\\\") // mcp-migrate-allow\n}";
        assert_eq!(
            texts(text, in_rust(text)),
            ["/// mcp-migrate-allow: a", "/* /* */ mcp-migrate-allow */", "// mcp-migrate-allow"]
        );
    }

    proptest! {
        #[test]
        fn any_text_has_an_end(text in "(mcp-migrate-allow|r#|\"|'|\\\\|/\\*|\\*/|//|\n|é|a| |\\PC){0,20}") {
            for (start, end) in in_rust(&text) {
                prop_assert!(text[start..end].contains(DIRECTIVE));
            }
        }
    }
}
