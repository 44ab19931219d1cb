//! The edits that a finding's fix would make, for formats that can carry them.

use crate::rules::finding::{Finding, Position};

/// Text that takes the place of a stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The file, relative to the root.
    pub path: String,
    /// First character that goes.
    pub start: Position,
    /// One past the last character that goes.
    pub end: Position,
    /// What comes instead.
    pub text: String,
}

/// A whole edit: applying a part of it makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// One line.
    pub title: String,
    /// Its parts, by path and position.
    pub replacements: Vec<Replacement>,
}

/// The edits of a finding. A hint alone says what would be done but not with which text, so it is none.
pub fn of(_finding: &Finding) -> Vec<Edit> {
    Vec::new()
}
