//! Why a group is not applied, and what to do about it.

use std::fmt;

use super::level::Level;
use super::text::EditError;

/// How two groups get into each other's way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clash {
    /// They put different texts at one place.
    SamePlace,
    /// Their changes overlap or touch.
    Overlap,
    /// The other takes out a stretch that holds all that this one takes out there.
    Inside,
    /// This one takes out a stretch that holds all that the other takes out there.
    Around,
    /// They make the same file with different texts.
    NewFile,
}

/// Two groups that can't be applied in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The group that was applied.
    pub with: String,
    /// The file.
    pub path: String,
    /// First byte of the stretch of this group, in the text of the round.
    pub at: usize,
    /// In which way.
    pub clash: Clash,
}

/// Why a group is not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is above the level that was asked for.
    Level {
        /// Its level.
        level: Level,
        /// What was asked for.
        limit: Level,
    },
    /// A group that it requires was not applied.
    Requires {
        /// That group.
        id: String,
        /// It exists and was refused; else nothing proposed it.
        refused: bool,
    },
    /// It requires itself, over others.
    Cycle {
        /// The groups of the circle.
        ids: Vec<String>,
    },
    /// It was in the way of an earlier group until the last round.
    Conflict(Conflict),
    /// It was put off, and nothing proposed it again.
    Withdrawn(Conflict),
    /// Another group of this round has the same id.
    SameId,
    /// Its edits can't be applied.
    BadEdit(EditError),
    /// A path leads out of the root.
    OutsideRoot {
        /// The path.
        path: String,
    },
    /// A file that it changes is not there.
    Missing {
        /// The path.
        path: String,
    },
    /// A file that it makes is there already.
    Exists {
        /// The path.
        path: String,
    },
    /// A file is not written by people, or not here.
    Foreign {
        /// The path.
        path: String,
        /// `is generated`, `is minified`, `lies in a folder for the code of others`.
        why: &'static str,
    },
    /// A file can't be edited as text.
    NotText {
        /// The path.
        path: String,
        /// Why.
        why: String,
    },
    /// A file was changed by someone else while the edits were thought out.
    ChangedMeanwhile {
        /// The path.
        path: String,
    },
    /// A syntax error lies next to an edit.
    SyntaxNear {
        /// The path.
        path: String,
        /// 1-based line of the error.
        line: u32,
    },
    /// A file would not be sound any more.
    Breaks {
        /// The path.
        path: String,
        /// 1-based line of the error in the text that would be.
        line: u32,
    },
    /// A file could not be judged.
    NotJudged {
        /// The path.
        path: String,
        /// Why.
        why: String,
    },
    /// After it was applied it was proposed again.
    Repeats,
    /// Findings that it claims to fix were still there.
    Unmet {
        /// Their keys.
        claims: Vec<String>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl Refusal {
    /// What to do next.
    pub fn help(&self) -> String {
        todo!()
    }
}
