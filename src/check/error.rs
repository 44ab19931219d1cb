//! What stops a check: a broken setting, a missing base, a folder without a repository.

use std::fmt;
use std::path::Path;

use miette::Diagnostic;

/// Why a check can't be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl CheckError {
    /// An error with its help.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// A file that can't be read or written.
    pub(crate) fn file(what: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::new(
            format!("{what} {} can't be used: {error}", path.display()),
            "Check the path and its permissions; paths are relative to the current folder.",
        )
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CheckError {}

impl Diagnostic for CheckError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display>)
    }
}
