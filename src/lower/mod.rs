//! Front ends: from a file's text to the neutral form of [`crate::model::facts`].

use std::fmt;

use crate::model::facts::{Language, Module};
use crate::syntax::tree::ParseError;

mod exit;
pub mod python;
pub mod rust;
mod scopes;
pub mod typescript;

/// Nesting that the caller's stack takes. Ordinary code stays far below.
const SHALLOW: u32 = 120;
/// Nesting that is lowered at all; what lies between runs on a stack of its own.
const DEEP: u32 = 1_000;
/// That stack: generous, for unoptimised builds.
const DEEP_STACK: usize = 64 << 20;

/// Runs a lowering that gives up beyond the given nesting: on the caller's stack as far as that reaches, then on a larger one.
fn deepening(attempt: impl Fn(u32) -> Result<Module, LowerError> + Sync) -> Result<Module, LowerError> {
    match attempt(SHALLOW) {
        Err(LowerError::TooDeep) => std::thread::scope(|scope| {
            std::thread::Builder::new()
                .stack_size(DEEP_STACK)
                .spawn_scoped(scope, || attempt(DEEP))
                .map_err(|_| LowerError::TooDeep)?
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        }),
        done => done,
    }
}

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
        Language::Python => python::lower(path, language, text),
        Language::Rust => rust::lower(path, language, text),
    }
}

/// Whether there is a front end for a language.
pub fn reads(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::JavaScript | Language::Python | Language::Rust)
}
