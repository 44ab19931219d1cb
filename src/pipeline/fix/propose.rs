//! One round: scan what is there now, plan, and render the steps whose turn it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::mentions;
use super::texts::Texts;
use super::{FixError, FixOptions, obeyed};
use crate::check::{Settled, settle};
use crate::classify::tool_texts::ToolTexts;
use crate::edit::{Change, Edit, Group, NewFile, Outcome, Overlay, Proposal};
use crate::model::facts::Span;
use crate::pipeline::{Pass, Progress, pass};
use crate::plan::{ServerPlan, Site, Step, StepKind};
use crate::render::{self, Files, Refused, Rendered, Stale};
use crate::rules::finding::FixHint;
use crate::rules::unused_allow;
use crate::workspace::names;

/// A step that was not proposed in the last round.
#[derive(Clone, Debug)]
pub struct Held {
    /// The step.
    pub step: Step,
    /// Why.
    pub why: Why,
}

/// Why a step was not proposed.
#[derive(Clone, Debug)]
pub enum Why {
    /// The renderer refused it.
    Refused(Refused),
    /// A step that it requires is still to be done.
    Waits(String),
    /// The user's check failed with it.
    Left(String),
    /// All that it would take away is to stay.
    Allowed(String),
}

/// What the rounds came to.
pub struct Rounds {
    /// The first look.
    pub first: Pass,
    /// The last one: what is there when all is applied.
    pub last: Pass,
    /// What comments and settings make of the findings of the last look.
    pub settled: Settled,
    /// Steps of the last look that were not proposed.
    pub held: Vec<Held>,
    /// Texts that the steps which were applied leave to a person, where they stand in the end, with the rule of the step.
    pub stale: Vec<(Site, Stale, &'static str)>,
    /// What models read of the tools of the files that changed: before, and after.
    pub texts: [BTreeMap<String, ToolTexts>; 2],
}

/// Proposes groups, round by round.
pub struct Proposer<'a> {
    options: &'a FixOptions,
    progress: &'a dyn Progress,
    root: PathBuf,
    /// Steps that only prepare another one which turned out to be refused.
    alone: &'a [(String, Refused)],
    first: Option<Pass>,
    last: Option<(Overlay, Pass)>,
    held: Vec<Held>,
    settled: Settled,
    /// Texts that steps leave to a person, by step.
    stale: Vec<(String, Stale)>,
}

impl<'a> Proposer<'a> {
    /// Nothing is proposed yet.
    pub fn new(
        options: &'a FixOptions,
        progress: &'a dyn Progress,
        root: &Path,
        alone: &'a [(String, Refused)],
    ) -> Self {
        Self {
            options,
            progress,
            root: root.to_owned(),
            alone,
            first: None,
            last: None,
            held: Vec::new(),
            settled: Settled::default(),
            stale: Vec::new(),
        }
    }

    /// The groups for what the overlay shows.
    pub fn propose(&mut self, overlay: &Overlay) -> Result<Proposal, FixError> {
        let pass = self.look(overlay, &[])?;
        // Later looks see what the plan has brought about.
        if let Some(plan) = self.options.plan.as_ref().filter(|_| self.last.is_none()) {
            obeyed::check(plan, &pass)?;
        }
        let texts = Texts::new(&self.root, overlay.clone());
        let settled = settle(&pass.scan, pass.scan.findings.clone(), &pass.evidence, &self.options.policy);
        let (mut groups, mut held, mut stale) = (Vec::new(), Vec::new(), Vec::new());
        let steps = pass.plans.iter().flat_map(|plan| &plan.steps).chain(&settled.steps);
        for step in steps.filter(|step| self.wants(step)) {
            let declined = self.options.declined.contains(&step.id).then_some("you left it out");
            let turn = match settled.spares(&step.id).or(declined) {
                Some(reason) => Err(Why::Allowed(reason.to_owned())),
                None => self.turn(step, &pass.plans, &texts),
            };
            match turn {
                Ok(rendered) if rendered.changes.is_empty() && rendered.new_files.is_empty() => {
                    held.extend(idle(step, &pass));
                }
                Ok(mut rendered) => {
                    let owner = pass.plans.iter().find(|plan| plan.steps.iter().any(|own| own.id == step.id));
                    let notes = owner.map(|plan| mentions::notes(&self.root, &plan.server, step));
                    rendered.notes.extend(notes.into_iter().flatten());
                    stale.extend(rendered.left.drain(..).map(|text| (step.id.clone(), text)));
                    groups.push(group(step, rendered, &pass, &settled));
                }
                Err(why) => held.push(Held { step: step.clone(), why }),
            }
        }
        held.extend(pass.plans.iter().flat_map(|plan| stopped(plan, &texts)));
        self.held = held;
        self.stale.extend(stale);
        self.settled = settled;
        // Comments that allow nothing are told apart by counting, which starts anew when one of them is gone: they are not among these.
        let findings = pass.scan.findings.iter().map(|finding| finding.fingerprint.clone()).collect();
        self.keep(overlay.clone(), pass);
        Ok(Proposal { groups, findings })
    }

