//! The ladder of levels: how far an edit can go without a person.

use serde::Serialize;

/// How far a migration can go without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// No tool interface changes.
    Safe,
    /// Complete and working, but tool schemas or authorization code change, or a comment goes.
    Review,
    /// Never edited by a program: a person decides.
    Manual,
}

impl Level {
    /// The published id.
    pub fn id(self) -> &'static str {
        match self {
            Level::Safe => "safe",
            Level::Review => "review",
            Level::Manual => "manual",
        }
    }
}
