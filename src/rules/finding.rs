//! What a rule reports.

use serde::Serialize;

use crate::classify::answer::{Failure, Place};

/// How much a finding matters, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; never fails a check by default.
    Note,
    /// Goes away or changes with the migration.
    Warning,
    /// State, authorization or isolation is at stake.
    Error,
}

/// A place inside a file, both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
    /// Byte offset into the file as it is on disk.
    pub byte: u32,
}

/// Another place that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Related {
    /// Where.
    #[serde(flatten)]
    pub at: Place,
    /// What happens there.
    pub message: String,
}

/// What `fix` would do about it. `null` until a planner for the language exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixHint {
    /// `safe`, `review` or `manual`.
    pub level: &'static str,
    /// One line.
    pub title: String,
    /// The step of the plan that would do it; `None` where a person does. Not part of the JSON contract.
    #[serde(skip)]
    pub step: Option<String>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Rule name, kebab-case.
    pub rule: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong, in one or two sentences that stand alone.
    pub message: String,
    /// The `path` of the server it belongs to.
    pub server: String,
    /// File, relative to the root.
    pub path: String,
    /// First character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
    /// Other places, in reading order.
    pub related: Vec<Related>,
    /// Places like these, beyond those worth showing; a change there is a change of what was found. Not part of the JSON contract.
    #[serde(skip)]
    pub more: Vec<Place>,
    /// What a modern request meets there, where the rule is about a store.
    pub failure: Option<Failure>,
    /// What `fix` would do.
    pub fix: Option<FixHint>,
    /// Stable over moved lines.
    pub fingerprint: String,
    /// What to do, in one line, for people. Not part of the JSON contract.
    #[serde(skip)]
    pub advice: String,
}
