//! Bridges gaps of the grammar.
//!
//! `import('m').Name` as a type is known to it only in places; elsewhere valid code does not parse, and recovery may give up a whole
//! file. Where a parse fails, such imports are replaced by an identifier of the same length and the text is parsed again: positions
//! stay, and since the lowering reads names from the original text, it recognises what stands there. A NUL in a string, which the
//! parser takes for the end of the file, gives way to another control character in the same manner.

/// How an import begins that may stand for a value or the head of a type.
const IMPORT: &str = "import(";

/// The text to parse instead, or `None` where it would be the same.
pub(super) fn bridged(text: &str) -> Option<String> {
    let mut out: Option<Vec<u8>> = text.contains('\0').then(|| text.replace('\0', "\u{1}").into_bytes());
    let mut from = 0;
    while let Some(found) = text[from..].find(IMPORT) {
        let start = from + found;
        from = start + IMPORT.len();
        let whole_word = !text[..start].ends_with(|c: char| c.is_alphanumeric() || "_$.#".contains(c));
        if !whole_word {
            continue;
        }
        if let Some(end) = import_end(text, from) {
            let bytes = out.get_or_insert_with(|| text.as_bytes().to_vec());
            bytes[start..end].fill(b'$');
            from = end;
        }
    }
    // Only whole imports of a single line were filled, with ASCII: what is left is the text's own.
    out.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Where an import ends whose parenthesis opens before `at`, if it holds nothing but a string.
fn import_end(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &rest[1..];
    let length = inside.find([quote, '\n', '\\'])?;
    let after = inside[length..].strip_prefix(quote)?.trim_start();
    let after = after.strip_prefix(')')?;
    let end = text.len() - after.len();
    (!text[at..end].contains('\n')).then_some(end)
}

/// The specifier of an import that was replaced, from what stands in the original text.
pub(super) fn specifier(written: &str) -> Option<&str> {
    let inside = written.strip_prefix(IMPORT)?.strip_suffix(')')?.trim();
    let inside = inside.strip_prefix(['\'', '"'])?;
    inside.strip_suffix(['\'', '"'])
}

#[cfg(test)]
mod tests {
    use super::{bridged, specifier};

    #[test]
    fn only_whole_imports_of_a_string_are_replaced() {
        for (text, expected) in [
            ("let x: import('m').T[];", Some("let x: $$$$$$$$$$$.T[];")),
            ("f<typeof import( \"m\" )>()", Some("f<typeof $$$$$$$$$$$$$>()")),
            ("import(name); x.import('m'); reimport('m')", None),
            ("import('a' + b)", None),
            ("import('\u{e9}') é", Some("$$$$$$$$$$$$ é")),
            ("import(", None),
            ("'a\0b'", Some("'a\u{1}b'")),
            ("import('a\n')", None),
        ] {
            assert_eq!(bridged(text).as_deref(), expected, "{text}");
            if let Some(bridged) = bridged(text) {
                assert_eq!(bridged.len(), text.len());
            }
        }
        assert_eq!(specifier("import( \"m\" )"), Some("m"));
        assert_eq!(specifier("imported"), None);
    }
}
