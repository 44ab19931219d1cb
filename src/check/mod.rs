//! From the whole answer of a scan to what a check reports: suppressions, per-path ignores, the baseline, and changed lines.
//!
//! Stands between `report` and `cli`: it takes an assembled scan and gives one back with fewer (or other) findings.

pub mod changes;
pub mod diff;
pub mod error;
mod git;

pub use changes::Changes;
pub use error::CheckError;

use crate::model::facts::Span;
use crate::workspace::{Packages, Tree};

/// What a check needs to know beside the answer of the scan.
#[derive(Debug)]
pub struct Evidence {
    /// What was walked.
    pub tree: Tree,
    /// The packages there.
    pub packages: Packages,
    /// Comments that hold a directive, with the path of their file.
    pub comments: Vec<(String, Span)>,
}
