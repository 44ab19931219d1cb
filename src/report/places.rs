//! Places of findings as other programs name them: paths from where those programs look, columns in their unit.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use super::scan::Scan;
use super::sources::Sources;
use crate::classify::answer::Place;
use crate::rules::finding::{Finding, Position};
use crate::syntax::line_index::{LineColumn, LineIndex};

/// What stands before a path of the scan, so that the reader finds the file from where it looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base(String);

impl Base {
    /// Paths as the scan has them, relative to its root.
    pub fn root() -> Self {
        Self::default()
    }

    /// Paths below this folder, which uses forward slashes; `.` is the folder itself.
    pub fn folder(folder: &str) -> Self {
        let folder = folder.trim_end_matches('/');
        Self(match folder {
            "." => String::new(),
            _ => folder.trim_start_matches("./").to_owned(),
        })
    }

    /// Paths that can be opened from the current folder: the root is named as the scan prints it.
    pub fn shown(scan: &Scan) -> Self {
        Self::folder(&scan.root)
    }

    /// Paths relative to the repository that holds the root; without one, to `here` if it holds the root, else to the root.
    pub fn repository(scan: &Scan, here: &Path) -> Self {
        let Ok(root) = std::fs::canonicalize(&scan.disk_root) else { return Self::shown(scan) };
        let here = std::fs::canonicalize(here).unwrap_or_else(|_| here.to_owned());
        let repository = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
        match root.strip_prefix(repository) {
            Ok(inside) => Self::folder(&inside.to_string_lossy().replace('\\', "/")),
            Err(_) => Self::root(),
        }
    }

    /// A path of the scan, or `path:line`, with the base before it.
    pub fn path(&self, path: &str) -> String {
        match self.0.as_str() {
            "" => path.to_owned(),
            base => format!("{base}/{path}"),
        }
    }

    /// The folder itself; empty where nothing stands before a path.
    pub fn prefix(&self) -> &str {
        &self.0
    }
}

/// A place in the three units that formats count columns in. All count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The line.
    pub line: u32,
    /// Column in characters.
    pub character: u32,
    /// Column in UTF-16 code units.
    pub utf16: u32,
    /// Column in bytes of UTF-8.
    pub utf8: u32,
}

/// A stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its first character.
    pub start: Spot,
    /// One past its last character.
    pub end: Spot,
    /// Its bytes in the file as it is on disk, where they are known.
    pub bytes: Option<Range<u32>>,
    /// Its text, where the file can be read and still has that place.
    pub text: Option<String>,
    /// The line that it begins on, without its line end.
    pub line: Option<String>,
}

/// A file's text and where its lines begin.
struct File {
    text: String,
    lines: LineIndex,
}

/// Names places for readers outside the scan. Files are read once.
pub struct Places<'a> {
    base: Base,
    sources: &'a dyn Sources,
    files: RefCell<HashMap<String, Option<Rc<File>>>>,
}

impl<'a> Places<'a> {
    /// Places named from `base`, with columns counted in the text that `sources` gives.
    pub fn new(base: Base, sources: &'a dyn Sources) -> Self {
        Self { base, sources, files: RefCell::default() }
    }

    /// The path as the reader knows it.
    pub fn path(&self, path: &str) -> String {
        self.base.path(path)
    }

    /// What stands before the paths.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// The stretch that a finding is about.
    pub fn of(&self, finding: &Finding) -> Region {
        self.between(&finding.path, finding.start, finding.end)
    }

    /// The stretch from one position to another.
    pub fn between(&self, path: &str, start: Position, end: Position) -> Region {
        let at = |position: Position| LineColumn { line: position.line, column: position.column };
        let mut region = self.region(path, at(start), Some(at(end)));
        region.bytes = Some(start.byte..end.byte.max(start.byte));
        region
    }

    /// The word at a place.
    pub fn word(&self, place: &Place) -> Region {
        self.region(&place.path, LineColumn { line: place.line, column: place.column }, None)
    }

    fn file(&self, path: &str) -> Option<Rc<File>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let file = self.sources.read(path).map(|text| {
            let lines = LineIndex::new(&text);
            Rc::new(File { text, lines })
        });
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    fn region(&self, path: &str, start: LineColumn, end: Option<LineColumn>) -> Region {
        let known = self.file(path).and_then(|file| located(&file, start, end));
        known.unwrap_or_else(|| {
            // The file is gone or has changed: the columns are the best that is known.
            let blind =
                |at: LineColumn| Spot { line: at.line, character: at.column, utf16: at.column, utf8: at.column };
            Region { start: blind(start), end: blind(end.unwrap_or(start)), bytes: None, text: None, line: None }
        })
    }
}

fn located(file: &File, start: LineColumn, end: Option<LineColumn>) -> Option<Region> {
    let from = file.lines.offset_of_chars(&file.text, start)?;
    let to = match end {
        Some(end) => file.lines.offset_of_chars(&file.text, end)?,
        None => from + word_length(&file.text[from..]),
    };
    let to = to.max(from);
    let line = file.lines.range(&file.text, start.line)?;
    Some(Region {
        start: spot(file, from),
        end: spot(file, to),
        bytes: None,
        text: Some(file.text[from..to].to_owned()),
        line: Some(file.text[line].trim_end_matches(['\n', '\r']).to_owned()),
    })
}

fn spot(file: &File, offset: usize) -> Spot {
    let chars = file.lines.chars(&file.text, offset);
    let start = file.lines.range(&file.text, chars.line).map_or(0, |line| line.start);
    Spot {
        line: chars.line,
        character: chars.column,
        utf16: file.lines.utf16(&file.text, offset).column,
        utf8: (offset - start) as u32 + 1,
    }
}

/// Bytes of the word that the text begins with; at least one character where the line has one.
pub fn word_length(text: &str) -> usize {
    let word = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len());
    let first = text.chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    word.max(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sources::NoSources;

    struct One(&'static str);

    impl Sources for One {
        fn read(&self, _path: &str) -> Option<String> {
            Some(self.0.to_owned())
        }
    }

    fn place(line: u32, column: u32) -> Place {
        Place { path: "a.ts".into(), line, column }
    }

    #[test]
    fn columns_in_three_units() {
        let source = One("x\n\u{e9}\u{1f600}baskets.get(id)\r\n");
        let region = Places::new(Base::root(), &source).word(&place(2, 3));
        assert_eq!(region.start, Spot { line: 2, character: 3, utf16: 4, utf8: 7 });
        assert_eq!(region.end, Spot { line: 2, character: 10, utf16: 11, utf8: 14 });
        assert_eq!(region.text.as_deref(), Some("baskets"));
        assert_eq!(region.line.as_deref(), Some("\u{e9}\u{1f600}baskets.get(id)"));
    }

    #[test]
    fn a_file_that_is_gone_or_shorter_keeps_its_columns() {
        let blind = Spot { line: 9, character: 4, utf16: 4, utf8: 4 };
        for sources in [&NoSources as &dyn Sources, &One("x\n")] {
            let region = Places::new(Base::root(), sources).word(&place(9, 4));
            assert_eq!((region.start, region.end, region.text), (blind, blind, None));
        }
    }

    #[test]
    fn bases() {
        for (folder, path) in [
            ("", "src/a.ts"),
            (".", "src/a.ts"),
            ("./cart", "cart/src/a.ts"),
            ("packages/cart/", "packages/cart/src/a.ts"),
            ("../cart", "../cart/src/a.ts"),
        ] {
            assert_eq!(Base::folder(folder).path("src/a.ts"), path, "{folder}");
        }
    }
}
