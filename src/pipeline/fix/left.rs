//! What is left to a person: what the planners leave, and the findings of which they had nothing to say. Silence would pass for "done".

use super::FixOptions;
use super::propose::Rounds;
use crate::classify::answer::Place;
use crate::pipeline::locate::Locator;
use crate::plan;
use crate::report::fix::{Group, Manual, Status};
use crate::rules::finding::{Finding, Severity};
use crate::rules::{
    dead_session_code, implicit_sessions, session_bound_auth, session_gateway, session_guard, session_transport_map,
    session_transport_setup, stream_resumability, unused_allow,
};

/// Everything that is left, in the order of its places. Groups that are not applied learn where their findings stand. What is a note
/// belongs to a server that is done.
pub fn left(options: &FixOptions, rounds: &Rounds, places: &Locator, groups: &mut [Group]) -> Vec<Manual> {
    for group in groups.iter_mut().filter(|group| group.status == Status::Refused) {
        let claimed = rounds.settled.findings.iter().filter(|f| group.findings.contains(&f.fingerprint));
        group.about = claimed.map(at).collect();
        group.about.sort();
        group.about.dedup();
    }
    let mut out = planned(rounds, places);
    let rest = rest(options, rounds, groups, &out);
    out.extend(rest);
    out.extend(unclear(rounds));
    out.extend(stale(rounds, places));
    merged(out)
}

/// What the planners leave.
fn planned(rounds: &Rounds, places: &Locator) -> Vec<Manual> {
    let mut out = Vec::new();
    for plan in &rounds.last.plans {
        let unfinished = remaining(rounds).any(|finding| finding.server == plan.server);
        for plan::Manual { rule, at: site, what, why, cause, todo } in &plan.manual {
            let place = places.place(&site.path, site.span);
            if rounds.settled.left.iter().any(|(finding, _)| finding.rule == *rule && at(finding) == place) {
                continue;
            }
            let found = rounds.settled.findings.iter().filter(|f| at(f) == place).map(|finding| finding.severity);
            let own = found.max().unwrap_or(Severity::Note);
            let (path, line) = (place.path.clone(), place.line);
            out.push(Manual {
                rule: (*rule).to_owned(),
                // What keeps a server on sessions is in the way as long as there are any.
                severity: if unfinished { own.max(Severity::Warning) } else { own },
                at: place,
                also: Vec::new(),
                what: what.clone(),
                why: match cause.as_ref().map(|cause| places.place(&cause.path, cause.span)) {
                    Some(cause) if (&cause.path, cause.line) != (&path, line) => {
                        format!("{why} ({}:{})", cause.path, cause.line)
                    }
                    _ => why.clone(),
                },
                todo: todo.clone(),
            });
        }
    }
    out
}

/// Findings that are more than notes. Comments are told by themselves.
fn remaining(rounds: &Rounds) -> impl Iterator<Item = &Finding> {
    let counts = |f: &&Finding| f.severity > Severity::Note && f.rule != unused_allow::RULE.name;
    rounds.settled.findings.iter().filter(counts)
}

/// Findings that no group sees to and no planner spoke of.
fn rest(options: &FixOptions, rounds: &Rounds, groups: &[Group], told: &[Manual]) -> Vec<Manual> {
    let wanted = |finding: &&Finding| options.rules.is_empty() || options.rules.contains(&finding.rule);
    let in_group = |finding: &&Finding| {
        let about = |group: &&Group| group.status != Status::Applied && group.findings.contains(&finding.fingerprint);
        groups.iter().any(|group| about(&group))
    };
    // What was said of a place is said of its sessions, its state and its transports; whose it is, or what it guards, is another matter.
    let apart = [session_bound_auth::RULE.name, session_gateway::RULE.name, session_guard::RULE.name];
    let spoken = |finding: &&Finding| {
        told.iter()
            .any(|manual| manual.at == at(finding) && (manual.rule == finding.rule || !apart.contains(&finding.rule)))
    };
    let unsaid = remaining(rounds).filter(wanted).filter(|f| !in_group(f) && !spoken(f));
    unsaid
        .map(|finding| {
            let waits = told.iter().any(|manual| manual.severity > Severity::Note)
                || groups.iter().any(|group| group.status == Status::Refused);
            Manual {
                rule: finding.rule.to_owned(),
                severity: finding.severity,
                at: at(finding),
                also: Vec::new(),
                what: finding.message.clone(),
                why: why(rounds, finding, waits).to_owned(),
                todo: vec![
                    finding.advice.clone(),
                    format!("`mcp-migrate explain {}` shows the migration", finding.rule),
                ],
            }
        })
        .collect()
}

/// Why no step takes a finding away.
fn why(rounds: &Rounds, finding: &Finding, waits: bool) -> &'static str {
    let speaks = rounds.last.scan.servers.iter().any(|s| s.path == finding.server && plan::speaks(s.language));
    let goes_with_sessions = [
        session_transport_setup::RULE.name,
        session_transport_map::RULE.name,
        dead_session_code::RULE.name,
        implicit_sessions::RULE.name,
        stream_resumability::RULE.name,
    ];
    if !speaks {
        "fix edits TypeScript and JavaScript only, so far"
    } else if waits && goes_with_sessions.contains(&finding.rule) {
        "it goes together with the sessions, which stay as long as something else that is listed here needs them"
    } else {
        "no step is known that changes code of this shape"
    }
}

/// Comments that can't be taken at their word: they may be a slip of the pen.
fn unclear(rounds: &Rounds) -> impl Iterator<Item = Manual> + '_ {
    let comments = rounds.settled.findings.iter().filter(|f| f.rule == unused_allow::RULE.name && f.fix.is_none());
    comments.map(|finding| Manual {
        rule: finding.rule.to_owned(),
        severity: Severity::Warning,
        at: at(finding),
        also: Vec::new(),
        what: "correct a comment that allows nothing, or take it away".to_owned(),
        why: finding.message.clone(),
        todo: vec![finding.advice.clone()],
    })
}

/// Texts that say what is not so any more since something was changed.
fn stale(rounds: &Rounds, places: &Locator) -> impl Iterator<Item = Manual> {
    rounds.stale.iter().map(|(site, text, rule)| Manual {
        rule: (*rule).to_owned(),
        severity: if text.sure { Severity::Warning } else { Severity::Note },
        at: places.place(&site.path, site.span),
        also: Vec::new(),
        what: text.what.clone(),
        why: text.why.clone(),
        todo: vec![text.todo.clone()],
    })
}

/// In the order of places; what is said of several places of a file in the same words is said once.
fn merged(mut all: Vec<Manual>) -> Vec<Manual> {
    all.sort_by(|a, b| (&a.at, &a.rule, &a.what).cmp(&(&b.at, &b.rule, &b.what)));
    let mut out: Vec<Manual> = Vec::new();
    for manual in all {
        let same = |known: &&mut Manual| {
            (&known.rule, &known.what, &known.why, &known.todo, known.severity, &known.at.path)
                == (&manual.rule, &manual.what, &manual.why, &manual.todo, manual.severity, &manual.at.path)
        };
        match out.iter_mut().find(same) {
            Some(known) if known.at == manual.at || known.also.contains(&manual.at) => {}
            Some(known) => known.also.push(manual.at),
            None => out.push(manual),
        }
    }
    out
}

fn at(finding: &Finding) -> Place {
    Place { path: finding.path.clone(), line: finding.start.line, column: finding.start.column }
}
