//! The files that renderers look at: those on disk, with what earlier rounds changed.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::edit::Overlay;
use crate::render::Files;
use crate::syntax::source::SourceText;

/// The files below a root, seen through an overlay.
pub struct Texts {
    root: PathBuf,
    overlay: Overlay,
    read: RefCell<FxHashMap<String, Option<Rc<SourceText>>>>,
}

impl Texts {
    /// The files below `root`.
    pub fn new(root: impl Into<PathBuf>, overlay: Overlay) -> Self {
        Self { root: root.into(), overlay, read: RefCell::default() }
    }
}

impl Files for Texts {
    fn text(&self, path: &str) -> Option<Rc<SourceText>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let bytes = self.overlay.read(path, &self.root.join(path));
        let text = bytes.and_then(SourceText::decode).ok().map(Rc::new);
        self.read.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    fn exists(&self, path: &str) -> bool {
        self.overlay.get(path).is_some() || self.root.join(path).exists()
    }
}
