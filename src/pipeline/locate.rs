//! From spans of modules to places in files. Files are read again, and only those that an answer speaks of.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::classify::answer::Place;
use crate::model::facts::Span;
use crate::rules::finding::Position;
use crate::syntax::line_index::LineIndex;
use crate::syntax::source::SourceText;
use crate::workspace::overlay::Overlay;
use crate::workspace::{Tree, walk};

/// A file with its lines.
struct File {
    source: SourceText,
    lines: LineIndex,
}

/// Finds lines and columns.
pub struct Locator {
    root: PathBuf,
    overlay: Overlay,
    files: RefCell<FxHashMap<String, Option<Rc<File>>>>,
}

impl Locator {
    /// A locator for the paths of a tree.
    pub fn new(tree: &Tree) -> Self {
        Self { root: tree.root.clone(), overlay: tree.overlay.clone(), files: RefCell::default() }
    }

    /// A locator for the files below a root, as an overlay shows them.
    pub fn through(root: PathBuf, overlay: Overlay) -> Self {
        Self { root, overlay, files: RefCell::default() }
    }

    fn file(&self, path: &str) -> Option<Rc<File>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let read = self.overlay.read(path, &self.root.join(path)).and_then(SourceText::decode);
        let file = read.ok().map(|source| {
            let lines = LineIndex::new(&source.text);
            Rc::new(File { source, lines })
        });
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    /// What a file is called wherever the scan starts.
    pub fn lasting_name(&self, path: &str) -> String {
        walk::lasting_name(&self.root, path)
    }

    /// The place of a byte offset.
    pub fn position(&self, path: &str, offset: u32) -> Position {
        let Some(file) = self.file(path) else { return Position { line: 1, column: 1, byte: offset } };
        let at = file.lines.chars(&file.source.text, offset as usize);
        Position { line: at.line, column: at.column, byte: file.source.disk_offset(offset as usize) as u32 }
    }

    /// The place where a span begins.
    pub fn place(&self, path: &str, span: Span) -> Place {
        let position = self.position(path, span.start);
        Place { path: path.to_owned(), line: position.line, column: position.column }
    }

    /// The text of a span.
    pub fn text(&self, path: &str, span: Span) -> String {
        let text = |file: Rc<File>| file.source.text.get(span.start as usize..span.end as usize).map(str::to_owned);
        self.file(path).and_then(text).unwrap_or_default()
    }

    /// The text of the line of an offset, without the space around it.
    pub fn line_text(&self, path: &str, offset: u32) -> String {
        let Some(file) = self.file(path) else { return String::new() };
        let line = file.lines.line(offset as usize);
        let range = file.lines.range(&file.source.text, line).unwrap_or_default();
        file.source.text[range].trim().to_owned()
    }
}
