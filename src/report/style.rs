//! How text for people is drawn: colour, characters, width. Decided once, by the caller.

use miette::{GraphicalReportHandler, GraphicalTheme, ThemeCharacters, ThemeStyles};

use crate::rules::finding::Severity;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours.
    pub color: bool,
    /// With characters beyond ASCII.
    pub unicode: bool,
    /// Columns.
    pub width: usize,
}

impl Style {
    /// 80 columns of plain text, with or without characters beyond ASCII.
    pub fn plain(unicode: bool) -> Self {
        Self { color: false, unicode, width: 80 }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Bold.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Dim.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// A heading.
    pub fn heading(self, text: &str) -> String {
        self.paint("1;36", text)
    }

    /// A code span.
    pub fn code(self, text: &str) -> String {
        self.paint("36", text)
    }

    /// A line that comes.
    pub fn added(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// A line that goes.
    pub fn removed(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// In the colour of a severity.
    pub fn severity(self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;34",
        };
        self.paint(code, text)
    }

    /// A list's bullet.
    pub fn bullet(self) -> &'static str {
        if self.unicode { "\u{2022}" } else { "-" }
    }

    /// What separates short items on a line.
    pub fn dot(self) -> &'static str {
        if self.unicode { " \u{b7} " } else { ", " }
    }

    /// Replaces the few typographic characters that our own texts use where the terminal has ASCII only.
    pub fn text(self, text: &str) -> String {
        if self.unicode {
            return text.to_owned();
        }
        text.replace('\u{2026}', "...")
            .replace('\u{2192}', "->")
            .replace(['\u{2013}', '\u{2014}'], "-")
            .replace('\u{d7}', "x")
    }

    /// The handler that draws diagnostics.
    pub fn diagnostics(self) -> GraphicalReportHandler {
        let theme = GraphicalTheme {
            characters: if self.unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() },
            styles: if self.color { ThemeStyles::ansi() } else { ThemeStyles::none() },
        };
        GraphicalReportHandler::new_themed(theme)
            .with_links(false)
            .with_urls(false)
            .with_context_lines(1)
            .tab_width(4)
            .with_width(self.width)
            .with_break_words(false)
    }
}
