//! How a file is written: what new text in it has to look like.

use crate::syntax::source::Eol;

/// The habits of a file, by majority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// One level of indentation.
    pub indent: Indent,
    /// The quote of plain strings.
    pub quote: char,
    /// Statements end with a semicolon.
    pub semicolons: bool,
    /// The last element of a list that is written over several lines has a comma.
    pub trailing_commas: bool,
    /// The line end that new lines get.
    pub newline: &'static str,
}

/// One level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indent {
    /// A tab.
    Tab,
    /// So many spaces.
    Spaces(u8),
}

impl Indent {
    /// As text.
    pub fn text(self) -> String {
        match self {
            Self::Tab => "\t".to_owned(),
            Self::Spaces(count) => " ".repeat(usize::from(count)),
        }
    }
}

impl Style {
    /// Looks at a text. Strings and comments are looked at too: they follow the same habits, or are outvoted.
    pub fn of(text: &str, eol: Eol) -> Self {
        Self {
            indent: indent(text),
            quote: if text.matches('"').count() > text.matches('\'').count() { '"' } else { '\'' },
            semicolons: semicolons(text),
            trailing_commas: trailing_commas(text),
            newline: match eol {
                Eol::CrLf => "\r\n",
                Eol::Mixed if text.matches("\r\n").count() * 2 > text.matches('\n').count() => "\r\n",
                Eol::Lf | Eol::Mixed => "\n",
            },
        }
    }

    /// `text`, which is written with `\n`, four-space-free (one tab for each level), single quotes for strings marked `'`, and
    /// semicolons, in this style: tabs at the start of lines become the file's indentation and line ends the file's.
    pub fn dress(&self, text: &str) -> String {
        let unit = self.indent.text();
        let mut out = String::with_capacity(text.len());
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                out.push_str(self.newline);
            }
            let rest = line.trim_start_matches('\t');
            out.push_str(&unit.repeat(line.len() - rest.len()));
            let rest = if self.semicolons { rest } else { rest.strip_suffix(';').unwrap_or(rest) };
            out.push_str(rest);
        }
        out
    }

    /// A string literal.
    pub fn string(&self, value: &str) -> String {
        let mut out = String::with_capacity(value.len() + 2);
        out.push(self.quote);
        for char in value.chars() {
            match char {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{2028}' => out.push_str("\\u2028"),
                '\u{2029}' => out.push_str("\\u2029"),
                _ if char == self.quote => {
                    out.push('\\');
                    out.push(char);
                }
                _ => out.push(char),
            }
        }
        out.push(self.quote);
        out
    }
}

/// The quote of plain strings in a piece of code, where there is one that is used more than the other.
pub fn quote_in(pieces: &[&str]) -> Option<char> {
    let count = |quote: char| pieces.iter().map(|piece| piece.matches(quote).count()).sum::<usize>();
    match count('"').cmp(&count('\'')) {
        std::cmp::Ordering::Greater => Some('"'),
        std::cmp::Ordering::Less => Some('\''),
        std::cmp::Ordering::Equal => None,
    }
}

fn indent(text: &str) -> Indent {
    let (mut tabs, mut widths) = (0_u32, [0_u32; 9]);
    let mut before = 0_usize;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with('\t') {
            tabs += 1;
            continue;
        }
        let width = line.len() - line.trim_start_matches(' ').len();
        // Lines of a block comment are indented by one more.
        let comment = line.trim_start().starts_with('*');
        if width > before && width - before <= 8 && !comment {
            widths[width - before] += 1;
        }
        if !comment {
            before = width;
        }
    }
    let (best, count) = [2_u8, 4, 3, 8, 1, 5, 6, 7].map(|width| (width, widths[usize::from(width)])).into_iter().fold(
        (2, 0),
        |best, next| {
            if next.1 > best.1 { next } else { best }
        },
    );
    if tabs > count { Indent::Tab } else { Indent::Spaces(best) }
}

fn semicolons(text: &str) -> bool {
    let ends = |end: &str| text.lines().filter(|line| line.trim_end().ends_with(end)).count();
    let bare = text
        .lines()
        .map(str::trim)
        .filter(|line| {
            let starts = ["const ", "let ", "import ", "return ", "await "].iter().any(|word| line.starts_with(word));
            starts && line.ends_with(|last: char| last.is_alphanumeric() || matches!(last, ')' | '\'' | '"' | ']'))
        })
        .count();
    ends(";") >= bare
}

fn trailing_commas(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (mut with, mut without) = (0, 0);
    for pair in lines.windows(2) {
        if pair[1].starts_with('}') || pair[1].starts_with(')') || pair[1].starts_with(']') {
            match pair[0].chars().next_back() {
                Some(',') => with += 1,
                Some(last) if last.is_alphanumeric() || matches!(last, '\'' | '"' | ')' | ']') => without += 1,
                _ => {}
            }
        }
    }
    with > without
}

#[cfg(test)]
mod tests {
    use super::{Indent, Style, quote_in};
    use crate::syntax::source::Eol;

    #[test]
    fn habits_are_those_of_the_majority() {
        let text = "/**\n * x\n */\nconst a = \"b\";\nif (a) {\n    f({\n        a,\n        b,\n    });\n}\n";
        let style = Style::of(text, Eol::Lf);
        assert_eq!(style.indent, Indent::Spaces(4));
        assert_eq!(style.quote, '"');
        assert!(style.semicolons && style.trailing_commas);
        let style = Style::of("const a = 'b'\r\nif (a) {\r\n\tf(a)\r\n}\r\n", Eol::CrLf);
        assert_eq!(style.indent, Indent::Tab);
        assert_eq!((style.quote, style.semicolons, style.newline), ('\'', false, "\r\n"));
    }

    #[test]
    fn the_code_around_says_more_of_quotes_than_the_file() {
        assert_eq!(quote_in(&["f('a', \"b\")", "g('c')"]), Some('\''));
        assert_eq!(quote_in(&["f(1)"]), None);
    }

    #[test]
    fn new_text_is_dressed_in_them() {
        let style = Style::of("const a = \"b\"\nif (a) {\n  f(a)\n}\n", Eol::Lf);
        assert_eq!(style.dress("if (x) {\n\tf();\n}"), "if (x) {\n  f()\n}");
        assert_eq!(style.string("it's \"so\"\n"), "\"it's \\\"so\\\"\\n\"");
    }
}
