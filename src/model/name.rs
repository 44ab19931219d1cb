//! Interned names: every identifier, property key and string literal of interest is a [`Name`], so that facts are small and
//! comparison is one integer.

use std::fmt;
use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashMap;

/// An interned string. Equal text means equal name within one process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

#[derive(Default)]
struct Table {
    ids: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

impl Name {
    /// The name of `text`, interned on first sight.
    pub fn new(text: &str) -> Self {
        if let Some(&id) = TABLE.read().expect("interner lock").ids.get(text) {
            return Self(id);
        }
        let mut table = TABLE.write().expect("interner lock");
        if let Some(&id) = table.ids.get(text) {
            return Self(id);
        }
        let id = u32::try_from(table.texts.len()).expect("fewer than 2^32 names");
        let text: &'static str = Box::leak(text.into());
        table.texts.push(text);
        table.ids.insert(text, id);
        Self(id)
    }

    /// The text of the name.
    pub fn text(self) -> &'static str {
        TABLE.read().expect("interner lock").texts[self.0 as usize]
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.text() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.text() == *other
    }
}
