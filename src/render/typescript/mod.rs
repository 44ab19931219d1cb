//! The TypeScript and JavaScript back end: steps as edits in a file's own style.

pub mod entry;
pub mod imports;
pub mod in_flight;
pub mod prune;
pub mod project;
pub mod pure;
pub mod script;
pub mod style;
pub mod transport;
