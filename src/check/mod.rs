//! From the whole answer of a scan to what a check reports: suppressions, per-path ignores, the baseline, and changed lines.
//!
//! Stands between `report` and `cli`: it takes an assembled scan and gives one back with fewer (or other) findings.

pub mod changes;
pub mod diff;
pub mod error;
mod git;

pub use changes::Changes;
pub use error::CheckError;
