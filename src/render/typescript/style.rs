//! How a file is written: what new text in it has to look like.

use tree_sitter::Node;

use super::formatter::Formatter;
use crate::syntax::source::Eol;

/// How long a line may be where nothing says so.
const WIDTH: usize = 120;

/// How wide formatters take a tab to be, unless they are told.
const TAB: usize = 2;

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
    /// So has the last argument.
    pub argument_commas: bool,
    /// A lone parameter of an arrow function stands in parentheses.
    pub arrow_parentheses: bool,
    /// How long a line may be.
    pub width: usize,
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
    /// Looks at a text and its tree. Strings and comments are looked at too: they follow the same habits, or are outvoted.
    pub fn of(text: &str, eol: Eol, root: Node<'_>) -> Self {
        let habits = Habits::of(root, text);
        Self {
            indent: indent(text),
            quote: if text.matches('"').count() > text.matches('\'').count() { '"' } else { '\'' },
            semicolons: semicolons(text),
            trailing_commas: habits.commas > 0 || habits.commas == 0 && habits.argument_commas > 0,
            argument_commas: habits.argument_commas > 0 || habits.argument_commas == 0 && habits.commas > 0,
            arrow_parentheses: habits.parentheses >= 0,
            width: WIDTH,
            newline: match eol {
                Eol::CrLf => "\r\n",
                Eol::Mixed if text.matches("\r\n").count() * 2 > text.matches('\n').count() => "\r\n",
                Eol::Lf | Eol::Mixed => "\n",
            },
        }
    }

    /// The same with what a formatter is told. A text that shows no trace of a setting is not written by that formatter.
    pub fn told(self, formatter: &Formatter, text: &str) -> Self {
        let quote = formatter.quote.filter(|quote| text.contains(*quote));
        Self {
            quote: quote.unwrap_or(self.quote),
            semicolons: formatter.semicolons.unwrap_or(self.semicolons),
            trailing_commas: formatter.commas.unwrap_or(self.trailing_commas),
            argument_commas: formatter.argument_commas.unwrap_or(self.argument_commas),
            arrow_parentheses: formatter.arrow_parentheses.unwrap_or(self.arrow_parentheses),
            width: formatter.width.unwrap_or(self.width),
            ..self
        }
    }

    /// The first of some ways to write the same whose lines are short enough at an indentation, else the last. They are dressed.
    pub fn fitting<'t>(&self, indent: &str, ways: &'t [String]) -> &'t str {
        let wide = |text: &str| text.chars().map(|char| if char == '\t' { TAB } else { 1 }).sum::<usize>();
        let fits = |way: &&String| way.lines().all(|line| wide(indent) + wide(line) <= self.width);
        ways.iter().find(fits).or(ways.last()).map_or("", String::as_str)
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

/// What a tree shows: for each habit, how much oftener it is followed than not.
#[derive(Default)]
struct Habits {
    commas: i32,
    argument_commas: i32,
    parentheses: i32,
}

impl Habits {
    fn of(root: Node<'_>, text: &str) -> Self {
        let mut out = Self::default();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            let mut cursor = node.walk();
            let inner: Vec<Node<'_>> = node.children(&mut cursor).collect();
            match node.kind() {
                "object" | "array" | "named_imports" | "export_clause" | "object_pattern" | "array_pattern" => {
                    out.commas += ends_with_comma(&inner);
                }
                "arguments" | "formal_parameters" => out.argument_commas += ends_with_comma(&inner),
                "arrow_function" => {
                    out.parentheses += match inner.iter().find(|part| part.is_named()) {
                        Some(first) if first.kind() == "identifier" => -1,
                        Some(first) if is_lone(*first, text) => 1,
                        _ => 0,
                    };
                }
                _ => {}
            }
            stack.extend(inner);
        }
        out
    }
}

/// Whether parameters are one plain name in parentheses.
fn is_lone(parameters: Node<'_>, text: &str) -> bool {
    let written = text[parameters.byte_range()].trim_matches(['(', ')']);
    parameters.kind() == "formal_parameters"
        && !written.is_empty()
        && written.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$'))
}

/// Whether a list over several lines has a comma at its end: 1 or -1, or 0 where its end is no line of its own.
fn ends_with_comma(inner: &[Node<'_>]) -> i32 {
    let mut back = inner.iter().rev().filter(|node| node.kind() != "comment");
    let (Some(close), Some(last)) = (back.next(), back.next()) else { return 0 };
    let apart = last.end_position().row < close.start_position().row && inner.len() > 2;
    match (apart, last.kind()) {
        (true, ",") => 1,
        (true, _) => -1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{Formatter, Indent, Style, quote_in};
    use crate::lower::typescript;
    use crate::syntax::source::Eol;

    fn style(text: &str, eol: Eol) -> Style {
        Style::of(text, eol, typescript::parse("a.ts", text).expect("a tree").root_node())
    }

    #[test]
    fn habits_are_those_of_the_majority() {
        let text = "/**\n * x\n */\nconst a = \"b\";\nif (a) {\n    f({\n        a,\n        b,\n    });\n}\n";
        let style = style(text, Eol::Lf);
        assert_eq!(style.indent, Indent::Spaces(4));
        assert_eq!(style.quote, '"');
        assert!(style.semicolons && style.trailing_commas);
        let style = self::style("const a = 'b'\r\nif (a) {\r\n\tf(a)\r\n}\r\n", Eol::CrLf);
        assert_eq!(style.indent, Indent::Tab);
        assert_eq!((style.quote, style.semicolons, style.newline), ('\'', false, "\r\n"));
    }

    #[test]
    fn a_statement_at_the_end_of_a_block_says_nothing_of_commas() {
        let style =
            style("f(() => {\n  a()\n})\nif (b) {\n  c()\n}\nconst d = {\n  e: 1,\n}\ng(x => x, (y) => y)\n", Eol::Lf);
        assert!(style.trailing_commas && style.argument_commas && style.arrow_parentheses);
    }

    #[test]
    fn a_formatter_is_obeyed_but_for_what_the_text_denies() {
        let text = "const a = \"b\";\n";
        let told = Formatter { quote: Some('\''), semicolons: Some(false), width: Some(20), ..Formatter::default() };
        let style = style(text, Eol::Lf).told(&told, text);
        assert_eq!((style.quote, style.semicolons, style.width), ('"', false, 20));
        let ways = ["f(aaaaaaaaaaaaaaaaaaaa)".to_owned(), "f(\n  aaaaaaaaaaaa\n)".to_owned()];
        assert_eq!(style.fitting("  ", &ways), ways[1]);
        assert_eq!(style.fitting("", &["f(a)".to_owned()]), "f(a)");
    }

    #[test]
    fn the_code_around_says_more_of_quotes_than_the_file() {
        assert_eq!(quote_in(&["f('a', \"b\")", "g('c')"]), Some('\''));
        assert_eq!(quote_in(&["f(1)"]), None);
    }

    #[test]
    fn new_text_is_dressed_in_them() {
        let style = style("const a = \"b\"\nif (a) {\n  f(a)\n}\n", Eol::Lf);
        assert_eq!(style.dress("if (x) {\n\tf();\n}"), "if (x) {\n  f()\n}");
        assert_eq!(style.string("it's \"so\"\n"), "\"it's \\\"so\\\"\\n\"");
    }
}
