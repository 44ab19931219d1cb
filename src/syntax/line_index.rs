//! Lines and columns of a text, and back.

use memchr::memchr_iter;

use super::source::floor_boundary;

/// A place: 1-based line and column. What a column counts is said by the method that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// Where the lines of a text begin. Lines end with `\n` (a `\r` before it belongs to the line).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// The index of `text`. All other methods take the same text.
    pub fn new(text: &str) -> Self {
        let after = memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1);
        Self { starts: std::iter::once(0).chain(after).collect() }
    }

    /// How many lines there are; an empty text has one.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The 1-based line of a byte offset; beyond the end, the last one.
    pub fn line(&self, offset: usize) -> u32 {
        self.starts.partition_point(|&start| start as usize <= offset) as u32
    }

    /// The byte range of a 1-based line, its line end included; `None` where there is no such line.
    pub fn range(&self, text: &str, line: u32) -> Option<std::ops::Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(text.len(), |&next| next as usize);
        Some(start..end)
    }

    /// Line and column in characters of a byte offset.
    pub fn chars(&self, text: &str, offset: usize) -> LineColumn {
        self.place(text, offset, |before| before.chars().count())
    }

    /// Line and column in UTF-16 code units of a byte offset.
    pub fn utf16(&self, text: &str, offset: usize) -> LineColumn {
        self.place(text, offset, |before| before.chars().map(char::len_utf16).sum())
    }

    /// The byte offset of a place whose column counts characters; a column beyond the line gives the line's end.
    pub fn offset_of_chars(&self, text: &str, place: LineColumn) -> Option<usize> {
        self.offset(text, place, |_| 1)
    }

    /// The byte offset of a place whose column counts UTF-16 code units; inside a surrogate pair, that of its character.
    pub fn offset_of_utf16(&self, text: &str, place: LineColumn) -> Option<usize> {
        self.offset(text, place, char::len_utf16)
    }

    fn place(&self, text: &str, offset: usize, count: impl Fn(&str) -> usize) -> LineColumn {
        let offset = floor_boundary(text, offset);
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        LineColumn { line, column: count(&text[start..offset]) as u32 + 1 }
    }

    fn offset(&self, text: &str, place: LineColumn, width: impl Fn(char) -> usize) -> Option<usize> {
        let range = self.range(text, place.line)?;
        let mut left = (place.column as usize).checked_sub(1)?;
        let line = &text[range.clone()];
        for (at, character) in line.char_indices() {
            let width = width(character);
            if left < width || character == '\n' {
                return Some(range.start + at);
            }
            left -= width;
        }
        Some(range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(line: u32, column: u32) -> LineColumn {
        LineColumn { line, column }
    }

    #[test]
    fn columns_differ_by_unit() {
        let text = "a😀é\r\nx";
        let index = LineIndex::new(text);
        let e = text.find('é').expect("there");
        assert_eq!(index.chars(text, e), at(1, 3));
        assert_eq!(index.utf16(text, e), at(1, 4));
        assert_eq!(index.chars(text, text.len()), at(2, 2));
        assert_eq!(index.chars(text, 9999), at(2, 2));
        assert_eq!(index.chars(text, 2), at(1, 2), "inside a character: its start");
        assert_eq!(index.offset_of_utf16(text, at(1, 3)), Some(1), "inside a surrogate pair");
        assert_eq!(index.offset_of_chars(text, at(1, 99)), text.find('\n'));
        assert_eq!(index.offset_of_chars(text, at(3, 1)), None);
        assert_eq!(index.offset_of_chars(text, at(0, 1)), None);
        assert_eq!(LineIndex::new("").chars("", 0), at(1, 1));
    }

    proptest! {
        #[test]
        fn there_and_back(text in "(\\PC|\n|\r\n|\t|😀){0,60}") {
            let index = LineIndex::new(&text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let (chars, utf16) = (index.chars(&text, offset), index.utf16(&text, offset));
                prop_assert_eq!(index.offset_of_chars(&text, chars), Some(offset));
                prop_assert_eq!(index.offset_of_utf16(&text, utf16), Some(offset));
                prop_assert!(chars.column <= utf16.column);
                let before = &text[..offset];
                prop_assert_eq!(chars.line as usize, before.matches('\n').count() + 1);
                let tail = before.rsplit('\n').next().unwrap_or("");
                prop_assert_eq!(chars.column as usize, tail.chars().count() + 1);
            }
        }

        #[test]
        fn lines_tile_the_text(text in "([a-z]|\n|\r){0,40}") {
            let index = LineIndex::new(&text);
            let mut end = 0;
            for line in 1..=index.lines() {
                let range = index.range(&text, line).expect("line exists");
                prop_assert_eq!(range.start, end);
                end = range.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
