//! Steps that only prepare another one: where that was not applied, they are of no use, and left out as well.

use super::propose::{Rounds, Why};
use crate::edit::Outcome;
use crate::plan::StepKind;
use crate::plan::records::Records;
use crate::render::Refused;

/// The first step that was applied although what it leads to was not: its id, and why that is left to a person.
pub fn first(rounds: &Rounds, outcome: &Outcome) -> Option<(String, Refused)> {
    let applied = |id: &str| outcome.applied().any(|applied| applied.group.id == id);
    rounds.first.plans.iter().flat_map(|plan| &plan.steps).find_map(|step| {
        let StepKind::Records(records) = &step.kind else { return None };
        if !applied(&step.id) || applied(&records.leads_to()) {
            return None;
        }
        let (why, todo) = reason(records, rounds);
        let why = format!("what `{}` keeps apart can't become handles: {why}", records.table);
        Some((step.id.clone(), Refused { at: records.declared.clone(), why, todo, also: Vec::new() }))
    })
}

fn reason(records: &Records, rounds: &Rounds) -> (String, String) {
    let id = records.leads_to();
    let held = rounds.held.iter().find(|held| held.step.id == id);
    if let Some(Why::Refused(refused)) = held.map(|held| &held.why) {
        return (refused.why.clone(), refused.todo.clone());
    }
    let what = format!("turn `{}` into handles", records.table);
    let manual = rounds.last.plans.iter().flat_map(|plan| &plan.manual).find(|manual| manual.what == what);
    let todo = |todo: &[String]| todo.first().cloned().unwrap_or_default();
    manual.map_or_else(
        || ("no step was found for it".to_owned(), "do both by hand".to_owned()),
        |manual| (manual.why.clone(), todo(&manual.todo)),
    )
}
