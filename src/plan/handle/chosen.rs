//! What a plan file decides about the handles of a store, where it can be so.

use super::planner::Words;
use crate::plan::settings::Decision;
use crate::plan::{PlanSettings, Step, StepKind, Wrong, choice};

/// Lets a step take what a plan file decides; what can't be is told.
pub fn obey(step: &mut Step, words: &Words, settings: &PlanSettings, wrong: &mut Vec<Wrong>) {
    let Some(decision) = choice::of_step(step, settings) else { return };
    let own = Own::of(step);
    let mut say = |key: &'static str, what: String, todo: String| {
        let place = decision.places.get(key).cloned().unwrap_or_default();
        wrong.push(Wrong { place, what, todo });
    };
    match &mut step.kind {
        StepKind::Handle(handle) => handle.shared.clone_from(&decision.shared),
        StepKind::Captured(captured) => captured.shared.clone_from(&decision.shared),
        _ => {}
    }
    names(decision, &own, words, &mut say);
    parameters(step, decision, &mut say);
    if matches!(step.kind, StepKind::External(_)) {
        kept_outside(decision, &mut say);
    }
}

/// Keys about where values are, and for how long.
const WHERE: &[&str] = &["idle-seconds", "limit", "store", "store-module", "store-class"];

/// Which of the tools there are already, and whether handles have owners.
struct Own {
    creator: Option<String>,
    destroyer: Option<String>,
    owner: bool,
}

impl Own {
    fn of(step: &Step) -> Self {
        match &step.kind {
            StepKind::Handle(handle) => Self {
                creator: (!handle.adds_creator()).then(|| handle.creating_tool()),
                destroyer: (!handle.adds_destroyer()).then(|| handle.destroying_tool()),
                owner: handle.owner,
            },
            StepKind::Captured(captured) => Self { creator: None, destroyer: None, owner: captured.owner },
            StepKind::External(external) => {
                Self { creator: None, destroyer: external.destroyer().map(str::to_owned), owner: false }
            }
            _ => Self { creator: None, destroyer: None, owner: false },
        }
    }
}

fn names(decision: &Decision, own: &Own, words: &Words, say: &mut dyn FnMut(&'static str, String, String)) {
    for (key, chosen, known, what) in [
        ("create", &decision.names.create, &own.creator, "creates"),
        ("destroy", &decision.names.destroy, &own.destroyer, "drops"),
    ] {
        match (chosen, known) {
            (Some(chosen), Some(known)) if chosen != known => say(
                key,
                format!("`{known}` {what} a value already, and fix gives no tool another name"),
                format!("Take this line out; rename `{known}` by hand where you want to."),
            ),
            (Some(chosen), None) if words.tools.contains(chosen) => {
                say(key, format!("there is a tool `{chosen}` already"), "Write another name.".to_owned());
            }
            _ => {}
        }
    }
    match &decision.names.list {
        Some(_) if !own.owner => say(
            "list",
            "nobody is authenticated here, so a list would show the handles of all callers".to_owned(),
            "Take this line out.".to_owned(),
        ),
        Some(list) if words.tools.contains(list) => {
            say("list", format!("there is a tool `{list}` already"), "Write another name.".to_owned());
        }
        _ => {}
    }
    if let Some(argument) = decision.names.argument.as_ref().filter(|chosen| words.arguments.contains(chosen)) {
        let what = format!("there is an argument `{argument}` already");
        say("argument", what, "Write another name.".to_owned());
    }
}

/// What a store of the program would be told is a matter of the one outside.
fn kept_outside(decision: &Decision, say: &mut dyn FnMut(&'static str, String, String)) {
    for (key, _) in decision.places.iter().filter(|(key, _)| WHERE.contains(key)) {
        say(
            key,
            "its values are kept outside of this program, and how long and where is said to that store".to_owned(),
            "Take this line out.".to_owned(),
        );
    }
}

fn parameters(step: &mut Step, decision: &Decision, say: &mut dyn FnMut(&'static str, String, String)) {
    let Some(wanted) = &decision.parameters else { return };
    let (known, creator) = match &mut step.kind {
        StepKind::Handle(handle) => {
            let creator = (!handle.adds_creator()).then(|| handle.creating_tool());
            (Some(&mut handle.choices), creator)
        }
        _ => (None, None),
    };
    let choices = known.as_ref().map(|choices| choices.join("`, `")).filter(|choices| !choices.is_empty());
    if let Some(unknown) = wanted.iter().find(|name| known.as_ref().is_none_or(|choices| !choices.contains(name))) {
        let why = "only fields of the first value with a text that nothing changes can be left to the caller";
        let todo = match (creator, choices) {
            (Some(tool), _) => format!("`{tool}` creates the values, with arguments of its own: take this line out."),
            (None, Some(choices)) => format!("There are `{choices}`."),
            (None, None) => "There are none here: write `[]`, or take this line out.".to_owned(),
        };
        say("create-parameters", format!("`{unknown}` can't be an argument of the create tool: {why}"), todo);
    }
    if let Some(choices) = known {
        choices.retain(|choice| wanted.contains(choice));
    }
}
