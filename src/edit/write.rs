//! Writes changes so that every file is old or new at any moment.

use std::path::Path;

use super::files::Change;
use super::stop::Stop;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files, relative to the root.
    pub files: Vec<String>,
    /// What the user should know: a hard link that was cut, for instance.
    pub notes: Vec<String>,
}

/// What was found of a run that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing.
    Nothing,
    /// It had written nothing; what it had prepared was thrown away.
    Discarded,
    /// It had begun to write and was brought to an end.
    Completed {
        /// The files that were still old, and are new now.
        files: Vec<String>,
        /// Files that someone changed since; they were left alone.
        left: Vec<String>,
    },
}

/// Writes all changes, or none where one of them can't be.
pub fn write(_root: &Path, _changes: &[Change]) -> Result<Written, Stop> {
    todo!()
}

/// Brings an interrupted run to an end. Must be called before files are read for a run that writes.
pub fn recover(_root: &Path) -> Result<Recovery, Stop> {
    todo!()
}
