//! Servers behind this one: clients of an SDK, processes, and clients that speak the protocol by hand.

use super::stores::Analysis;
use super::words;
use crate::model::facts::{ClassId, ExprId, ExprKind, Module};
use crate::model::flow::value::{ObjId, Value};
use crate::model::program::{At, ClassRef};
use crate::model::vocabulary::{Op, Role};

const CLIENTS: &[Role] = &[Role::Client, Role::ClientTransport, Role::ChildProcess];

/// Whether an object is, or has, a way to another server.
pub(super) fn holds(analysis: &Analysis<'_>, id: ObjId, depth: u32) -> bool {
    analysis.flow.holds_role(id, CLIENTS, depth) || speaks(analysis, id, depth)
}

/// Whether an object, or one that it has, is of a class that speaks the client's half of the protocol to somebody.
pub(super) fn speaks(analysis: &Analysis<'_>, id: ObjId, depth: u32) -> bool {
    let flow = &analysis.flow;
    let object = flow.object(id);
    if object.class.is_some_and(|class| speaks_as_client(analysis, class)) {
        return true;
    }
    let passes = object.role.is_none() || object.role == Some(Role::Cell);
    depth > 0
        && passes
        && flow
            .fields(id)
            .into_iter()
            .flat_map(|(_, values)| values)
            .chain(flow.elements(id))
            .any(|value| matches!(value, Value::Object(inner) if inner != id && speaks(analysis, inner, depth - 1)))
}

/// Whether an object keeps clients of an SDK in parts of its own that live as long as a session does: a pool of them. Processes don't
/// count that deep, they may be a tool's own.
pub(super) fn pools(analysis: &Analysis<'_>, id: ObjId, depth: u32) -> bool {
    let flow = &analysis.flow;
    flow.parts_of(id).into_iter().filter(|part| *part != id).any(|part| match flow.object(part).role {
        Some(Role::Client | Role::ClientTransport) => true,
        None | Some(Role::Cell | Role::List | Role::Map) => {
            depth > 0 && analysis.lives.object_outlives_calls(flow, part) && pools(analysis, part, depth - 1)
        }
        _ => false,
    })
}

/// Whether the methods of a class send a method of the protocol, and the class has something to send it with.
fn speaks_as_client(analysis: &Analysis<'_>, class: ClassRef) -> bool {
    let flow = &analysis.flow;
    flow.parts(class).into_iter().any(|part| {
        let facts = flow.program.module(part.module);
        let own = |id: &ExprId| facts.function(facts.expr(*id).func).class == Some(part.id);
        facts.expr_ids().filter(own).any(|id| sends_method(facts, id)) && reaches_out(analysis, part)
    })
}

/// Whether an expression is the name of a method that a client calls, as a value to send: compared with, it is one to answer.
fn sends_method(facts: &Module, id: ExprId) -> bool {
    let ExprKind::Text(text) = facts.kind(id) else { return false };
    matches!(text.text(), "initialize" | "tools/call" | "tools/list")
        && facts.expr(id).parent.is_some_and(|parent| match facts.kind(parent) {
            ExprKind::Object(_) => true,
            ExprKind::Call { args, .. } => args.iter().any(|arg| arg.value == id),
            _ => false,
        })
}

/// Whether the methods of a class send requests, or write to a process of its own.
fn reaches_out(analysis: &Analysis<'_>, class: ClassRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(class.module);
    let own = |id: ClassId, at: &ExprId| facts.function(facts.expr(*at).func).class == Some(id);
    facts.expr_ids().filter(|at| own(class.id, at)).any(|id| {
        let at = At { module: class.module, id };
        let sends = matches!(facts.kind(id), ExprKind::Call { .. })
            && flow.performed(at).iter().any(|performed| matches!(performed.op, Op::Send | Op::Fetch | Op::Spawn));
        let through = [Role::HttpClient, Role::FetchResponse, Role::ChildProcess];
        sends || flow.objects_at(at).any(|id| flow.object(id).role.is_some_and(|role| through.contains(&role)))
    })
}

/// Whether a record of the program has, by name, servers behind this one: clients of one's own play no role that is known.
pub(super) fn are_named(analysis: &Analysis<'_>, id: ObjId, depth: u32) -> bool {
    let flow = &analysis.flow;
    let object = flow.object(id);
    if object.role.is_some() && depth < 2 {
        return false;
    }
    let declared = object.class.map(|class| &flow.program.class(class).fields);
    declared.into_iter().flatten().any(|field| words::is_upstream(field.name.text()))
        || (depth > 0
            && flow.fields(id).into_iter().flat_map(|(_, values)| values).any(
                |value| matches!(value, Value::Object(inner) if inner != id && are_named(analysis, inner, depth - 1)),
            ))
}
