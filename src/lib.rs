//! `mcp-migrate` moves Model Context Protocol servers off protocol sessions (revision 2026-07-28, SEP-2567).
//!
//! The library is the pipeline as functions: it prints nothing, never exits and knows no command line.

pub mod check;
pub mod classify;
pub mod edit;
pub mod lower;
pub mod model;
pub mod pipeline;
pub mod plan;
pub mod render;
pub mod report;
pub mod rules;
pub mod syntax;
pub mod workspace;

pub use pipeline::{Progress, ScanError, ScanOptions, Silent, Stage, scan, scan_with_evidence};
