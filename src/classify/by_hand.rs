//! A protocol that a package speaks by itself: what its table of sessions keeps beside what the protocol asks for.

use super::stores::Analysis;
use super::words;
use crate::model::facts::{AssignKind, ExprKind, FuncKind};
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::{Op, Role};

/// Whether no SDK serves: no server and no transport of one is made, and nothing is registered (or only with a registry of one's own).
pub fn is_spoken(analysis: &Analysis<'_>) -> bool {
    analysis.lives.transports.is_empty()
        && (analysis.lives.handler_reach.is_empty() || analysis.lives.servers.is_empty())
}

/// Whether a record of a session has a field that the code goes on changing and that the protocol knows nothing of.
pub fn keeps_work(analysis: &Analysis<'_>, records: &[ObjId]) -> bool {
    let flow = &analysis.flow;
    let own: Vec<ObjId> = records.iter().copied().filter(|id| flow.object(*id).role.is_none()).collect();
    if own.is_empty() {
        return false;
    }
    let parts: Vec<(ObjId, Name)> = own
        .iter()
        .flat_map(|id| flow.fields(*id))
        .flat_map(|(name, values)| {
            values.into_iter().filter_map(move |value| match value {
                Value::Object(part) => Some((part, name)),
                _ => None,
            })
        })
        .collect();
    flow.program.exprs_of([Sort::Assign, Sort::Call]).any(|at| {
        changed_field(analysis, &own, at).is_some_and(is_work)
            || changed_objects(analysis, at).iter().any(|changed| {
                parts.iter().any(|(part, name)| part == changed && is_work(*name) && is_data(analysis, *part))
            })
    })
}

/// Whether a protocol spoken by hand lets clients subscribe, and the record of a session collects what for: more than a transport, and
/// lost with the session.
pub fn keeps_subscriptions(analysis: &Analysis<'_>, records: &[ObjId]) -> bool {
    let flow = &analysis.flow;
    let collected: Vec<ObjId> = records
        .iter()
        .flat_map(|id| flow.fields(*id))
        .filter(|(name, _)| words::is_subscribed(name.text()))
        .flat_map(|(_, values)| values)
        .filter_map(|value| match value {
            Value::Object(part) => Some(part),
            _ => None,
        })
        .filter(|part| matches!(flow.object(*part).role, Some(Role::List | Role::Map | Role::Set)))
        .collect();
    !collected.is_empty()
        && is_spoken(analysis)
        && flow.program.exprs().any(|at| is_subscribing(flow.program.kind(at)))
        && flow.program.exprs().any(|at| changed_objects(analysis, at).iter().any(|id| collected.contains(id)))
}

fn is_subscribing(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Text(text) if *text == "resources/subscribe")
}

/// Whether all that the records of a session have is what the protocol asks for.
pub fn is_protocol_state(analysis: &Analysis<'_>, records: &[ObjId]) -> bool {
    let names: Vec<Name> = records.iter().flat_map(|id| field_names(analysis, *id)).collect();
    !names.is_empty() && names.into_iter().all(|name| !is_work(name))
}

/// The fields of a record: those that its class declares, else those that the code writes.
fn field_names(analysis: &Analysis<'_>, record: ObjId) -> Vec<Name> {
    let flow = &analysis.flow;
    match flow.object(record).class {
        Some(class) => flow.program.class(class).fields.iter().map(|field| field.name).collect(),
        None => flow.fields(record).into_iter().map(|(name, _)| name).collect(),
    }
}

fn is_work(name: Name) -> bool {
    // What is offered is told to each session anew.
    if matches!(name.text().trim_start_matches('_'), "tools" | "resources" | "prompts") {
        return false;
    }
    !words::is_protocol(name.text()) && !words::is_bookkeeping(name.text()) && !words::is_client_info(name.text())
}

/// Whether something is data of the program, and no part of the machinery that carries messages.
fn is_data(analysis: &Analysis<'_>, id: ObjId) -> bool {
    let object = analysis.flow.object(id);
    matches!(object.role, None | Some(Role::List | Role::Map | Role::Set))
}

/// The field of one of the records that an assignment changes.
fn changed_field(analysis: &Analysis<'_>, records: &[ObjId], at: ExprRef) -> Option<Name> {
    let flow = &analysis.flow;
    let ExprKind::Assign { target, kind, .. } = flow.program.kind(at) else { return None };
    let ExprKind::Member { object, name } = flow.program.module(at.module).kind(*target) else { return None };
    let made = flow.program.function(flow.program.func_of(at)).kind == FuncKind::Constructor;
    let changes = *kind != AssignKind::Init
        && !made
        && flow.objects_at(At { module: at.module, id: *object }).any(|id| records.contains(&id));
    changes.then_some(*name)
}

/// The containers that an expression changes.
fn changed_objects(analysis: &Analysis<'_>, at: ExprRef) -> Vec<ObjId> {
    let flow = &analysis.flow;
    match flow.program.kind(at) {
        ExprKind::Assign { target, .. } => match flow.program.module(at.module).kind(*target) {
            ExprKind::Index { object, .. } => flow.objects_at(At { module: at.module, id: *object }).collect(),
            _ => Vec::new(),
        },
        ExprKind::Call { .. } => flow
            .performed(at)
            .iter()
            .filter(|performed| matches!(performed.op, Op::Put | Op::Add | Op::GetOrInsert | Op::Merge | Op::Change))
            .filter_map(|performed| performed.object)
            .collect(),
        _ => Vec::new(),
    }
}
