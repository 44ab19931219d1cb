//! Interned names: every identifier, property key and string literal of interest is a [`Name`], so that facts are small and
//! comparison is one pointer.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashMap;

/// An interned text, kept for the life of the process.
struct Entry {
    id: u32,
    text: &'static str,
}

/// An interned string. Equal text means equal name within one process; the order is that of first sight.
#[derive(Clone, Copy)]
pub struct Name(&'static Entry);

static TABLE: LazyLock<RwLock<FxHashMap<&'static str, Name>>> = LazyLock::new(RwLock::default);

impl Name {
    /// The name of `text`, interned on first sight.
    pub fn new(text: &str) -> Self {
        if let Some(&name) = TABLE.read().expect("interner lock").get(text) {
            return name;
        }
        let mut table = TABLE.write().expect("interner lock");
        if let Some(&name) = table.get(text) {
            return name;
        }
        let id = u32::try_from(table.len()).expect("fewer than 2^32 names");
        let text: &'static str = Box::leak(text.into());
        let name = Self(Box::leak(Box::new(Entry { id, text })));
        table.insert(text, name);
        name
    }

    /// The text of the name.
    pub fn text(self) -> &'static str {
        self.0.text
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.id.cmp(&other.0.id)
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

/// Names of what has none in the source.
pub mod part {
    use super::{LazyLock, Name};

    macro_rules! parts {
        ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => { $(
            $(#[$doc])*
            pub fn $name() -> Name {
                static NAME: LazyLock<Name> = LazyLock::new(|| Name::new($text));
                *NAME
            }
        )* };
    }

    parts! {
        /// The elements of a container.
        elements = "[]";
        /// The keys of a container.
        keys = "[keys]";
        /// What a spread takes fields over from.
        spread = "...";
        /// The value of an asynchronous context.
        store = "[store]";
        /// The pair that iterating over a map yields.
        entry = "[entry]";
        /// A CommonJS module's own export.
        module = "=";
    }
}
