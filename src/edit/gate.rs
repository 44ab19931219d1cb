//! The syntax gate: what was sound before an edit is sound after it, and nothing is edited next to what is not.

use std::ops::Range;

/// How many lines around an edit must be free of syntax errors.
const NEAR: usize = 3;

/// Judges texts. Whoever knows a parser implements it.
pub trait Syntax {
    /// The stretches of a text (without a byte order mark) that its language does not allow, in source order; a missing token is an
    /// empty range. Empty for files in languages that are not judged. `Err` says why a text could not be judged: it is then not edited.
    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, String>;

    /// The names that a text uses without saying what they are, each with the place of its first use: neither declared nor imported,
    /// and nothing that the platform offers. Empty where that can't be told.
    fn unbound(&self, _path: &str, _text: &str) -> Vec<(String, usize)> {
        Vec::new()
    }

    /// The statement around a stretch, the innermost one, where it can be told.
    fn statement(&self, _path: &str, _text: &str, _at: Range<usize>) -> Option<Range<usize>> {
        None
    }
}

impl<F: Fn(&str, &str) -> Result<Vec<Range<usize>>, String>> Syntax for F {
    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
        self(path, text)
    }
}

/// The first error that lies in an edit, in `statement` around it, or within a few lines.
pub fn near(
    text: &str,
    errors: &[Range<usize>],
    edit: Range<usize>,
    statement: Option<Range<usize>>,
) -> Option<Range<usize>> {
    let lines = line_before(text, edit.start)..line_after(text, edit.end);
    let zone = match statement {
        Some(statement) => lines.start.min(statement.start)..lines.end.max(statement.end),
        None => lines,
    };
    errors.iter().find(|error| error.start <= zone.end && zone.start <= error.end).cloned()
}

/// The first error of a text after edits that was not there before. `moved` are the edits as `(before, after)`, sorted.
pub fn added(
    before: &[Range<usize>],
    after: &[Range<usize>],
    moved: &[(Range<usize>, Range<usize>)],
) -> Option<Range<usize>> {
    let old: Vec<Range<usize>> =
        before.iter().map(|error| shifted(error.start, moved)..shifted(error.end, moved)).collect();
    after.iter().find(|error| !old.contains(error)).cloned()
}

/// The first name that a text uses without saying what it is, and did not before.
pub fn lost(before: &[(String, usize)], after: Vec<(String, usize)>) -> Option<(String, usize)> {
    after.into_iter().find(|(name, _)| !before.iter().any(|(known, _)| known == name))
}

/// Where a byte outside the edits is afterwards.
fn shifted(at: usize, moved: &[(Range<usize>, Range<usize>)]) -> usize {
    let last = moved.iter().take_while(|(went, _)| went.end <= at).last();
    last.map_or(at, |(went, came)| at - went.end + came.end)
}

/// The 1-based line of a byte.
pub fn line_of(text: &str, at: usize) -> u32 {
    let before = &text.as_bytes()[..at.min(text.len())];
    before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1
}

/// Where the line begins that is [`NEAR`] lines above.
fn line_before(text: &str, at: usize) -> usize {
    let ends = text.as_bytes()[..at].iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(index, _)| index + 1).nth(NEAR).unwrap_or(0)
}

/// Where the line ends that is [`NEAR`] lines below.
fn line_after(text: &str, at: usize) -> usize {
    let ends = text.as_bytes()[at..].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(index, _)| at + index).nth(NEAR).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        vec![range]
    }

    #[test]
    fn an_error_is_near_within_three_lines_or_in_the_same_statement() {
        let text = "0\n1\n2\n3\n4\n5\n6\n7\n8\n";
        let line = |n: usize| n * 2..n * 2 + 1;
        for (error, expected) in [(0, false), (1, true), (4, true), (7, true), (8, false)] {
            assert_eq!(near(text, &one(line(error)), line(4), None).is_some(), expected, "{error}");
        }
        assert!(near(text, &one(line(0)), line(4), Some(0..9)).is_some());
        assert!(near(text, &one(18..18), line(4), None).is_none(), "something missing at the end");
        assert!(near("", &one(0..0), 0..0, None).is_some());
    }

    #[test]
    fn an_old_error_moves_with_the_text_and_is_no_new_one() {
        let moved = [(2..4, 2..10), (20..21, 26..26)];
        assert_eq!(added(&[0..1, 6..8, 30..30], &[0..1, 12..14, 35..35], &moved), None);
        assert_eq!(added(&one(6..8), &one(6..8), &moved), Some(6..8));
        assert_eq!(added(&one(6..8), &[12..14, 15..16], &moved), Some(15..16));
        assert_eq!(added(&one(6..8), &[], &moved), None);
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!([0, 1, 2, 99].map(|at| line_of("a\nb", at)), [1, 1, 2, 2]);
    }
}
