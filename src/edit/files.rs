//! Files as the engine sees them: as they were on disk when they were first looked at, and as they would be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::workspace::overlay::Overlay;

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, relative to the root, with `/`.
    pub path: String,
    /// Its text before, byte order mark included; `None`: it is made.
    pub before: Option<Arc<str>>,
    /// Its text after.
    pub after: Arc<str>,
}

/// The files below a root.
#[derive(Clone, Debug)]
pub struct Files {
    root: PathBuf,
    overlay: Overlay,
    /// What was on disk when it was first looked at; `None`: nothing was.
    originals: BTreeMap<String, Option<Arc<str>>>,
}

impl Files {
    /// Files below `root`, unchanged.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), overlay: Overlay::default(), originals: BTreeMap::new() }
    }

    /// The folder that paths are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What is to be seen in the place of the disk.
    pub fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    /// What is different now from what was on disk, by path.
    pub fn changes(&self) -> Vec<Change> {
        todo!()
    }
}
