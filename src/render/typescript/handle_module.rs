//! The text of the module that holds the handle stores: small, readable, and the user's own.

use super::style::Style;

/// What the stores of a server ask of the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Written for TypeScript.
    pub typed: bool,
    /// `require` and `module.exports` instead of `import` and `export`.
    pub common_js: bool,
    /// Methods answer promises, so that a shared store can take the place of the one in memory.
    pub wait: bool,
    /// A handle belongs to whoever created it.
    pub owner: bool,
    /// Changed values are written back (`save`).
    pub save: bool,
    /// Something asks whether there is a value (`has`).
    pub has: bool,
    /// Something asks how many there are (`size`).
    pub size: bool,
    /// Values hold something that has to be freed (`close`).
    pub close: bool,
    /// A low-level `Server` has to answer its errors itself (`answering`).
    pub low_level: bool,
}
