//! Where a plan file wants the state of a store to be: what fix can do about it, and what it refuses.

use super::handle::INTERFACE;
use super::settings::Home;
use super::{Decision, Manual, PlanSettings, ServerPlan, Step, StepKind, Wrong, site};
use crate::classify::answer::{Carrier, Holds};
use crate::classify::stores::Found;
use crate::model::name::Name;
use crate::rules::detect::{Context, Spot};
use crate::rules::{session_keyed_state, session_keyed_telemetry, session_transport_map};

/// Carriers that a plan file may name.
pub const CARRIERS: &[Carrier] = Carrier::ALL;

/// The id of a store, as scans give it.
pub fn id(context: &Context<'_, '_>, found: &Found) -> String {
    format!("{}#{}", context.analysis.flow.program.module(found.holder.module).path, found.name)
}

/// The id of a choice among the fields of a store's records.
pub fn part_id(context: &Context<'_, '_>, found: &Found, field: Name) -> String {
    format!("{}.{field}", id(context, found))
}

/// Where a store goes, as far as a plan file may choose: what the model of the code says can become a handle as well, since that is
/// right for every value. All else stays what the code shows, and [`obey`] says why.
pub fn carrier(context: &Context<'_, '_>, settings: &PlanSettings, found: &Found) -> Carrier {
    // What is left of a record would be moved without a part that is to stay.
    let left = |field: &Name| settings.carrier(&part_id(context, found, *field)) == Some(Carrier::Manual);
    match whole(context, settings, found) {
        Carrier::Handle if found.fields.iter().any(|(field, ..)| left(field)) => Carrier::Manual,
        shown => shown,
    }
}

/// The same, whatever is decided about the fields of its records.
pub fn whole(context: &Context<'_, '_>, settings: &PlanSettings, found: &Found) -> Carrier {
    match (found.carrier, settings.carrier(&id(context, found))) {
        (_, Some(Carrier::Manual)) => Carrier::Manual,
        (Carrier::Argument, Some(Carrier::Handle)) => Carrier::Handle,
        (shown, _) => shown,
    }
}

/// What a plan file says of the store that a step is about.
pub fn of_step<'s>(step: &Step, settings: &'s PlanSettings) -> Option<&'s Decision> {
    let (_, id) = step.id.split_once(':')?;
    settings.decisions.get(id)
}

/// Takes the steps back that a plan file does not want, and says why fix can't do what it wants in their place. Answers what keeps
/// the sessions: stores that are to stay.
pub fn obey(context: &Context<'_, '_>, settings: &PlanSettings, out: &mut ServerPlan) -> Vec<Manual> {
    let mut kept = Vec::new();
    for found in context.stores() {
        let id = id(context, found);
        let Some(decision) = settings.decisions.get(&id) else { continue };
        without_handle(context, found, decision, out);
        let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
        let step = out.steps.iter().position(|step| step.claims.iter().any(|claim| claim.at == declared));
        if let Some(step) = step.filter(|_| decision.home == Some(Home::Shared) && decision.shared.is_none()) {
            let step = out.steps.remove(step);
            out.manual.push(Manual {
                rule: step.rule,
                at: declared,
                what: step.title,
                why: "the plan wants its values where several processes reach them, and fix writes a store in memory"
                    .to_owned(),
                cause: None,
                todo: vec![format!(
                    "{INTERFACE}; name that class in the plan by `store-module` and `store-class`, and run again"
                )],
            });
            continue;
        }
        let Some(wanted) = decision.carrier else { continue };
        let done = step.map(|step| done_by(&out.steps[step]));
        if done == Some(wanted) || done.is_none() && wanted == found.carrier {
            continue;
        }
        if let Some(step) = step {
            out.steps.remove(step);
        }
        out.manual.retain(|manual| manual.at != declared);
        let (why, todo) = match wanted {
            Carrier::Manual => (
                "the plan leaves it to you".to_owned(),
                "move it by hand; or write another `carrier` in the plan, and run again".to_owned(),
            ),
            _ => (
                format!("the plan wants it as `{wanted}`, and {}", cannot(wanted)),
                format!("write `carrier = \"{}\"` for what fix can do, or move it by hand", found.carrier),
            ),
        };
        let manual = Manual {
            rule: rule(found),
            at: declared,
            what: format!("move `{}`", found.name),
            why,
            cause: None,
            todo: vec![todo],
        };
        match found.with_transport || found.holds == Holds::Transport {
            true => kept.push(manual),
            false => out.manual.push(manual),
        }
    }
    kept
}

/// What is said of the handle of a store that has none of its own would be dropped in silence.
fn without_handle(context: &Context<'_, '_>, found: &Found, decision: &Decision, out: &mut ServerPlan) {
    let said = decision.places.iter().find(|(key, _)| !matches!(**key, "id" | "carrier"));
    let Some((key, place)) = said else { return };
    if !matches!(found.carrier, Carrier::Handle | Carrier::Argument) {
        out.wrong.push(Wrong {
            place: place.clone(),
            what: format!("`{}` gets no handle, so it has no `{key}`", found.name),
            todo: "Take this line out.".to_owned(),
        });
        return;
    }
    let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
    let own = format!("#{}", found.name);
    let with = out.steps.iter().find(|step| step.claims.iter().any(|claim| claim.at == declared));
    let Some(step) = with.filter(|step| !step.id.ends_with(&own)) else { return };
    let Some((_, lead)) = step.id.split_once(':') else { return };
    out.wrong.push(Wrong {
        place: place.clone(),
        what: format!("`{}` has no `{key}` of its own: it is kept under the handle of `{lead}`", found.name),
        todo: format!("Decide that for `{lead}`."),
    });
}

/// Where a step puts the state.
fn done_by(step: &Step) -> Carrier {
    match step.kind {
        StepKind::Handle(_)
        | StepKind::Captured(_)
        | StepKind::External(_)
        | StepKind::Required(_)
        | StepKind::Records(_) => Carrier::Handle,
        StepKind::Selection(_) => Carrier::Argument,
        StepKind::Telemetry(_) | StepKind::Labels(_) => Carrier::Request,
        StepKind::Transport(_)
        | StepKind::Singleton(_)
        | StepKind::Allowance(_)
        | StepKind::Capabilities(_)
        | StepKind::Ambient(_) => Carrier::Drop,
    }
}

/// Why fix does not move a store there, to follow "and".
fn cannot(wanted: Carrier) -> &'static str {
    match wanted {
        Carrier::Handle => "that takes values of the application which are kept by session",
        Carrier::Argument => "no caller was seen to have its values already: the program makes them",
        Carrier::Address => "what a client would write into its address can't be told from the code",
        Carrier::Principal => "keying it by user would share it between all that a user does at once",
        Carrier::Request => "its values outlive the request that made them",
        Carrier::Mrtr | Carrier::Tasks => "that is a new design of the tools which use it",
        Carrier::Process => "callers would share it",
        Carrier::Drop => "tools use it",
        Carrier::Manual => "that is yours to do",
    }
}

/// The rule that reports a store.
fn rule(found: &Found) -> &'static str {
    match found.holds {
        Holds::Transport => session_transport_map::RULE.name,
        Holds::Telemetry => session_keyed_telemetry::RULE.name,
        _ => session_keyed_state::RULE.name,
    }
}
