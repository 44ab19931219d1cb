//! What a scan found, for people and for programs. One renderer per file; all get the same [`scan::Scan`] and none
//! computes anything anew.

pub mod describe;
pub mod edits;
pub mod explain;
pub mod fix;
pub mod fix_json;
pub mod fix_text;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod jsonl;
pub mod junit;
pub mod layout;
pub mod markdown;
pub mod places;
pub mod plan;
pub mod plan_toml;
pub mod rdjson;
pub mod rules;
pub mod sarif;
pub mod scan;
pub mod sources;
pub mod style;
pub mod terse;
pub mod text;
pub mod tool_text;
pub mod verdict;
pub mod words;
