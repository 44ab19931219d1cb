//! Tables that nothing ever fills: what they hold is nothing, whoever looks something up in them.

use crate::model::facts::{AssignKind, ExprKind};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Op;

/// Whether a container is made empty and each use of it only looks something up or takes it out. Any use that is not understood may
/// fill it.
pub fn is_never_filled(flow: &Flow<'_>, id: ObjId) -> bool {
    let Site::Expr(made) = flow.object(id).site else { return false };
    is_empty_literal(flow, made)
        && !flow.creates_on_read(id)
        && flow
            .program
            .exprs()
            .filter(|at| flow.at(*at).contains(&Value::Object(id)))
            .all(|at| only_looks(flow, id, at))
}

fn is_empty_literal(flow: &Flow<'_>, made: ExprRef) -> bool {
    match flow.program.kind(made) {
        ExprKind::Object(fields) => fields.is_empty(),
        ExprKind::Sequence(items) => items.is_empty(),
        ExprKind::Call { args, .. } | ExprKind::New { args, .. } => args.is_empty(),
        _ => false,
    }
}

/// Whether one use of a container puts nothing into it. Where the value goes on, the expressions that it goes to are uses of their own.
fn only_looks(flow: &Flow<'_>, id: ObjId, at: ExprRef) -> bool {
    let facts = flow.program.module(at.module);
    if let ExprKind::Assign { value, .. } = facts.kind(at.id) {
        return is_same(flow, id, at, *value);
    }
    let Some(parent) = facts.expr(at.id).parent else { return true };
    match facts.kind(parent) {
        ExprKind::Assign { target, value, kind } => {
            let place = matches!(facts.kind(*target), ExprKind::Symbol(_) | ExprKind::Member { .. });
            place && *kind != AssignKind::Update && is_same(flow, id, at, *value)
        }
        ExprKind::Index { object, .. } => *object == at.id && !is_written(flow, At { module: at.module, id: parent }),
        ExprKind::Member { name, .. } => {
            let Some(call) = facts.expr(parent).parent else { return true };
            match facts.kind(call) {
                ExprKind::Call { callee, .. } if *callee == parent => {
                    looks_up(flow, id, At { module: at.module, id: call })
                }
                _ => matches!(name.text(), "size" | "length"),
            }
        }
        ExprKind::Call { callee, .. } => {
            // A parameter of the program's own is a use of its own; a built-in (`len(x)`) puts nothing in.
            let callee = At { module: at.module, id: *callee };
            matches!(flow.program.kind(callee), ExprKind::Global(_))
                || (!flow.at(callee).is_empty() && flow.at(callee).iter().all(|value| matches!(value, Value::Func(_))))
        }
        ExprKind::Contains { .. }
        | ExprKind::Compare { .. }
        | ExprKind::Element { .. }
        | ExprKind::Either { .. }
        | ExprKind::Cast { .. }
        | ExprKind::Opaque(_)
        | ExprKind::Return(_)
        | ExprKind::Delete { .. } => true,
        _ => false,
    }
}

/// Whether what is assigned beside a container is that container.
fn is_same(flow: &Flow<'_>, id: ObjId, at: ExprRef, value: crate::model::facts::ExprId) -> bool {
    flow.at(At { module: at.module, id: value }).contains(&Value::Object(id))
}

fn is_written(flow: &Flow<'_>, index: ExprRef) -> bool {
    let facts = flow.program.module(index.module);
    facts
        .expr(index.id)
        .parent
        .is_some_and(|parent| matches!(facts.kind(parent), ExprKind::Assign { target, .. } if *target == index.id))
}

fn looks_up(flow: &Flow<'_>, id: ObjId, call: ExprRef) -> bool {
    let performed = flow.performed(call);
    let mut own = performed.iter().filter(|performed| performed.object == Some(id)).peekable();
    own.peek().is_some()
        && own.all(|performed| {
            matches!(
                performed.op,
                Op::Get
                    | Op::Has
                    | Op::Remove
                    | Op::Extract
                    | Op::Clear
                    | Op::Keys
                    | Op::Values
                    | Op::Entries
                    | Op::Each
                    | Op::Find
            )
        })
}
