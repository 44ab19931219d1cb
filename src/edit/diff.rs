//! Unified diffs that `git apply` takes.

use super::files::Change;

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// Only before.
    Removed,
    /// Only after.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub kind: LineKind,
    /// Its text with its line end; without one where the file ends there.
    pub text: String,
}

/// Lines that changed, with some around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines before: the first one (1-based; the one above where there is none) and how many.
    pub old: (usize, usize),
    /// Lines after.
    pub new: (usize, usize),
    /// The lines.
    pub lines: Vec<Line>,
}

/// The difference of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// The file, relative to the root.
    pub path: String,
    /// The file is made.
    pub is_new: bool,
    /// Hunks in order.
    pub hunks: Vec<Hunk>,
}

impl FileDiff {
    /// The difference that a change makes.
    pub fn of(_change: &Change) -> Self {
        todo!()
    }

    /// The lines above the hunks, as git writes them.
    pub fn header(&self) -> Vec<String> {
        todo!()
    }
}

impl Hunk {
    /// `@@ -1,3 +1,4 @@`.
    pub fn header(&self) -> String {
        todo!()
    }
}

/// The diff of some changes as a patch.
pub fn patch<'a>(_changes: impl IntoIterator<Item = &'a Change>) -> String {
    todo!()
}
