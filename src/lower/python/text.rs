//! The values of string literals.

use std::borrow::Cow;

/// The prefix letters of a string as its opening token writes them, and whether they make it raw, formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    pub(super) raw: bool,
    pub(super) formatted: bool,
}

impl Prefix {
    /// Of an opening token such as `rb"""`.
    pub(super) fn of(opening: &str) -> Self {
        let letters = opening.trim_end_matches(['"', '\'']);
        let has = |wanted: char| letters.chars().any(|c| c.eq_ignore_ascii_case(&wanted));
        Self { raw: has('r'), formatted: has('f') || has('t') }
    }
}

/// The value of the inside of a string literal.
pub(super) fn cook(written: &str, prefix: Prefix) -> Cow<'_, str> {
    let braces = prefix.formatted && written.contains(['{', '}']);
    let doubled = |text: Cow<'_, str>| text.replace("{{", "{").replace("}}", "}");
    if prefix.raw || !written.contains('\\') {
        return if braces { doubled(written.into()).into() } else { written.into() };
    }
    let mut cooked = String::with_capacity(written.len());
    let mut rest = written.chars();
    while let Some(char) = rest.next() {
        if char != '\\' {
            cooked.push(char);
            continue;
        }
        match rest.next() {
            Some('n') => cooked.push('\n'),
            Some('t') => cooked.push('\t'),
            Some('r') => cooked.push('\r'),
            Some('a') => cooked.push('\u{7}'),
            Some('b') => cooked.push('\u{8}'),
            Some('f') => cooked.push('\u{c}'),
            Some('v') => cooked.push('\u{b}'),
            Some('\n') => {}
            Some('\r') => {
                if rest.as_str().starts_with('\n') {
                    rest.next();
                }
            }
            Some('x') => push_code(&mut cooked, &mut rest, 2),
            Some('u') => push_code(&mut cooked, &mut rest, 4),
            Some('U') => push_code(&mut cooked, &mut rest, 8),
            Some(digit @ '0'..='7') => {
                let mut code = digit.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(next) = rest.as_str().chars().next().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + next;
                    rest.next();
                }
                cooked.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(quoted @ ('\\' | '\'' | '"')) => cooked.push(quoted),
            // An unknown escape stands for itself.
            Some(other) => cooked.extend(['\\', other]),
            None => cooked.push('\\'),
        }
    }
    if prefix.formatted { doubled(cooked.into()).into() } else { cooked.into() }
}

fn push_code(cooked: &mut String, rest: &mut std::str::Chars<'_>, digits: usize) {
    let code = rest
        .as_str()
        .get(..digits)
        .filter(|written| written.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .and_then(|written| u32::from_str_radix(written, 16).ok());
    if code.is_some() {
        *rest = rest.as_str()[digits..].chars();
    }
    cooked.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
}

#[cfg(test)]
mod tests {
    use super::{Prefix, cook};

    #[test]
    fn escapes_are_cooked() {
        for (opening, written, value) in [
            ("\"", "plain", "plain"),
            ("'", r"a\nb\t\'\\", "a\nb\t'\\"),
            ("b'", r"\x41\102\0", "AB\0"),
            ("\"", r"\u0042\U00000043", "BC"),
            ("r'", r"\d+\n", r"\d+\n"),
            ("f'", "{{x}}", "{x}"),
            ("rf\"\"\"", r"\{{x", r"\{x"),
            ("'", r"\q\xZZ", "\\q\u{fffd}ZZ"),
            ("'", "a\\\r\nb\\", "ab\\"),
        ] {
            assert_eq!(cook(written, Prefix::of(opening)), value, "{opening}{written}");
        }
    }
}
