//! Captured objects with a life of their own: a class of the program makes them, and the end of a session may close them.

use super::captured::DEPTH;
use crate::classify::answer::KeyedBy;
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, SymbolKind};
use crate::model::flow::{Root, value::ObjId, value::Value};
use crate::model::program::{ExprRef, FuncRef};
use crate::model::vocabulary::Role as Known;
use crate::rules::detect::Context;

/// Whether a variable holds an object of a class of the program, made where it is declared, that keeps nothing of the session itself.
pub(super) fn is_object(context: &Context<'_, '_>, found: &Found) -> bool {
    let flow = &context.analysis.flow;
    let variable = found.holder.symbol.map(|symbol| (symbol, &flow.program.symbol(symbol).kind));
    let Some((symbol, SymbolKind::Variable { mutable: false })) = variable else { return false };
    let values = flow.values(flow.symbol_node(symbol));
    !found.with_auth
        && !found.with_transport
        && values.len() == 1
        && values.iter().all(|value| matches!(value, Value::Object(id) if is_own_object(context, *id)))
}

/// Whether an object is one of a class of the program that keeps nothing of the session itself.
pub(super) fn is_own_object(context: &Context<'_, '_>, id: ObjId) -> bool {
    let flow = &context.analysis.flow;
    let session = [
        Known::Transport,
        Known::SseTransport,
        Known::Server,
        Known::Response,
        Known::Client,
        Known::ClientTransport,
        Known::ChildProcess,
    ];
    let object = flow.object(id);
    let own = object.class.is_some() || super::closures::is_made(context, id);
    own && object.role.is_none() && !flow.holds_role(id, &session, DEPTH)
}

/// Whether the keys of a table are the servers (or transports) that were made for sessions, each by its name.
pub(super) fn are_keys(context: &Context<'_, '_>, found: &Found) -> bool {
    let flow = &context.analysis.flow;
    let stands = |at: ExprRef| {
        matches!(flow.program.kind(at), ExprKind::Symbol(_))
            && [Known::Server, Known::Transport].iter().any(|role| flow.plays(at, *role))
    };
    found.keyed_by == KeyedBy::SessionObject
        && !found.uses.is_empty()
        && found.uses.iter().all(|access| stands(access.key))
}

/// Whether code runs where a session ends, and not where a tool is called.
pub(super) fn ends_session(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let func = super::home(flow, flow.program.func_of(at));
    let own = flow.program.func_of(at);
    let ends = |func: FuncRef| flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::SessionEnd));
    (ends(func) || ends(own)) && !context.analysis.lives.handler_reach.contains(&own)
}
