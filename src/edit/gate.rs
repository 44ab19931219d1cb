//! The syntax gate: what was sound before an edit is sound after it, and nothing is edited next to what is not.

use std::ops::Range;

/// Judges texts. Whoever knows a parser implements it.
pub trait Syntax {
    /// The stretches of a text (without a byte order mark) that its language does not allow, in source order; a missing token is an
    /// empty range. Empty for files in languages that are not judged. `Err` says why a text could not be judged: it is then not edited.
    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, String>;

    /// The statement at the top of the file around a stretch, where it can be told.
    fn statement(&self, _path: &str, _text: &str, _at: Range<usize>) -> Option<Range<usize>> {
        None
    }
}

impl<F: Fn(&str, &str) -> Result<Vec<Range<usize>>, String>> Syntax for F {
    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
        self(path, text)
    }
}
