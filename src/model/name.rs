//! Interned names: every identifier, property key and string literal of interest is a [`Name`], so that facts are small and
//! comparison is one number.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{LazyLock, OnceLock, RwLock};

use rustc_hash::FxHashMap;

/// An interned string. Equal text means equal name within one process; the order is that of first sight. Four bytes, also where it may
/// be missing: names are what facts and sets of values are mostly made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(NonZeroU32);

static TABLE: LazyLock<RwLock<FxHashMap<&'static str, Name>>> = LazyLock::new(RwLock::default);

/// Texts by number, kept for the life of the process. Each chunk is twice as large as the one before, so that none is ever moved and
/// reading takes no lock.
static CHUNKS: [OnceLock<Box<[OnceLock<&'static str>]>>; 33 - FIRST_BITS as usize] =
    [const { OnceLock::new() }; 33 - FIRST_BITS as usize];

/// The first chunk holds two to the power of this.
const FIRST_BITS: u32 = 10;

/// The chunk of a number, the place in it, and the chunk's size.
fn place(number: u32) -> (usize, usize, usize) {
    let number = u64::from(number) + (1 << FIRST_BITS);
    let bits = number.ilog2();
    ((bits - FIRST_BITS) as usize, (number - (1 << bits)) as usize, 1 << bits)
}

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
        let number = u32::try_from(table.len() + 1).ok().and_then(NonZeroU32::new).expect("fewer than 2^32 names");
        let text: &'static str = Box::leak(text.into());
        let (chunk, at, size) = place(number.get());
        let texts = CHUNKS[chunk].get_or_init(|| std::iter::repeat_with(OnceLock::new).take(size).collect());
        texts[at].get_or_init(|| text);
        table.insert(text, Self(number));
        Self(number)
    }

    /// The text of the name.
    pub fn text(self) -> &'static str {
        let (chunk, at, _) = place(self.0.get());
        CHUNKS[chunk].get().and_then(|texts| texts[at].get()).copied().unwrap_or_default()
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
