//! What a scan found, for people and for programs. One renderer per file; all get the same [`scan::Scan`] and none
//! computes anything anew.

pub mod explain;
pub mod json;
pub mod layout;
pub mod rules;
pub mod scan;
pub mod sources;
pub mod style;
pub mod text;
pub mod words;
