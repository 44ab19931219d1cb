//! The TypeScript and JavaScript back end: steps as edits in a file's own style.

pub mod ends;
pub mod entry;
pub mod external;
pub mod factory;
pub mod handle;
pub mod handle_module;
pub mod header_list;
pub mod imports;
pub mod in_flight;
pub mod labels;
pub mod lines;
pub mod project;
pub mod prune;
pub mod pure;
pub mod records;
pub mod required;
pub mod scope;
pub mod script;
pub mod scripts;
pub mod selection;
pub mod singleton;
pub mod style;
pub mod telemetry;
pub mod tools;
pub mod transport;
