//! Where a renderer gets the text of a file from, so that it can show it.

use std::fs;
use std::path::PathBuf;

use crate::syntax::source::without_mark;
use crate::workspace::overlay::Overlay;

/// Gives the text of scanned files.
pub trait Sources {
    /// The decoded text without a byte order mark; `None` where it can't be had (the finding is then shown without it).
    fn read(&self, path: &str) -> Option<String>;
}

/// No text at all.
pub struct NoSources;

impl Sources for NoSources {
    fn read(&self, _path: &str) -> Option<String> {
        None
    }
}

/// The files as they are on disk now, or as an overlay has them.
pub struct DiskSources {
    root: PathBuf,
    overlay: Overlay,
}

impl DiskSources {
    /// Files below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), overlay: Overlay::default() }
    }

    /// The same with other texts for some of them.
    pub fn with(self, overlay: Overlay) -> Self {
        Self { overlay, ..self }
    }
}

impl Sources for DiskSources {
    fn read(&self, path: &str) -> Option<String> {
        if let Some(text) = self.overlay.get(path) {
            return Some(without_mark(text).to_owned());
        }
        let bytes = fs::read(self.root.join(path)).ok()?;
        let encoding = encoding_rs::Encoding::for_bom(&bytes).map_or(encoding_rs::UTF_8, |(e, _)| e);
        Some(encoding.decode_with_bom_removal(&bytes).0.into_owned())
    }
}

/// The byte offset of a 1-based line and column (in characters) in `text`; `None` where the text has no such place.
pub fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let start = match line.checked_sub(1)? {
        0 => 0,
        n => text.match_indices('\n').nth(n as usize - 1)?.0 + 1,
    };
    let rest = &text[start..];
    let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let column = column.checked_sub(1)? as usize;
    match rest.char_indices().nth(column) {
        Some((at, _)) => Some(start + at),
        None if rest.chars().count() == column => Some(start + rest.len()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::offset;

    #[test]
    fn columns_are_characters() {
        let text = "a\n\u{e9}\u{1f600}x\r\nend";
        assert_eq!(offset(text, 1, 1), Some(0));
        assert_eq!(offset(text, 2, 3), Some(2 + 2 + 4));
        assert_eq!(offset(text, 3, 4), Some(text.len()));
        assert_eq!(offset(text, 3, 5), None);
        assert_eq!(offset(text, 4, 1), None);
        assert_eq!(offset(text, 0, 1), None);
    }
}
