//! The TypeScript and JavaScript back end: steps as edits in a file's own style.

pub mod handle;
pub mod handle_module;
pub mod imports;
pub mod prune;
pub mod pure;
pub mod script;
pub mod scripts;
pub mod style;
pub mod tools;