    /// The first look and one at the end of all rounds.
    pub fn finish(mut self, outcome: &Outcome) -> Result<Rounds, FixError> {
        let overlay = outcome.files.overlay();
        if self.last.as_ref().is_none_or(|(seen, _)| seen != overlay) {
            self.propose(overlay)?;
        }
        let (_, last) = self.last.take().expect("a look was kept above");
        let first = match self.first.take() {
            Some(first) => first,
            None => self.look(&Overlay::default(), &[])?,
        };
        let changes = outcome.files.changes();
        let changed = |is_there: fn(&Change) -> bool| -> Vec<String> {
            changes.iter().filter(|change| is_there(change)).map(|change| change.path.clone()).collect()
        };
        let texts = [
            self.texts(&first, &Overlay::default(), changed(|change| change.before.is_some()))?,
            self.texts(&last, overlay, changed(|_| true))?,
        ];
        let stale = self.stale(outcome);
        Ok(Rounds { first, last, settled: self.settled, held: self.held, stale, texts })
    }

    /// Texts that the steps which were applied leave to a person, where they stand in the end.
    fn stale(&self, outcome: &Outcome) -> Vec<(Site, Stale, &'static str)> {
        let files = Texts::new(&self.root, outcome.files.overlay().clone());
        let mut out: Vec<(Site, Stale, &'static str)> = Vec::new();
        for applied in outcome.rounds.iter().flat_map(|round| &round.applied) {
            for (_, text) in self.stale.iter().filter(|(step, _)| *step == applied.group.id) {
                let source = files.text(&text.path);
                let Some(start) = source.as_ref().and_then(|source| source.text.find(&text.said)) else { continue };
                let site = Site { path: text.path.clone(), span: Span::new(start, start + text.said.len()) };
                if out.iter().all(|(known, other, _)| *known != site || other != text) {
                    out.push((site, text.clone(), applied.group.rule));
                }
            }
        }
        out
    }

    /// What models read of the tools of some files. A file without any session may not have been read so far.
    fn texts(
        &self,
        pass: &Pass,
        overlay: &Overlay,
        files: Vec<String>,
    ) -> Result<BTreeMap<String, ToolTexts>, FixError> {
        let sources: Vec<String> = files.into_iter().filter(|path| names::language_of(path).is_some()).collect();
        let pick = |texts: &BTreeMap<String, ToolTexts>| {
            sources.iter().filter_map(|path| Some((path.clone(), texts.get(path)?.clone()))).collect()
        };
        if sources.iter().all(|path| pass.texts.contains_key(path)) {
            return Ok(pick(&pass.texts));
        }
        Ok(pick(&self.look(overlay, &sources)?.texts))
    }

    fn look(&self, overlay: &Overlay, also: &[String]) -> Result<Pass, FixError> {
        let mut options = self.options.scan.clone();
        options.overlay = overlay.clone();
        options.tool_texts = true;
        options.also = also.to_vec();
        for id in self.divided() {
            options.plan.decisions.remove(id);
        }
        Ok(pass(&options, self.progress)?)
    }

    /// Stores whose records were taken apart: what is left under their ids holds transports, and a plan that was made before speaks of the
    /// whole.
    fn divided(&self) -> impl Iterator<Item = &str> {
        let first = self.first.as_ref().or_else(|| self.last.as_ref().map(|(_, pass)| pass));
        let steps = first.into_iter().flat_map(|pass| &pass.plans).flat_map(|plan| &plan.steps);
        steps
            .filter(|step| matches!(step.kind, StepKind::Records(_)))
            .filter_map(|step| Some(step.id.split_once(':')?.1))
    }

    fn keep(&mut self, overlay: Overlay, pass: Pass) {
        if let Some((_, before)) = self.last.replace((overlay, pass)) {
            self.first.get_or_insert(before);
        }
    }

    fn wants(&self, step: &Step) -> bool {
        let rules = &self.options.rules;
        rules.is_empty() || rules.contains(&step.rule) || step.claims.iter().any(|claim| rules.contains(&claim.rule))
    }

    fn turn(&self, step: &Step, plans: &[ServerPlan], texts: &Texts) -> Result<Rendered, Why> {
        if let Some((_, reason)) = self.options.without.iter().find(|(id, _)| *id == step.id) {
            return Err(Why::Left(reason.clone()));
        }
        if let Some((_, refused)) = self.alone.iter().find(|(id, _)| *id == step.id) {
            return Err(Why::Refused(refused.clone()));
        }
        let planned = |id: &&String| plans.iter().flat_map(|plan| &plan.steps).any(|other| other.id == **id);
        if let Some(id) = step.requires.iter().find(planned) {
            return Err(Why::Waits(id.clone()));
        }
        render::render(step, texts).map_err(Why::Refused)
    }
}

/// The fingerprints of what a step takes away.
fn claims(step: &Step, pass: &Pass, settled: &Settled) -> Vec<String> {
    let found = pass.scan.findings.iter().chain(settled.findings.iter().filter(|f| f.rule == unused_allow::RULE.name));
    let claimed = found.filter(|f| f.fix.as_ref().is_some_and(|fix| fix.step.as_deref() == Some(step.id.as_str())));
    claimed.map(|finding| finding.fingerprint.clone()).collect()
}

/// What would stop the steps that wait for a person: told now, so that it does not come to light one by one.
fn stopped(plan: &ServerPlan, texts: &Texts) -> Vec<Held> {
    let tried = plan.trials.iter().filter(|_| plan.steps.is_empty());
    tried
        .filter_map(|step| {
            let refused = render::render(step, texts).err()?;
            Some(Held { step: step.clone(), why: Why::Refused(refused) })
        })
        .collect()
}

/// A step that found nothing to change: where a finding still asks for it, a person has to look.
fn idle(step: &Step, pass: &Pass) -> Option<Held> {
    let asked = |fix: &FixHint| fix.step.as_deref() == Some(step.id.as_str());
    pass.scan.findings.iter().find(|finding| finding.fix.as_ref().is_some_and(asked))?;
    let refused = Refused {
        at: step.claims.first()?.at.clone(),
        why: "nothing was found here that could be changed".to_owned(),
        todo: "make the change by hand".to_owned(),
        also: Vec::new(),
    };
    Some(Held { step: step.clone(), why: Why::Refused(refused) })
}

fn group(step: &Step, rendered: Rendered, pass: &Pass, settled: &Settled) -> Group {
    let level = rendered.level.map_or(step.level, |level| level.max(step.level));
    let (title, notes) = rendered.instead.clone().unwrap_or_else(|| (step.title.clone(), step.notes.clone()));
    let mut group = Group::new(step.id.clone(), title, step.rule, level);
    // What it requires was done in an earlier round, or there would be no such group yet.
    group.edits = rendered
        .changes
        .into_iter()
        .map(|change| Edit::replace(change.path, change.span.start as usize..change.span.end as usize, change.text))
        .collect();
    group.new_files = rendered.new_files.into_iter().map(|(path, text)| NewFile { path, text }).collect();
    group.claims = claims(step, pass, settled);
    // The idea is whole or nothing: where a part of it counts, the rest goes with it, and that is told.
    let besides = settled.left_of(&step.id).map(|(finding, reason)| {
        format!("it changes {}:{} as well, though {reason}", finding.path, finding.start.line)
    });
    group.notes = notes.into_iter().chain(rendered.notes).chain(besides).collect();
    group
}
