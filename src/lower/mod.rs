//! Front ends: from a file's text to the neutral form of [`crate::model::facts`].

use std::fmt;

use crate::model::facts::{Language, Module};
use crate::syntax::tree::ParseError;

pub mod rust;
pub mod typescript;

/// Why a file could not be lowered at all. (A file with syntax errors is lowered as far as it can be read, see
/// [`crate::model::facts::Module::errors`].)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowerError {
    /// Parsing took more work than a file of this size deserves.
    ParseBudget,
    /// The code is nested deeper than any written by hand.
    TooDeep,
    /// The file is larger than byte offsets of 32 bits reach.
    TooLarge,
    /// There is no front end for the language.
    NoFrontEnd,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ParseBudget => "parsing took too long",
            Self::TooDeep => "the code is nested too deeply",
            Self::TooLarge => "the file is too large",
            Self::NoFrontEnd => "the language is not supported yet",
        })
    }
}

impl std::error::Error for LowerError {}

impl From<ParseError> for LowerError {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::Budget => Self::ParseBudget,
            ParseError::TooLarge => Self::TooLarge,
        }
    }
}

/// Lowers a file with the front end of its language.
pub fn lower(path: &str, language: Language, text: &str) -> Result<Module, LowerError> {
    match language {
        Language::TypeScript | Language::JavaScript => typescript::lower(path, language, text),
        Language::Rust => rust::lower(path, language, text),
        Language::Python => Err(LowerError::NoFrontEnd),
    }
}

/// Whether there is a front end for a language.
pub fn reads(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::JavaScript | Language::Rust)
}
