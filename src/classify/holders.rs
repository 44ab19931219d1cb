//! Tables that remember which session holds what: the id is the value, and later calls are compared with it.

use super::access::{Access, Kind};
use super::answer::{Carrier, Failure, Holds, KeyedBy};
use super::failure;
use super::keys::is_minted;
use super::slots::request_id;
use super::stores::{Analysis, Found};
use crate::model::facts::ExprKind;
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Value};
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Op;

/// Finds them, where the code of tools writes and compares. In a route it is the transport's business who comes back.
pub fn find(analysis: &Analysis<'_>) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    let mut compared = None;
    let by_tools = |at: ExprRef| analysis.lives.handler_reach.contains(&analysis.flow.program.func_of(at));
    for at in analysis.flow.program.exprs_of([Sort::Assign, Sort::Call]).filter(|at| by_tools(*at)) {
        for (object, receiver, value) in written(analysis, at) {
            let Some(id) = session_at(analysis, value) else { continue };
            let access = Access {
                at,
                key: id,
                receiver,
                kind: Kind::AddId,
                func: analysis.flow.program.func_of(at),
                value: Some(value),
            };
            match out.iter_mut().find(|found| found.objects.contains(&object)) {
                Some(found) => {
                    found.uses.push(access);
                    found.writers.push(at);
                }
                None if is_compared(&analysis.flow, object, compared.get_or_insert_with(|| comparisons(analysis))) => {
                    out.extend(found(analysis, object, access));
                }
                None => {}
            }
        }
    }
    out
}

/// An expression, where it is the id of the request at hand, or the number that a factory gave to the server of its session.
fn session_at(analysis: &Analysis<'_>, at: ExprRef) -> Option<ExprRef> {
    let minted = || is_minted(&analysis.flow, &analysis.lives, at).then_some(at);
    request_id(&analysis.flow, at).or_else(minted)
}

/// What an expression puts into a table, under a key that is no id.
fn written(analysis: &Analysis<'_>, at: ExprRef) -> Vec<(ObjId, ExprRef, ExprRef)> {
    let flow = &analysis.flow;
    let inner = |id| At { module: at.module, id };
    match flow.program.kind(at) {
        ExprKind::Assign { target, value, .. } => match flow.program.module(at.module).kind(*target) {
            ExprKind::Index { object, key } if session_at(analysis, inner(*key)).is_none() => {
                let receiver = inner(*object);
                flow.objects_at(receiver).map(|object| (object, receiver, inner(*value))).collect()
            }
            _ => Vec::new(),
        },
        ExprKind::Call { args, .. } => {
            let [key, value, ..] = args.as_slice() else { return Vec::new() };
            // What the call does is the costlier question.
            if session_at(analysis, inner(key.value)).is_some() || session_at(analysis, inner(value.value)).is_none() {
                return Vec::new();
            }
            let performed = flow.performed(at);
            let puts = performed.iter().filter(|p| matches!(p.op, Op::Put | Op::GetOrInsert));
            puts.filter_map(|p| Some((p.object?, p.receiver, inner(value.value)))).collect()
        }
        _ => Vec::new(),
    }
}

/// What the code of tools compares with the id of a call.
fn comparisons(analysis: &Analysis<'_>) -> Vec<ExprRef> {
    let flow = &analysis.flow;
    let is_session = |side| flow.is_id(side) || is_minted(flow, &analysis.lives, side);
    let mut out = Vec::new();
    for at in flow.program.exprs_of([Sort::Compare]) {
        let ExprKind::Compare { left, right, .. } = flow.program.kind(at) else { continue };
        if !analysis.lives.handler_reach.contains(&flow.program.func_of(at)) {
            continue;
        }
        let (left, right) = (At { module: at.module, id: *left }, At { module: at.module, id: *right });
        out.extend(is_session(right).then_some(left));
        out.extend(is_session(left).then_some(right));
    }
    out
}

/// Whether one of them may be what the table holds.
fn is_compared(flow: &Flow<'_>, object: ObjId, compared: &[ExprRef]) -> bool {
    let elements = flow.elements(object).into_iter();
    let held: Vec<Value> = elements.filter(|value| matches!(value, Value::Id(_) | Value::Random(_))).collect();
    !held.is_empty() && compared.iter().any(|side| flow.at(*side).iter().any(|value| held.contains(value)))
}

fn found(analysis: &Analysis<'_>, object: ObjId, access: Access) -> Option<Found> {
    let holder = analysis.flow.holder(object)?;
    let failure = match failure::guard_of(analysis, &access) {
        Some(failure::Guarded::Refuses) => Failure::Refused,
        _ => Failure::Unguarded,
    };
    let mut found = Found {
        name: holder.name,
        container: analysis.container(Some(object), &holder),
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
        writers: vec![access.at],
        fallback: None,
        objects: vec![object],
        held: None,
        holder,
    };
    found.tools = analysis.tools_of(&found);
    Some(found)
}
