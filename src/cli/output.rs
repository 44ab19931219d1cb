//! The two streams: results on stdout, everything else on stderr.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use mcp_migrate::report::style::Style;
use miette::Diagnostic;

use super::args::Color;

/// Text wider than this is hard to read.
const WIDEST: usize = 110;
/// Narrower than this nothing fits.
const NARROWEST: usize = 40;

/// The program's streams.
pub struct Output {
    color: Color,
    quiet: bool,
}

impl Output {
    /// Streams as the global options want them.
    pub fn new(color: Color, quiet: bool) -> Self {
        Self { color, quiet }
    }

    /// How to draw on stdout.
    pub fn style(&self) -> Style {
        let terminal = io::stdout().is_terminal();
        Style {
            color: self.colored(terminal),
            unicode: supports_unicode::on(supports_unicode::Stream::Stdout),
            width: width(terminal),
        }
    }

    /// How to draw on stderr.
    pub fn style_of_stderr(&self) -> Style {
        let terminal = io::stderr().is_terminal();
        Style {
            color: self.colored(terminal),
            unicode: supports_unicode::on(supports_unicode::Stream::Stderr),
            width: width(terminal),
        }
    }

    fn colored(&self, terminal: bool) -> bool {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|t| t != "dumb"),
        }
    }

    /// Whether progress may be drawn.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
    }

    /// Writes a result to stdout. A reader that went away is no error; a full disk is.
    pub fn result(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = writeln!(io::stderr(), "error: the answer can't be written: {error}");
                std::process::exit(super::FAILED.into());
            }
            _ => {}
        }
    }

    /// Writes a text into a file, or to stdout where none is named. Whether that could be done; if not, the reason is on stderr.
    pub fn result_to(&self, path: Option<&Path>, text: &str) -> bool {
        let Some(path) = path else {
            self.result(text);
            return true;
        };
        let written = std::fs::write(path, text);
        if let Err(error) = &written {
            self.note(&format!("error: `{}` can't be written: {error}", path.display()));
        }
        written.is_ok()
    }

    /// Writes a note to stderr.
    pub fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Writes a question to stderr; the answer stands behind it.
    pub fn question(&self, text: &str) {
        let mut stderr = io::stderr();
        let _ = write!(stderr, "{text}").and_then(|()| stderr.flush());
    }

    /// Writes an error to stderr.
    pub fn error(&self, error: &dyn Diagnostic) {
        let mut drawn = String::new();
        if self.style_of_stderr().diagnostics().render_report(&mut drawn, error).is_err() {
            drawn = format!("error: {error}\n");
        }
        let _ = write!(io::stderr(), "{drawn}");
    }
}

fn width(terminal: bool) -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(w, _)| usize::from(w.0));
    columns.or_else(|| if terminal { measured() } else { None }).unwrap_or(80).clamp(NARROWEST, WIDEST)
}
