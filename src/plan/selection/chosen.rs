//! What a plan file decides about a choice that becomes an argument.

use super::{Selection, listed_by, variable};
use crate::classify::answer::Carrier;
use crate::plan::handle::argument_names;
use crate::plan::settings::{Decision, SetterFate};
use crate::plan::{PlanSettings, Step, StepKind, Wrong, choice};
use crate::rules::detect::Context;

/// Lets a step take what a plan file decides; what can't be is told.
pub fn obey(context: &Context<'_, '_>, step: &mut Step, settings: &PlanSettings, wrong: &mut Vec<Wrong>) {
    let Some(decision) = choice::of_step(step, settings) else { return };
    if decision.carrier.is_some_and(|carrier| carrier != Carrier::Argument) {
        return;
    }
    let StepKind::Selection(selection) = &mut step.kind else { return };
    let mut say = |key: &'static str, what: String, todo: String| {
        let place = decision.places.get(key).cloned().unwrap_or_default();
        wrong.push(Wrong { place, what, todo });
    };
    for (key, _) in decision.places.iter().filter(|(key, _)| !OWN.contains(key)) {
        let what = format!("`{}` becomes an argument, which has no `{key}`", selection.name);
        say(key, what, "Take this line out.".to_owned());
    }
    if let Some(chosen) = decision.names.argument.as_ref().filter(|chosen| **chosen != selection.argument.argument) {
        if argument_names(context).contains(chosen) {
            let what = format!("there is an argument `{chosen}` already");
            say("argument", what, "Write another name.".to_owned());
        }
        selection.argument.variable = variable(chosen);
        selection.argument.argument.clone_from(chosen);
        selection.listed_by = listed_by(context, &selection.argument).or(selection.listed_by.take());
    }
    setter(selection, decision, &mut say);
    step.notes = super::notes(selection);
}

/// Keys about a choice.
const OWN: &[&str] = &["argument", "carrier", "id", "setter"];

fn setter(selection: &mut Selection, decision: &Decision, say: &mut dyn FnMut(&'static str, String, String)) {
    match decision.setter {
        Some(SetterFate::Drop) => selection.setter.tells = None,
        Some(SetterFate::Keep) if selection.setter.tells.is_none() => say(
            "setter",
            format!(
                "`{}` answers no more than that it was done, and nothing is done any more",
                selection.setter.tool.name
            ),
            "Write `drop`, or take this line out.".to_owned(),
        ),
        _ => {}
    }
}

/// What is said of a choice that stays in its record would be dropped in silence.
pub fn in_record(settings: &PlanSettings, id: &str, record: &str) -> Option<Wrong> {
    let decision = settings.decisions.get(id)?;
    let (key, place) = decision.places.iter().find(|(key, _)| !matches!(**key, "id" | "carrier"))?;
    Some(Wrong {
        place: place.clone(),
        what: format!("what stays in the records of `{record}` has no `{key}`"),
        todo: "Take this line out.".to_owned(),
    })
}

/// A carrier that no choice can have.
pub fn nowhere(settings: &PlanSettings, id: &str, wanted: Carrier) -> Option<Wrong> {
    let decision = settings.decisions.get(id)?;
    Some(Wrong {
        place: decision.places.get("carrier").cloned().unwrap_or_default(),
        what: format!("a choice of the session is no matter of `{wanted}`"),
        todo: "Write `argument`, `handle` to keep it in its record, or `manual`.".to_owned(),
    })
}
