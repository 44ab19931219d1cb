//! What would be done about each server, as data.

use super::{Progress, ScanError, ScanOptions, pass};
use crate::plan::ServerPlan;

/// Scans, and plans the migration of each server that is found.
pub fn plans(options: &ScanOptions, progress: &dyn Progress) -> Result<Vec<ServerPlan>, ScanError> {
    pass(options, progress).map(|pass| pass.plans)
}
