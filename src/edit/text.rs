//! Edits of one text: byte ranges on the original, never a printed tree.

use std::fmt;
use std::ops::Range;

/// A change of one stretch of a file. Offsets are bytes of the decoded text (without a byte order mark), as spans of modules are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edit {
    /// The file, relative to the root, with `/`.
    pub path: String,
    /// First byte that goes.
    pub start: usize,
    /// One past the last byte that goes.
    pub end: usize,
    /// What comes instead.
    pub replacement: String,
}

impl Edit {
    /// Puts `text` before the byte at `at`.
    pub fn insert(path: impl Into<String>, at: usize, text: impl Into<String>) -> Self {
        Self::replace(path, at..at, text)
    }

    /// Takes a stretch out.
    pub fn delete(path: impl Into<String>, range: Range<usize>) -> Self {
        Self::replace(path, range, "")
    }

    /// Puts `text` in the place of a stretch.
    pub fn replace(path: impl Into<String>, range: Range<usize>, text: impl Into<String>) -> Self {
        Self { path: path.into(), start: range.start, end: range.end, replacement: text.into() }
    }

    /// The stretch that goes.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Takes nothing out.
    pub fn is_insertion(&self) -> bool {
        self.start == self.end
    }
}

/// A file that is made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NewFile {
    /// Where, relative to the root, with `/`.
    pub path: String,
    /// All of its text.
    pub text: String,
}

/// Why edits can't be applied to a text: whoever made them was mistaken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// It ends before it begins.
    Reversed(Edit),
    /// It reaches beyond the text.
    OutOfRange {
        /// The edit.
        edit: Edit,
        /// How long the text is.
        length: usize,
    },
    /// One of its ends lies inside a character.
    InsideCharacter(Edit),
    /// Two edits of one group change the same bytes.
    Overlap(Box<[Edit; 2]>),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |edit: &Edit| format!("{} at bytes {}..{}", edit.path, edit.start, edit.end);
        match self {
            Self::Reversed(edit) => write!(f, "an edit of {} ends before it begins", place(edit)),
            Self::OutOfRange { edit, length } => {
                write!(f, "an edit of {} reaches beyond the {length} bytes of the text", place(edit))
            }
            Self::InsideCharacter(edit) => write!(f, "an edit of {} cuts a character", place(edit)),
            Self::Overlap(both) => write!(f, "edits of {} and {} overlap", place(&both[0]), place(&both[1])),
        }
    }
}

impl std::error::Error for EditError {}

/// A text after its edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The text.
    pub text: String,
    /// Where the edits are now, as `(before, after)`: the bytes that went, the bytes that came. Sorted.
    pub ranges: Vec<(Range<usize>, Range<usize>)>,
}

/// Brings edits into the order in which they are applied, an edit that is there twice only once. Insertions at one place keep the
/// order in which they were given, and come before what replaces the bytes behind them.
pub fn normalise(text: &str, edits: &[Edit]) -> Result<Vec<Edit>, EditError> {
    for edit in edits {
        check(text, edit)?;
    }
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|edit| (edit.start, edit.end));
    sorted.dedup_by(|a, b| a == b && !a.is_insertion());
    for pair in sorted.windows(2) {
        if pair[1].start < pair[0].end {
            return Err(EditError::Overlap(Box::new([pair[0].clone(), pair[1].clone()])));
        }
    }
    Ok(sorted)
}

fn check(text: &str, edit: &Edit) -> Result<(), EditError> {
    if edit.end < edit.start {
        return Err(EditError::Reversed(edit.clone()));
    }
    if edit.end > text.len() {
        return Err(EditError::OutOfRange { edit: edit.clone(), length: text.len() });
    }
    if !text.is_char_boundary(edit.start) || !text.is_char_boundary(edit.end) {
        return Err(EditError::InsideCharacter(edit.clone()));
    }
    Ok(())
}

/// Applies edits of one file to its text. Their paths are not looked at.
pub fn apply(text: &str, edits: &[Edit]) -> Result<Applied, EditError> {
    let edits = normalise(text, edits)?;
    let growth: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let mut out = String::with_capacity(text.len() + growth);
    let mut ranges = Vec::with_capacity(edits.len());
    let mut done = 0;
    for edit in &edits {
        out.push_str(&text[done..edit.start]);
        let start = out.len();
        out.push_str(&edit.replacement);
        ranges.push((edit.range(), start..out.len()));
        done = edit.end;
    }
    out.push_str(&text[done..]);
    Ok(Applied { text: out, ranges })
}
