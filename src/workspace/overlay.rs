//! Texts that files would have: a scan with an overlay sees a change before it is written.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::syntax::source::{self, LoadError};

/// What stands in the place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    text: Arc<str>,
    is_new: bool,
}

/// Files as they would be, by path relative to the root. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    files: Arc<BTreeMap<String, Entry>>,
}

impl Overlay {
    /// Gives a file that is on disk another text, byte order mark included.
    pub fn change(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) {
        self.put(path.into(), Entry { text: text.into(), is_new: false });
    }

    /// Adds a file that is not on disk.
    pub fn create(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) {
        self.put(path.into(), Entry { text: text.into(), is_new: true });
    }

    fn put(&mut self, path: String, entry: Entry) {
        Arc::make_mut(&mut self.files).insert(path, entry);
    }

    /// The text of a file, byte order mark included; `None` where the disk is to be asked.
    pub fn get(&self, path: &str) -> Option<&Arc<str>> {
        self.files.get(path).map(|entry| &entry.text)
    }

    /// Whether it holds nothing: everything is as it is on disk.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Paths and texts, by path.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        self.files.iter().map(|(path, entry)| (path.as_str(), &entry.text))
    }

    /// The files that are not on disk, by path.
    pub fn new_files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(_, entry)| entry.is_new).map(|(path, _)| path.as_str())
    }

    /// The bytes of a file: those of the overlay, else those on disk.
    pub fn read(&self, path: &str, absolute: &Path) -> Result<Vec<u8>, LoadError> {
        match self.get(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => source::read_limited(absolute),
        }
    }
}
