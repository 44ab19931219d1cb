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
    /// The rounds were over before it came to its turn.
    RoundsOver,
    /// Another group of this round has the same id.
    SameId,
    /// It changes nothing.
    NoChange,
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
        why: String,
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
    /// A file would use a name that nothing declares.
    Unbound {
        /// The path.
        path: String,
        /// 1-based line of the use in the text that would be.
        line: u32,
        /// The name.
        name: String,
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

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { with, path, at, clash } = self;
        match clash {
            Clash::SamePlace => write!(f, "`{with}` changes the same place of {path} in another way (byte {at})"),
            Clash::Overlap => write!(f, "its change of {path} at byte {at} overlaps or touches one of `{with}`"),
            Clash::Inside => write!(f, "`{with}` takes out more of {path} around its own change at byte {at}"),
            Clash::Around => write!(f, "its change of {path} at byte {at} would take out what `{with}` changes inside"),
            Clash::NewFile => write!(f, "`{with}` makes {path} too, with another text"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level { level: Level::Manual, .. } => f.write_str("it is for a person to decide and to do"),
            Self::Level { level, limit } => {
                write!(f, "its level is {}, and {} was asked for", level.id(), limit.id())
            }
            Self::Requires { id, refused: true } => write!(f, "it needs `{id}`, which was not applied"),
            Self::Requires { id, refused: false } => write!(f, "it needs `{id}`, which is not there"),
            Self::Cycle { ids } => write!(f, "it waits for itself: {} need each other", names(ids)),
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::RoundsOver => f.write_str("the rounds were over before its turn"),
            Self::SameId => f.write_str("another group has the same id"),
            Self::NoChange => f.write_str("it changes nothing"),
            Self::BadEdit(error) => error.fmt(f),
            Self::OutsideRoot { path } => write!(f, "{path} does not lie in the scanned folder"),
            Self::Missing { path } => write!(f, "{path} is not there"),
            Self::Exists { path } => write!(f, "{path} would be made, and is there already"),
            Self::Foreign { path, why } | Self::NotText { path, why } => write!(f, "{path} {why}"),
            Self::ChangedMeanwhile { path } => write!(f, "{path} was changed while the edits were thought out"),
            Self::SyntaxNear { path, line } => write!(f, "{path} has a syntax error near the edit, in line {line}"),
            Self::Breaks { path, line } => {
                write!(f, "the edit would leave {path} with a syntax error, in what would be line {line}")
            }
            Self::Unbound { path, line, name } => {
                write!(f, "the edit would leave {path} with `{name}` undeclared, in what would be line {line}")
            }
            Self::NotJudged { path, why } => write!(f, "{path} could not be checked for syntax errors: {why}"),
            Self::Repeats => f.write_str("after it was applied it was proposed again; it was taken back"),
            Self::Unmet { claims } => {
                let findings = if claims.len() == 1 { "a finding" } else { "findings" };
                write!(
                    f,
                    "after it was applied {findings} that it should have fixed were still there; it was taken back"
                )
            }
        }
    }
}

fn names(ids: &[String]) -> String {
    let quoted: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
    quoted.join(" and ")
}

impl Refusal {
    /// What to do next.
    pub fn help(&self) -> String {
        match self {
            Self::Level { level: Level::Manual, .. } => "See its notes for what to do and where.".to_owned(),
            Self::Level { level, .. } => format!("Run with `--level {}` to apply it as well.", level.id()),
            Self::Requires { id, refused: true } => {
                format!("See to what stopped `{id}`, then run again; both are applied then.")
            }
            Self::Conflict(_) | Self::RoundsOver => "Run again: it is applied to what is there then.".to_owned(),
            Self::OutsideRoot { .. } => {
                "Run again from the folder that holds both, or edit the file by hand.".to_owned()
            }
            Self::Missing { .. } | Self::ChangedMeanwhile { .. } => {
                "Run again when nothing else changes the files.".to_owned()
            }
            Self::Exists { path } => format!("Move {path} out of the way, then run again."),
            Self::Foreign { .. } => {
                "Change what the file is made from, or take it over and edit it by hand.".to_owned()
            }
            Self::NotText { .. } => "Save the file as UTF-8, then run again, or edit it by hand.".to_owned(),
            Self::SyntaxNear { .. } => "Correct the syntax error, then run again.".to_owned(),
            Self::NotJudged { .. } => "Edit the file by hand.".to_owned(),
            Self::Breaks { .. } | Self::Unbound { .. } | Self::Repeats | Self::Unmet { .. } => {
                format!("Nothing of it was written. {REPORT} Do the change by hand.")
            }
            Self::Requires { refused: false, .. }
            | Self::Cycle { .. }
            | Self::SameId
            | Self::NoChange
            | Self::BadEdit(_) => format!("Nothing of it was written. {REPORT}"),
        }
    }
}

/// What shows a mistake of this program.
const REPORT: &str = "This is a mistake of this program: please report it.";
