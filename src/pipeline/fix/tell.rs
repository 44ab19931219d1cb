//! From what the rounds came to, to what is told of it.

use std::collections::BTreeSet;

use super::propose::{Held, Rounds, Why};
use super::{FixOptions, category, dependencies, documents, left, shown, unread};
use crate::edit::{self, Change, GroupChange, Level, Outcome, Recovery, Refused};
use crate::pipeline::Pass;
use crate::pipeline::locate::Locator;
use crate::plan::Site;
use crate::render;
use crate::report::fix::{Fix, Group, Precondition, Status, Stop, Summary};
use crate::report::scan::{SPEC, Tool};
use crate::report::tool_text::ToolText;
use crate::rules::finding::{Finding, Severity};
use crate::rules::session_transport_setup;
use crate::workspace::paths;

/// The whole answer, as a dry run.
pub fn tell(options: &FixOptions, rounds: &Rounds, outcome: &Outcome) -> Fix {
    let root = outcome.files.root();
    let places = Locator::through(root.to_owned(), outcome.files.overlay().clone());
    let changes = outcome.files.changes();
    let mut groups: Vec<Group> = outcome
        .rounds
        .iter()
        .flat_map(|round| &round.applied)
        .map(|applied| {
            let patch = edit::patch(applied.changes.iter().map(|GroupChange { change, .. }| change));
            Group { files: files(applied.changes.iter().map(|change| &change.change)), patch, ..of(&applied.group) }
        })
        .collect();
    // Several groups of a server are told the same things: once is enough.
    let mut told: BTreeSet<String> = BTreeSet::new();
    for group in groups.iter_mut().filter(|group| group.rule == session_transport_setup::RULE.name) {
        let holds = |server: &&str| group.files.iter().any(|path| paths::is_within(path, server));
        let servers = rounds.first.scan.servers.iter().map(|server| server.path.as_str()).filter(holds);
        let nearest = servers.max_by_key(|path| path.len());
        let Some(server) = nearest else { continue };
        let mut notes = documents::notes(root, server);
        notes.extend(unread::note(root, server, &changes));
        notes.extend(dependencies::note(root, server, &changes));
        group.notes.extend(notes.into_iter().filter(|note| told.insert(note.clone())));
    }
    let applied = groups.len();
    groups.extend(outcome.refused.iter().map(refused));
    groups.extend(rounds.held.iter().map(|held| kept_back(held, rounds, &places)));
    let mut left = left::left(options, rounds, &places, &mut groups);
    let (manual, good_to_know): (Vec<_>, Vec<_>) = left.drain(..).partition(|manual| manual.severity > Severity::Note);
    let preconditions = preconditions(&rounds.first, &groups, root);
    let summary = Summary {
        before: category(&rounds.first),
        after: category(&rounds.last),
        applied,
        refused: groups.iter().filter(|group| group.status == Status::Refused).count(),
        allowed: groups.iter().filter(|group| group.status == Status::Allowed).count(),
        manual: manual.len(),
        files: changes.len(),
    };
    let mut notes = Vec::new();
    if !outcome.settled {
        notes.push("There is more to do than one run does: run it again on the result.".to_owned());
    }
    notes.extend(unmatched(options, &rounds.first));
    Fix {
        tool: Tool::THIS,
        spec: SPEC,
        root: shown(&rounds.first, root).into_owned(),
        dry_run: true,
        level: options.level,
        summary,
        groups,
        manual,
        good_to_know,
        preconditions,
        tool_text: ToolText::between(&rounds.texts),
        notes,
        patch: edit::patch(&changes),
    }
}

/// Settings that speak of no store: dropped in silence they would be worse than none.
fn unmatched(options: &FixOptions, first: &Pass) -> Option<String> {
    let stores = || first.scan.servers.iter().flat_map(|server| &server.stores);
    let unknown = |name: &&str| !stores().any(|store| store.name == **name || store.id == **name);
    let unknown: Vec<String> = options.scan.plan.stores().filter(unknown).map(|name| format!("`{name}`")).collect();
    let list = unknown.join(", ");
    (!unknown.is_empty()).then(|| format!("The settings give names or lifetimes to {list}; there is no such store."))
}

fn files<'c>(changes: impl Iterator<Item = &'c Change>) -> Vec<String> {
    changes.map(|change| change.path.clone()).collect()
}

fn of(group: &edit::Group) -> Group {
    Group {
        id: group.id.clone(),
        title: group.title.clone(),
        rule: group.rule.to_owned(),
        level: group.level,
        status: Status::Applied,
        reason: None,
        help: None,
        at: None,
        stops: Vec::new(),
        requires: group.requires.clone(),
        files: group.paths().into_iter().map(str::to_owned).collect(),
        findings: group.claims.clone(),
        about: Vec::new(),
        notes: group.notes.clone(),
        patch: String::new(),
    }
}

