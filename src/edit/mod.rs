//! The edit engine: edits of texts, atomic groups of them, conflicts, rounds to a fixpoint, the syntax gate, diffs, the git guard and
//! writing. Pure mechanics: it knows nothing of MCP, and no syntax tree is ever printed.
//!
//! The flow, as the pipeline drives it:
//!
//! 1. [`write::recover`] brings an earlier run that was killed to an end (only where this run writes).
//! 2. [`fixpoint::run`] asks for a [`fixpoint::Proposal`] of [`group::Group`]s for the present state of the files: a scan that reads
//!    through the [`Overlay`]. It selects groups (level, requirements, conflicts), applies each as a whole, and lets
//!    [`gate::Syntax`] judge every file that a group touched. Then it asks again. Groups that were put off come again, on the new
//!    text; a group that comes back after it was applied, or whose claims are not met, is rolled back. Nothing is written.
//! 3. The [`fixpoint::Outcome`] has every group with what it did file by file ([`AppliedGroup::changes`]), every refusal, and the files.
//!    [`diff::patch`] makes a patch of a group's changes, or of all: the patches of the groups in order, or the one of the whole,
//!    lead to the same files.
//! 4. [`guard::guard`] refuses where changes that are not committed would be mixed with ours (unless the user allows it).
//! 5. [`write::write`] writes. At any moment every file is old or new, and [`write::recover`] finishes what a kill interrupted.

mod conflict;
pub mod diff;
pub mod files;
pub mod fixpoint;
pub mod gate;
pub mod group;
pub mod guard;
mod journal;
pub mod level;
pub mod refusal;
mod round;
mod select;
pub mod stop;
mod target;
pub mod text;
pub mod write;

pub use crate::workspace::overlay::Overlay;
pub use diff::{FileDiff, patch};
pub use files::{Change, Files};
pub use fixpoint::{AppliedGroup, GroupChange, Outcome, Proposal, Refused, Round, Settings, Superseded};
pub use gate::Syntax;
pub use group::Group;
pub use guard::guard;
pub use level::Level;
pub use refusal::{Clash, Conflict, Refusal};
pub use stop::{Dirty, Stop};
pub use text::{Edit, EditError, NewFile};
pub use write::{Recovery, Written, is_interrupted, recover, write};
