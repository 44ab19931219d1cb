//! Keys that are a session's: an id, a part of a key that is put together, an object that stands for the session.

use crate::model::facts::{AssignKind, ExprKind, Key};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, SourceKind, Value};
use crate::model::lives::Lives;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Role;

/// The first literal text in a key that is built from parts.
pub(super) fn key_text(flow: &Flow<'_>, key: ExprRef) -> Option<Name> {
    let mut at = key;
    for _ in 0..6 {
        match flow.program.kind(at) {
            ExprKind::Template(parts) => {
                let text = parts.iter().find_map(|part| match flow.program.module(at.module).kind(*part) {
                    ExprKind::Text(text) => Some(*text),
                    ExprKind::Template(_) => key_text(flow, At { module: at.module, id: *part }),
                    ExprKind::Symbol(_) | ExprKind::Member { .. } => {
                        let part = At { module: at.module, id: *part };
                        flow.at(part).iter().find_map(|value| match value {
                            Value::Text(text) => Some(*text),
                            _ => None,
                        })
                    }
                    _ => None,
                });
                return text;
            }
            ExprKind::Symbol(id) => {
                let facts = flow.program.module(at.module);
                // A name of a pattern is given its part.
                let given = || {
                    facts.expr_ids().find_map(|assign| match facts.kind(assign) {
                        ExprKind::Assign { target, value, kind: AssignKind::Init } => {
                            matches!(facts.kind(*target), ExprKind::Symbol(own) if own == id).then_some(*value)
                        }
                        _ => None,
                    })
                };
                at = At { module: at.module, id: facts.symbol(*id).init.or_else(given)? };
            }
            ExprKind::Call { .. } => {
                let callee = flow.callees(at).into_iter().next()?;
                let value = *flow.program.function(callee).returns.first()?;
                at = At { module: callee.module, id: value };
            }
            ExprKind::Cast { value, .. } => at = At { module: at.module, id: *value },
            // One of several keys that a function makes: `keys(id).items`.
            ExprKind::Member { object, name } => {
                let callee = flow.callees(At { module: at.module, id: *object }).into_iter().next()?;
                let made = At { module: callee.module, id: *flow.program.function(callee).returns.first()? };
                let ExprKind::Object(fields) = flow.program.kind(made) else { return None };
                let field = fields.iter().find(|field| matches!(field.key, Key::Name(own) if own == *name))?;
                at = At { module: made.module, id: field.value };
            }
            _ => return None,
        }
    }
    None
}

/// Whether a value is an id that a factory mints for each server that it makes.
pub(super) fn is_minted(flow: &Flow<'_>, lives: &Lives, key: ExprRef) -> bool {
    flow.at(key).iter().any(|value| match value {
        Value::Random(at) => {
            flow.program.tables(at.module).traits.explicit_factories
                && lives.per_session(flow, *at)
                && !lives.within_calls(flow.program.func_of(*at))
        }
        _ => false,
    })
}

/// Whether a value stands for a session without being its id.
pub(super) fn stands_for_session(flow: &Flow<'_>, lives: &Lives, key: ExprRef) -> bool {
    if is_minted(flow, lives, key) {
        return true;
    }
    // What a call may choose as well is no object of the session.
    if flow.at(key).iter().any(|value| matches!(value, Value::Argument(_) | Value::Text(_) | Value::Random(_))) {
        return false;
    }
    // Where a program has one server for all sessions, one that nothing tells the lifetime of is it.
    let one_server = !flow.program.tables(key.module).traits.factory_per_session;
    flow.objects_at(key).any(|id| match flow.object(id).role {
        Some(Role::SessionObject) => true,
        Some(Role::Server) if one_server => lives.object_per_session(flow, id),
        Some(Role::Server | Role::Transport | Role::SseTransport) => {
            lives.object_per_session(flow, id) || !lives.object_per_process(flow, id)
        }
        _ => false,
    })
}

/// The part of a key that is the session's: the key itself, or a part of the tuple or record that it is put together as.
pub(super) fn session_part(flow: &Flow<'_>, key: ExprRef) -> ExprRef {
    let in_object = |id: ObjId| match flow.object(id).site {
        Site::Expr(made) => session_part_of(flow, made),
        Site::Class(class) => {
            flow.instances.get(&class).into_iter().flatten().find_map(|made| session_part_of(flow, *made))
        }
        _ => None,
    };
    flow.objects_at(key).find_map(in_object).unwrap_or(key)
}

/// The part that a tuple or a record is put together of which is a session's.
fn session_part_of(flow: &Flow<'_>, made: ExprRef) -> Option<ExprRef> {
    let here = |id| At { module: made.module, id };
    let is_key = |part: &ExprRef| keys_session(flow, *part);
    match flow.program.kind(made) {
        ExprKind::Sequence(parts) => parts.iter().map(|part| here(*part)).find(is_key),
        ExprKind::Call { args, .. } | ExprKind::New { args, .. } if !args.is_empty() => {
            args.iter().map(|arg| here(arg.value)).find(is_key)
        }
        // The fields of a literal are assigned to what it makes.
        ExprKind::New { .. } => {
            let facts = flow.program.module(made.module);
            let whole = facts.expr(made.id).span;
            let assigned = flow.assignments_in(flow.program.func_of(made));
            assigned
                .iter()
                .filter(|id| whole.contains(facts.expr(**id).span))
                .filter_map(|id| match facts.kind(*id) {
                    ExprKind::Assign { value, kind: AssignKind::Init, .. } => Some(here(*value)),
                    _ => None,
                })
                .find(is_key)
        }
        _ => None,
    }
}

/// Whether an expression is a session id that may key a store. Query parameters count beside an SSE transport only.
pub(super) fn keys_session(flow: &Flow<'_>, key: ExprRef) -> bool {
    // An id is a text. What may be an object as well is a helper's "anything".
    if flow.objects_at(key).any(|id| !flow.is_plain_default(id)) {
        return false;
    }
    flow.ids_at(key).any(|source| source.kind != SourceKind::Query || flow.serves_sse())
}