fn refused(refused: &Refused) -> Group {
    let (reason, help) = (refused.refusal.to_string(), refused.refusal.help());
    Group { status: Status::Refused, reason: Some(reason), help: Some(help), ..of(&refused.group) }
}

/// A step that never became a group.
fn kept_back(held: &Held, rounds: &Rounds, places: &Locator) -> Group {
    let step = &held.step;
    let (reason, help, at) = match &held.why {
        Why::Refused(refused) => {
            let at = places.place(&refused.at.path, refused.at.span);
            (refused.why.clone(), refused.todo.clone(), Some(at))
        }
        Why::Waits(id) => {
            let steps = rounds.last.plans.iter().flat_map(|plan| &plan.steps);
            let title = steps.into_iter().find(|step| step.id == *id).map_or(id.as_str(), |step| step.title.as_str());
            let reason = format!("it needs another change first, which was not made: {title}");
            (reason, "Make that one, and run again.".to_owned(), None)
        }
        Why::Left(reason) => (reason.clone(), "Make it by hand, or mend what the check found.".to_owned(), None),
        Why::Allowed(reason) => (reason.clone(), "Take that back to have it changed.".to_owned(), None),
    };
    let stops = if let Why::Refused(refused) = &held.why { stops(refused, places) } else { Vec::new() };
    let status = if matches!(held.why, Why::Allowed(_)) { Status::Allowed } else { Status::Refused };
    let asks = |finding: &&Finding| finding.fix.as_ref().is_some_and(|fix| fix.step.as_deref() == Some(&step.id));
    let findings = rounds.last.scan.findings.iter().filter(asks).map(|finding| finding.fingerprint.clone()).collect();
    Group {
        id: step.id.clone(),
        title: step.title.clone(),
        rule: step.rule.to_owned(),
        // What it would ask of its reader is only known of what is done.
        level: if matches!(held.why, Why::Refused(_)) { Level::Manual } else { step.level },
        status,
        reason: Some(reason),
        help: Some(help),
        at,
        stops,
        requires: step.requires.clone(),
        files: Vec::new(),
        findings,
        about: Vec::new(),
        // What it would cost is told where it is done.
        notes: Vec::new(),
        patch: String::new(),
    }
}

/// What stops a step besides the first reason: places of which the same is to be said go together.
fn stops(refused: &render::Refused, places: &Locator) -> Vec<Stop> {
    let mut out: Vec<Stop> = Vec::new();
    for render::Refused { at, why, todo, .. } in &refused.also {
        let at = places.place(&at.path, at.span);
        match out.iter_mut().find(|stop| stop.reason == *why && stop.help == *todo) {
            Some(stop) => stop.at.push(at),
            None => out.push(Stop { at: vec![at], reason: why.clone(), help: todo.clone() }),
        }
    }
    out
}

/// What held before anything was changed, of the servers that are: it is what their edits rest on.
fn preconditions(pass: &Pass, groups: &[Group], root: &std::path::Path) -> Vec<Precondition> {
    let places = Locator::through(root.to_owned(), edit::Overlay::default());
    let place = |at: &Site| places.place(&at.path, at.span);
    let applied = |id: &str| groups.iter().any(|group| group.status == Status::Applied && group.id == id);
    let changed = pass.plans.iter().filter(|plan| plan.steps.iter().any(|step| applied(&step.id)));
    let several = pass.plans.len() > 1;
    changed
        .flat_map(|plan| plan.holds.iter().map(move |holds| (plan, holds)))
        .map(|(plan, holds)| Precondition {
            what: if several { format!("in `{}`, {}", plan.server, holds.what) } else { holds.what.clone() },
            at: holds.at.as_ref().map(place),
        })
        .collect()
}

/// What was done about an earlier run that was killed.
pub fn recovery(recovery: &Recovery) -> Option<String> {
    match recovery {
        Recovery::Nothing => None,
        Recovery::Discarded => {
            Some("an earlier run was interrupted before it wrote anything; what it had prepared is gone".to_owned())
        }
        Recovery::TakenBack { still } => {
            let mut text =
                "an earlier run was interrupted while it wrote, and that was taken back since; the rest of it is gone"
                    .to_owned();
            if !still.is_empty() {
                text.push_str(&format!("; these files are still as it wrote them: {}", still.join(", ")));
            }
            Some(text)
        }
        Recovery::Completed { files, .. } => {
            let mut text = "an earlier run was interrupted while it wrote".to_owned();
            if !files.is_empty() {
                text.push_str(&format!("; these files were written now: {}", files.join(", ")));
            }
            Some(text)
        }
    }
}
