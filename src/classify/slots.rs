//! The one place that remembers a session: not a table of sessions but the session that has something to itself, a lease or a seat.
//! Looked for where the SDK keeps the sessions, so that comparing ids is no part of the transport.

use super::access::{Access, Kind};
use super::answer::{Carrier, Failure, Holds, KeyedBy};
use super::failure;
use super::lifetime::Held;
use super::stores::{Analysis, Found};
use crate::model::facts::{AssignKind, ExprKind};
use crate::model::flow::value::{SourceKind, Value};
use crate::model::flow::{Flow, Owner};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::query::Holder;

/// Finds the places of a program that remember one session and that later requests are compared with.
pub fn find(analysis: &Analysis<'_>) -> Vec<Found> {
    let flow = &analysis.flow;
    let mut out: Vec<Found> = Vec::new();
    for at in flow.program.exprs_of([Sort::Assign]) {
        let ExprKind::Assign { target, value, kind: AssignKind::Set } = flow.program.kind(at) else { continue };
        if !flow.program.tables(at.module).traits.explicit_factories {
            continue;
        }
        let (target, value) = (At { module: at.module, id: *target }, At { module: at.module, id: *value });
        let Some(key) = remembered(flow, value) else { continue };
        let Some((owner, name)) = slot(flow, target) else { continue };
        if !compared(flow, owner, name) || out.iter().any(|found| found.uses.iter().any(|used| used.receiver == target))
        {
            continue;
        }
        let Some(holder) = holder(flow, owner, name, target) else { continue };
        let func = flow.program.func_of(at);
        let access = Access { at, key, receiver: target, kind: Kind::AddId, func, value: Some(value) };
        let failure = match failure::guard_of(analysis, &access) {
            Some(failure::Guarded::Refuses) => Failure::Refused,
            _ => Failure::Unguarded,
        };
        out.push(Found {
            name: holder.name,
            container: "slot".to_owned(),
            keyed_by: KeyedBy::SessionId,
            value: None,
            holds: Holds::Guard,
            with_transport: false,
            with_auth: false,
            carrier: Carrier::Manual,
            failure,
            tools: Vec::new(),
            fields: Vec::new(),
            uses: vec![access],
            writers: vec![at],
            fallback: None,
            objects: Vec::new(),
            held: Some(Held::Field),
            holder,
        });
    }
    out
}

/// The session id in a value: the value itself, or a part of what is put together there.
fn remembered(flow: &Flow<'_>, value: ExprRef) -> Option<ExprRef> {
    request_id(flow, value).or_else(|| match flow.program.kind(value) {
        ExprKind::Sequence(items) => {
            items.iter().find_map(|item| request_id(flow, At { module: value.module, id: *item }))
        }
        _ => None,
    })
}

/// An expression, where it is the id of the request at hand.
pub(super) fn request_id(flow: &Flow<'_>, at: ExprRef) -> Option<ExprRef> {
    let of_request = |kind| {
        matches!(
            kind,
            SourceKind::Header
                | SourceKind::ToolHeader
                | SourceKind::Context
                | SourceKind::Fresh
                | SourceKind::Missing
                | SourceKind::Removed
        )
    };
    flow.ids_at(at).any(|source| of_request(source.kind)).then_some(at)
}

/// The field of a class that a place is.
fn slot(flow: &Flow<'_>, target: ExprRef) -> Option<(Owner, Name)> {
    let ExprKind::Member { object, name } = flow.program.kind(target) else { return None };
    let object = At { module: target.module, id: *object };
    flow.objects_at(object).find(|id| flow.object(*id).class.is_some()).map(|id| (flow.owner(id), *name))
}

/// Whether what a slot holds is compared with an id.
fn compared(flow: &Flow<'_>, owner: Owner, name: Name) -> bool {
    let Some(node) = flow.known_field(owner, name) else { return false };
    let holds: Vec<Value> = flow.values(node).to_vec();
    let ids: Vec<Value> = holds
        .iter()
        .flat_map(|value| match value {
            Value::Object(id) => flow.fields(*id).into_iter().flat_map(|(_, values)| values).collect(),
            value => vec![*value],
        })
        .filter(|value| matches!(value, Value::Id(_)))
        .collect();
    !ids.is_empty()
        && flow.program.exprs_of([Sort::Compare]).any(|at| {
            let ExprKind::Compare { left, right, .. } = flow.program.kind(at) else { return false };
            let side = |id| flow.at(At { module: at.module, id }).iter().any(|value| ids.contains(value));
            side(*left) && side(*right)
        })
}

/// What holds a slot. A field that has only a number is called like its class.
fn holder(flow: &Flow<'_>, owner: Owner, name: Name, target: ExprRef) -> Option<Holder> {
    let Owner::Class(class) = owner else { return None };
    let facts = flow.program.class(class);
    let declared = facts.fields.iter().find(|field| field.name == name);
    if name.text().starts_with(|c: char| c.is_ascii_digit()) {
        return Some(Holder { name: facts.name?, module: class.module, span: facts.name_span, symbol: None });
    }
    let span = declared.map_or(flow.program.expr(target).span, |field| field.span);
    Some(Holder { name, module: class.module, span, symbol: None })
}
