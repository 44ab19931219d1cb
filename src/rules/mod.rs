//! One file per rule: documentation, metadata, detection on the model. A rule never prints and never edits.

pub mod finding;
