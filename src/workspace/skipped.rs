//! What was not looked at, and why.

use std::fmt;

use serde::Serialize;

use crate::syntax::source::LoadError;

/// Why a file or folder was left out. The ids are published in the scan's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// The parser met errors; what could be read was kept.
    SyntaxError,
    /// Too many bytes.
    TooLarge,
    /// Written by a bundler.
    Minified,
    /// Written by a program.
    Generated,
    /// Binary, or an unmarked encoding other than UTF-8.
    NotUtf8,
    /// Nested deeper than the front end follows.
    TooDeep,
    /// Parsing took longer than its budget.
    ParseBudget,
    /// A symbolic link that leads back to itself or above.
    LinkCycle,
    /// It could not be opened.
    Unreadable,
    /// A manifest that its own package manager would refuse.
    BrokenManifest,
    /// A symbolic link that leaves the root.
    OutsideRoot,
    /// No front end for its language.
    UnsupportedLanguage,
}

impl SkipReason {
    /// Every reason.
    pub const ALL: &'static [Self] = &[
        Self::SyntaxError,
        Self::TooLarge,
        Self::Minified,
        Self::Generated,
        Self::NotUtf8,
        Self::TooDeep,
        Self::ParseBudget,
        Self::LinkCycle,
        Self::Unreadable,
        Self::BrokenManifest,
        Self::OutsideRoot,
        Self::UnsupportedLanguage,
    ];

    /// The published id.
    pub fn id(self) -> &'static str {
        match self {
            Self::SyntaxError => "syntax-error",
            Self::TooLarge => "too-large",
            Self::Minified => "minified",
            Self::Generated => "generated",
            Self::NotUtf8 => "not-utf8",
            Self::TooDeep => "too-deep",
            Self::ParseBudget => "parse-budget",
            Self::LinkCycle => "link-cycle",
            Self::Unreadable => "unreadable",
            Self::BrokenManifest => "broken-manifest",
            Self::OutsideRoot => "outside-root",
            Self::UnsupportedLanguage => "unsupported-language",
        }
    }

    /// The reason in words, as a heading.
    pub fn words(self) -> &'static str {
        match self {
            Self::SyntaxError => "syntax errors",
            Self::TooLarge => "too large",
            Self::Minified => "minified",
            Self::Generated => "generated",
            Self::NotUtf8 => "encoding not known",
            Self::TooDeep => "nested too deeply",
            Self::ParseBudget => "took too long to parse",
            Self::LinkCycle => "link that leads back to itself",
            Self::Unreadable => "not readable for this user",
            Self::BrokenManifest => "manifest that can't be parsed",
            Self::OutsideRoot => "link out of the scanned folder",
            Self::UnsupportedLanguage => "language not supported yet",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl From<&LoadError> for SkipReason {
    fn from(error: &LoadError) -> Self {
        match error {
            LoadError::Unreadable(_) => Self::Unreadable,
            LoadError::TooLarge(_) => Self::TooLarge,
            LoadError::Minified => Self::Minified,
            LoadError::Generated => Self::Generated,
            LoadError::NotUtf8 { .. } => Self::NotUtf8,
        }
    }
}

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// Path relative to the scan's root, with `/`.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

impl Skipped {
    /// `path`, left out for `reason`.
    pub fn new(path: impl Into<String>, reason: SkipReason) -> Self {
        Self { path: path.into(), reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_what_is_serialised() {
        for &reason in SkipReason::ALL {
            let json = serde_json::to_string(&reason).expect("serialises");
            assert_eq!(json, format!("\"{}\"", reason.id()));
        }
    }
}
