//! From what the rounds came to, to what is told of it.

use super::propose::{Held, Rounds, Why};
use super::{FixOptions, category, shown};
use crate::classify::answer::Place;
use crate::edit::{self, Change, GroupChange, Outcome, Recovery, Refused};
use crate::pipeline::Pass;
use crate::pipeline::locate::Locator;
use crate::plan::{self, Site};
use crate::report::fix::{Fix, Group, Manual, Precondition, Status, Summary};
use crate::report::tool_text::ToolText;
use crate::report::scan::{SPEC, Tool};
use crate::rules::finding::{Finding, Severity};
use crate::rules::unused_allow;

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
    let applied = groups.len();
    groups.extend(outcome.refused.iter().map(refused));
    groups.extend(rounds.held.iter().map(|held| kept_back(held, rounds, &places)));
    let manual = manual(rounds, &places);
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
        preconditions: preconditions(&rounds.first, root),
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
        requires: group.requires.clone(),
        files: group.paths().into_iter().map(str::to_owned).collect(),
        findings: group.claims.clone(),
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
    let status = if matches!(held.why, Why::Allowed(_)) { Status::Allowed } else { Status::Refused };
    Group {
        id: step.id.clone(),
        title: step.title.clone(),
        rule: step.rule.to_owned(),
        level: step.level,
        status,
        reason: Some(reason),
        help: Some(help),
        at,
        requires: step.requires.clone(),
        files: Vec::new(),
        findings: Vec::new(),
        notes: step.notes.clone(),
        patch: String::new(),
    }
}

fn manual(rounds: &Rounds, places: &Locator) -> Vec<Manual> {
    let stays = |manual: &Manual| {
        rounds.settled.left.iter().any(|(finding, _)| {
            let at = (finding.path.as_str(), finding.start.line, finding.start.column);
            finding.rule == manual.rule && at == (manual.at.path.as_str(), manual.at.line, manual.at.column)
        })
    };
    let mut out: Vec<Manual> = rounds
        .last
        .plans
        .iter()
        .flat_map(|plan| &plan.manual)
        .map(|plan::Manual { rule, at, what, why, todo }| Manual {
            rule: (*rule).to_owned(),
            at: places.place(&at.path, at.span),
            what: what.clone(),
            why: why.clone(),
            todo: todo.clone(),
        })
        .filter(|manual| !stays(manual))
        .collect();
    out.extend(unspoken(rounds));
    out.extend(unplanned(rounds));
    out.extend(unclear(rounds));
    out.sort_by(|a, b| (&a.at, &a.rule, &a.what).cmp(&(&b.at, &b.rule, &b.what)));
    out.dedup();
    out
}

/// Comments that can't be taken at their word: they may be a slip of the pen.
fn unclear(rounds: &Rounds) -> impl Iterator<Item = Manual> + '_ {
    let comments = rounds.settled.findings.iter().filter(|f| f.rule == unused_allow::RULE.name && f.fix.is_none());
    comments.map(|finding| Manual {
        rule: finding.rule.to_owned(),
        at: Place { path: finding.path.clone(), line: finding.start.line, column: finding.start.column },
        what: "correct a comment that allows nothing, or take it away".to_owned(),
        why: finding.message.clone(),
        todo: vec![finding.advice.clone()],
    })
}

/// The most severe finding of a server that is more than a note. Comments are told by themselves.
fn worst<'r>(rounds: &'r Rounds, server: &str) -> Option<&'r Finding> {
    let of_server = |f: &&Finding| f.server == server && f.rule != unused_allow::RULE.name;
    let findings = rounds.settled.findings.iter().filter(of_server);
    findings.rev().max_by_key(|finding| finding.severity).filter(|finding| finding.severity > Severity::Note)
}

/// Servers in languages that have no planner yet, at their most severe finding.
fn unspoken(rounds: &Rounds) -> impl Iterator<Item = Manual> + '_ {
    let servers = rounds.last.scan.servers.iter().filter(|server| !plan::speaks(server.language));
    servers.filter_map(|server| {
        let worst = worst(rounds, &server.path)?;
        let at = Place { path: worst.path.clone(), line: worst.start.line, column: worst.start.column };
        Some(Manual {
            rule: worst.rule.to_owned(),
            at,
            what: format!("migrate the {} server in `{}`", server.language, server.path),
            why: "fix edits TypeScript and JavaScript only, so far".to_owned(),
            todo: vec!["`mcp-migrate report` tells what is kept per session and where it belongs".to_owned()],
        })
    })
}

/// Servers with findings of which no planner had anything to say: silence would pass for "done".
fn unplanned(rounds: &Rounds) -> impl Iterator<Item = Manual> + '_ {
    let has_plan = |path: &str| {
        let plans = rounds.last.plans.iter().filter(|plan| plan.server == path);
        plans.into_iter().any(|plan| !plan.steps.is_empty() || !plan.manual.is_empty())
    };
    let servers = rounds.last.scan.servers.iter().filter(|server| plan::speaks(server.language));
    servers.filter(move |server| !has_plan(&server.path)).filter_map(|server| {
        let worst = worst(rounds, &server.path)?;
        let at = Place { path: worst.path.clone(), line: worst.start.line, column: worst.start.column };
        Some(Manual {
            rule: worst.rule.to_owned(),
            at,
            what: worst.message.clone(),
            why: "there is no migration step for this yet".to_owned(),
            todo: vec![worst.advice.clone(), format!("`mcp-migrate explain {}` shows the migration", worst.rule)],
        })
    })
}

/// What held before anything was changed: it is what the edits rest on.
fn preconditions(pass: &Pass, root: &std::path::Path) -> Vec<Precondition> {
    let places = Locator::through(root.to_owned(), edit::Overlay::default());
    let place = |at: &Site| places.place(&at.path, at.span);
    let with_steps = pass.plans.iter().filter(|plan| !plan.steps.is_empty());
    with_steps
        .flat_map(|plan| &plan.holds)
        .map(|holds| Precondition { what: holds.what.clone(), at: holds.at.as_ref().map(place) })
        .collect()
}

/// What was done about an earlier run that was killed.
pub fn recovery(recovery: &Recovery) -> Option<String> {
    match recovery {
        Recovery::Nothing => None,
        Recovery::Discarded => {
            Some("an earlier run was interrupted before it wrote anything; what it had prepared is gone".to_owned())
        }
        Recovery::Completed { files, left } => {
            let mut text = "an earlier run was interrupted while it wrote".to_owned();
            if !files.is_empty() {
                text.push_str(&format!("; these files were written now: {}", files.join(", ")));
            }
            if !left.is_empty() {
                text.push_str(&format!("; these were changed since and were left alone: {}", left.join(", ")));
            }
            Some(text)
        }
    }
}
