//! Why nothing is written at all, and what to do about it.

use std::fmt;

/// A file with changes that are not committed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dirty {
    /// The file, relative to the root.
    pub path: String,
    /// `changed`, `staged`, `untracked`, `ignored`.
    pub state: &'static str,
}

/// Why nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Files that would be written hold changes that are not committed.
    Dirty(Vec<Dirty>),
    /// Files that would be written are in no repository, so that the change could not be taken back.
    NoRepository {
        /// The first one.
        path: String,
    },
    /// Git could not be asked.
    Git {
        /// What went wrong.
        message: String,
    },
    /// Files that would be written can't be, each with the reason.
    Unwritable(Vec<(String, String)>),
    /// Links that lead out of the root.
    OutsideRoot(Vec<String>),
    /// Files that are not as they were when the change was thought out.
    Changed(Vec<String>),
    /// Another run is writing here.
    Busy,
    /// A run was interrupted here and must be brought to an end first.
    Interrupted,
    /// The system failed while writing. Files are old or new; the journal that is left says which.
    Failed {
        /// What was written.
        written: Vec<String>,
        /// What went wrong.
        message: String,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl std::error::Error for Stop {}

impl Stop {
    /// What to do next.
    pub fn help(&self) -> String {
        todo!()
    }
}
