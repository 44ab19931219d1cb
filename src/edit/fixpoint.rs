//! Rounds: propose, select, apply, judge, and look again, until nothing is left to apply.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use super::files::{Change, Files};
use super::gate::Syntax;
use super::group::Group;
use super::level::Level;
use super::refusal::Refusal;
use super::round::{self, Deferred, Played, Rules};
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

/// A group that was put off for another one, and that nothing proposed again once that was applied.
#[derive(Clone, Debug)]
pub struct Superseded {
    /// The group.
    pub group: Group,
    /// The id of the other one.
    pub by: String,
}

/// Where it ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The files.
    pub files: Files,
    /// What was applied, round by round.
    pub rounds: Vec<Round>,
    /// What the last proposal held and was not applied, and what was taken back.
    pub refused: Vec<Refused>,
    /// What was not needed any more.
    pub superseded: Vec<Superseded>,
    /// Nothing more would be applied. `false`: the rounds were over before.
    pub settled: bool,
}

impl Outcome {
    /// The groups that were applied, in order.
    pub fn applied(&self) -> impl Iterator<Item = &AppliedGroup> {
        self.rounds.iter().flat_map(|round| &round.applied)
    }
}

/// Runs to the end. `propose` looks at the files through the overlay. Nothing is written.
pub fn run<E>(
    root: &Path,
    settings: Settings,
    syntax: &dyn Syntax,
    propose: &mut dyn FnMut(&Overlay) -> Result<Proposal, E>,
) -> Result<Outcome, E> {
    let mut run = Run {
        settings,
        syntax,
        files: Files::new(root),
        history: Vec::new(),
        banned: BTreeMap::new(),
        deferred: BTreeMap::new(),
    };
    // Every time that something is taken back costs a look; a planner that never comes to rest must not keep us.
    for _ in 0..=settings.rounds.saturating_mul(LOOKS_A_ROUND) {
        let proposal = propose(run.files.overlay())?;
        if let Some(last) = run.step(&proposal) {
            return Ok(run.finish(last));
        }
    }
    let last = run.give_up();
    Ok(run.finish(last))
}

/// How often the files are looked at for each round that is allowed.
const LOOKS_A_ROUND: usize = 4;

/// A round that was played, and what it takes to take it back.
struct Done {
    before: Overlay,
    round: Round,
}

/// What was left when it ended.
struct Last {
    refused: Vec<Refused>,
    settled: bool,
}

struct Run<'a> {
    settings: Settings,
    syntax: &'a dyn Syntax,
    files: Files,
    history: Vec<Done>,
    /// Groups that were taken back.
    banned: BTreeMap<String, Refused>,
    /// Groups that were put off once.
    deferred: BTreeMap<String, Superseded>,
}

impl Run<'_> {
    /// Takes a proposal in. `Some`: that was the last one.
    fn step(&mut self, proposal: &Proposal) -> Option<Last> {
        let bad = self.not_met(proposal);
        if !bad.is_empty() {
            self.take_back(bad);
            return None;
        }
        if self.history.len() >= self.settings.rounds {
            return Some(self.beyond(proposal));
        }
        let before = self.files.overlay().clone();
        let played = self.play(&proposal.groups);
        if played.round.applied.is_empty() {
            return Some(Last { refused: played.refused, settled: true });
        }
        for Deferred { group, after, .. } in played.deferred {
            self.deferred.insert(group.id.clone(), Superseded { group, by: after });
        }
        self.history.push(Done { before, round: played.round });
        None
    }

    fn play(&mut self, groups: &[Group]) -> Played {
        let earlier = self.applied().map(|done| done.group.id.clone()).collect();
        let rules = Rules { level: self.settings.level, syntax: self.syntax, earlier, banned: &self.banned };
        round::play(&mut self.files, groups, &rules)
    }

    fn applied(&self) -> impl Iterator<Item = &AppliedGroup> {
        self.history.iter().flat_map(|done| &done.round.applied)
    }

    /// Groups that were applied and did not do what they should.
    fn not_met(&self, proposal: &Proposal) -> Vec<Refused> {
        let findings: BTreeSet<&String> = proposal.findings.iter().collect();
        let judge = |done: &AppliedGroup| {
            let again = proposal.groups.iter().any(|group| group.id == done.group.id && !group.is_empty());
            let claims: Vec<String> =
                done.group.claims.iter().filter(|claim| findings.contains(claim)).cloned().collect();
            let refusal = match () {
                () if again => Refusal::Repeats,
                () if !claims.is_empty() => Refusal::Unmet { claims },
                () => return None,
            };
            Some(Refused { group: done.group.clone(), refusal })
        };
        self.applied().filter_map(judge).collect()
    }

    /// Takes groups back, and what was built on them: the later rounds, and in their own round what requires them.
    fn take_back(&mut self, bad: Vec<Refused>) {
        let is_bad = |done: &AppliedGroup| bad.iter().any(|refused| refused.group.id == done.group.id);
        let first = self.history.iter().position(|done| done.round.applied.iter().any(is_bad));
        let Some(first) = first else { return };
        for refused in bad {
            self.banned.insert(refused.group.id.clone(), refused);
        }
        let Some(done) = self.history.drain(first..).next() else { return };
        self.files.restore(done.before.clone());
        let groups: Vec<Group> = done.round.applied.into_iter().map(|done| done.group).collect();
        let played = self.play(&groups);
        if !played.round.applied.is_empty() {
            self.history.push(Done { before: done.before, round: played.round });
        }
    }

    /// What is left when no further round is allowed.
    fn beyond(&mut self, proposal: &Proposal) -> Last {
        let before = self.files.overlay().clone();
        let played = self.play(&proposal.groups);
        self.files.restore(before);
        let settled = played.round.applied.is_empty();
        let over = played.round.applied.into_iter().map(|done| (done.group, Refusal::RoundsOver));
        let waits = played.deferred.into_iter().map(|deferred| {
            let refusal = deferred.conflict.map_or(Refusal::RoundsOver, Refusal::Conflict);
            (deferred.group, refusal)
        });
        let mut refused = played.refused;
        refused.extend(over.chain(waits).map(|(group, refusal)| Refused { group, refusal }));
        Last { refused, settled }
    }

    /// Takes back the last round, on whose result nobody looked.
    fn give_up(&mut self) -> Last {
        let mut refused = Vec::new();
        if let Some(done) = self.history.pop() {
            self.files.restore(done.before);
            let groups = done.round.applied.into_iter().map(|done| done.group);
            refused.extend(groups.map(|group| Refused { group, refusal: Refusal::RoundsOver }));
        }
        Last { refused, settled: false }
    }

    fn finish(self, last: Last) -> Outcome {
        let mut refused = last.refused;
        let known: BTreeSet<String> = refused.iter().map(|refused| refused.group.id.clone()).collect();
        refused.extend(self.banned.into_values().filter(|banned| !known.contains(&banned.group.id)));
        let rounds: Vec<Round> = self.history.into_iter().map(|done| done.round).collect();
        let mut told: BTreeSet<&String> = refused.iter().map(|refused| &refused.group.id).collect();
        told.extend(rounds.iter().flat_map(|round| &round.applied).map(|done| &done.group.id));
        let superseded = self.deferred.into_iter().filter(|(id, _)| !told.contains(id)).map(|(_, other)| other);
        Outcome { files: self.files, superseded: superseded.collect(), rounds, refused, settled: last.settled }
    }
}
