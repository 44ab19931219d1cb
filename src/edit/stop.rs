//! Why nothing is written at all, and what to do about it.

use std::fmt;

/// A file with changes that are not committed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dirty {
    /// The file, relative to the root.
    pub path: String,
    /// `changed`, `staged`, `not in the repository`, `hidden from git status`.
    pub state: &'static str,
}

/// Why nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Files that would be written hold changes that are not committed.
    Dirty(Vec<Dirty>),
    /// A file that would be written is in no repository, so that the change could not be taken back.
    NoRepository {
        /// The first such file.
        path: String,
    },
    /// Git could not be asked.
    Git {
        /// What went wrong.
        message: String,
    },
    /// Files that would be written can't be, each with the reason.
    Unwritable(Vec<(String, String)>),
    /// Files whose real place is out of the root.
    OutsideRoot(Vec<String>),
    /// Files that are not as they were when the change was thought out.
    Changed(Vec<String>),
    /// Another run is writing here.
    Busy,
    /// A run was interrupted here and must be brought to an end first.
    Interrupted,
    /// Something came in between while files were being renamed. Each is old or new.
    Failed {
        /// What was written already.
        written: Vec<String>,
        /// What went wrong.
        message: String,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dirty(files) => {
                f.write_str("files that would be written have changes that are not committed:")?;
                files.iter().try_for_each(|file| write!(f, "\n  {} ({})", file.path, file.state))
            }
            Self::NoRepository { path } => {
                write!(f, "{path} is in no git repository, so the change could not be taken back")
            }
            Self::Git { message } => write!(f, "git can't tell what is committed: {message}"),
            Self::Unwritable(files) => {
                f.write_str("nothing was written, since some files can't be:")?;
                files.iter().try_for_each(|(path, why)| write!(f, "\n  {path}: {why}"))
            }
            Self::OutsideRoot(files) => {
                write!(f, "links lead out of the scanned folder: {}", files.join(", "))
            }
            Self::Changed(files) => {
                write!(f, "nothing was written, since files changed in the meantime: {}", files.join(", "))
            }
            Self::Busy => f.write_str("another run is writing to this folder"),
            Self::Interrupted => f.write_str("an earlier run was interrupted here while it wrote"),
            Self::Failed { written, message } => {
                write!(f, "writing stopped: {message}; ")?;
                match written.as_slice() {
                    [] => f.write_str("no file was written"),
                    written => write!(f, "these files were written already: {}", written.join(", ")),
                }
            }
        }
    }
}

impl std::error::Error for Stop {}

impl Stop {
    /// What to do next.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Dirty(_) => {
                "Commit or stash them, or add `--allow-dirty` to mix the changes. Other files may be as they are."
            }
            Self::NoRepository { .. } => "Keep a copy and add `--allow-dirty`, or look first with `--dry-run`.",
            Self::Git { .. } => "See to it that `git status` works here, or add `--allow-dirty`.",
            Self::Unwritable(_) => "Make the files and their folders writable, then run again.",
            Self::OutsideRoot(_) => "Run from the folder that holds the real files.",
            Self::Changed(_) => "Run again when no other program changes the files.",
            Self::Busy => "Wait until it is done, then run again.",
            Self::Interrupted => "Run again: it is brought to its end first.",
            Self::Failed { .. } => "Look at `git diff`, see to what went wrong, then run again: it goes on from there.",
        }
    }
}
