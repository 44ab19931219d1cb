//! Text of others in Markdown: names from scanned code must not become markup, links, mentions or new lines.

use crate::report::verdict::one_line;

/// A code span on one line.
pub fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A block of code: its fence is longer than any in the text.
pub fn fence(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// Text on one line whose code spans in backquotes stay, and in which nothing else is markup.
pub fn prose(text: &str) -> String {
    let text = one_line(text);
    if text.matches('`').count() % 2 == 1 {
        return plain(&text);
    }
    let parts = text.split('`').enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { format!("`{part}`") } else { plain(part) }).collect()
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '\\' | '[' | ']' | '*' | '`' | '~' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A mention or a reference begins a word; an invisible character keeps it text.
            '@' | '#' if !before.is_alphanumeric() => out.extend([c, '\u{2060}']),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// A cell of a table: a bar would end it, also inside a code span.
pub fn cell(markdown: &str) -> String {
    markdown.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans() {
        assert_eq!(code("a\nb"), "`a b`");
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
    }

    #[test]
    fn blocks() {
        assert_eq!(fence("diff", "+a\n"), "```diff\n+a\n```\n");
        assert_eq!(fence("", "````"), "`````\n````\n`````\n");
    }

    #[test]
    fn nothing_of_the_code_becomes_markup() {
        assert_eq!(prose("`a<b>` in tool add_item"), "`a<b>` in tool add_item");
        assert_eq!(prose("tool <img src=x> [x](y)"), "tool &lt;img src=x&gt; \\[x\\](y)");
        assert_eq!(prose("ask @team, see #12, a@b"), "ask @\u{2060}team, see #\u{2060}12, a@b");
        assert_eq!(prose("one ` alone"), "one \\` alone");
        assert_eq!(cell("`Map<string, A | B>`"), "`Map<string, A \\| B>`");
    }
}
