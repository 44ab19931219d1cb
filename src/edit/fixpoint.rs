//! Rounds: propose, select, apply, judge, and look again, until nothing is left to apply.

use std::ops::Range;
use std::path::Path;

use super::files::{Change, Files};
use super::gate::Syntax;
use super::group::Group;
use super::level::Level;
use super::refusal::Refusal;
use crate::workspace::overlay::Overlay;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The highest level that is applied.
    pub level: Level,
    /// After how many rounds to stop.
    pub rounds: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { level: Level::Review, rounds: 10 }
    }
}

/// What there is to do in the present state of the files.
#[derive(Clone, Debug, Default)]
pub struct Proposal {
    /// Groups; where two are in each other's way, the earlier one wins.
    pub groups: Vec<Group>,
    /// Keys of all findings that are there now; what an applied group claims must not be among them.
    pub findings: Vec<String>,
}

/// What a group did to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupChange {
    /// The file before and after this group alone: the groups before it are in both.
    pub change: Change,
    /// The bytes of the group in the text after it (without a byte order mark), as `(what went, what came)`; empty for a new file.
    pub ranges: Vec<(Range<usize>, Range<usize>)>,
}

/// A group that was applied.
#[derive(Clone, Debug)]
pub struct AppliedGroup {
    /// The group.
    pub group: Group,
    /// What it did, by path; a file where an earlier group of the round made the very same edits is left out.
    pub changes: Vec<GroupChange>,
    /// Earlier groups that made some of its edits: it can't be taken back without them.
    pub shared: Vec<String>,
}

/// Groups that were applied to one state of the files.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// In the order of application: what is required comes first.
    pub applied: Vec<AppliedGroup>,
}

/// A group that was not applied.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The group.
    pub group: Group,
    /// Why.
    pub refusal: Refusal,
}

/// Where it ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The files.
    pub files: Files,
    /// What was applied, round by round.
    pub rounds: Vec<Round>,
    /// What was not, by the order of the last proposal that held it.
    pub refused: Vec<Refused>,
    /// Nothing more would be applied. `false`: the rounds were over before.
    pub settled: bool,
}

/// Runs to the end. `propose` looks at the files through the overlay. Nothing is written.
pub fn run<E>(
    _root: &Path,
    _settings: Settings,
    _syntax: &dyn Syntax,
    _propose: &mut dyn FnMut(&Overlay) -> Result<Proposal, E>,
) -> Result<Outcome, E> {
    todo!()
}
