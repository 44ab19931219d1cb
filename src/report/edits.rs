//! The edits that a finding's fix would make, for formats that can carry them.

use std::collections::HashMap;
use std::rc::Rc;

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
    /// The group that it is.
    pub group: String,
    /// One line.
    pub title: String,
    /// Its parts, by path and position. None touches another.
    pub replacements: Vec<Replacement>,
    /// Files that it makes: path and text.
    pub new_files: Vec<(String, String)>,
}

/// Edits by the findings that they answer.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    of: HashMap<String, Rc<Edit>>,
}

impl Edits {
    /// Adds the edit of the finding with a fingerprint.
    pub fn add(&mut self, fingerprint: String, edit: Rc<Edit>) {
        self.of.insert(fingerprint, edit);
    }

    /// The edit of a finding. A hint alone says what would be done but not with which text, so it is none.
    pub fn of(&self, finding: &Finding) -> Option<&Edit> {
        self.of.get(&finding.fingerprint).map(Rc::as_ref)
    }
}
