//! Keys that are put together from the id and something else that changes: one session has many entries then, and none of them is a
//! value that a handle could name.

use super::carriers::Problem;
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, TOP};
use crate::model::flow::Flow;
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef};
use crate::plan::site;
use crate::rules::detect::Context;

/// How deep a key is looked into.
const DEPTH: usize = 8;

/// Refuses a store of which one session has several entries.
pub(super) fn check(context: &Context<'_, '_>, stores: &[&Found]) -> Result<(), Problem> {
    let accesses = stores.iter().flat_map(|found| &found.uses);
    match accesses.map(|access| access.key).find(|key| is_composite(&context.analysis.flow, *key)) {
        None => Ok(()),
        Some(key) => Err(Problem {
            at: site(context, context.spot(key)),
            why: "this key is put together from the session id and something else: one session has several entries"
                .to_owned(),
            todo:
                "keep one record for each session, with what the other part of the key names in it; then run this again"
                    .to_owned(),
        }),
    }
}

/// Whether a key has the id and another part that is no constant.
pub(super) fn is_composite(flow: &Flow<'_>, key: ExprRef) -> bool {
    depth(flow, key, DEPTH)
}

fn depth(flow: &Flow<'_>, key: ExprRef, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    let facts = flow.program.module(key.module);
    let inner = |id| At { module: key.module, id };
    match facts.kind(key.id) {
        ExprKind::Template(parts) => {
            let changing = parts.iter().map(|part| inner(*part)).filter(|part| !is_constant(flow, *part));
            let changing: Vec<ExprRef> = changing.collect();
            match changing.as_slice() {
                [only] => depth(flow, *only, left),
                [] => false,
                _ => changing.iter().any(|part| flow.is_id(*part)),
            }
        }
        ExprKind::Cast { value, .. } => depth(flow, inner(*value), left),
        ExprKind::Symbol(id) => facts.symbol(*id).init.is_some_and(|init| depth(flow, inner(init), left)),
        ExprKind::Either { arms, .. } => arms.iter().any(|arm| depth(flow, inner(*arm), left)),
        ExprKind::Call { .. } => flow.callees(key).into_iter().any(|callee| {
            let returns = &flow.program.function(callee).returns;
            returns.iter().any(|value| depth(flow, At { module: callee.module, id: *value }, left))
        }),
        _ => false,
    }
}

/// Whether a part of a key is the same for all: a text, a variable of the module, a field of the object itself.
fn is_constant(flow: &Flow<'_>, part: ExprRef) -> bool {
    let facts = flow.program.module(part.module);
    let lasting = match facts.kind(part.id) {
        ExprKind::Text(_) => return true,
        ExprKind::Symbol(id) => facts.symbol(*id).func == TOP,
        ExprKind::Member { object, .. } => matches!(facts.kind(*object), ExprKind::This(_) | ExprKind::Class(_)),
        _ => false,
    };
    let texts = || !flow.at(part).is_empty() && flow.at(part).iter().all(|value| matches!(value, Value::Text(_)));
    !flow.is_id(part) && (lasting || texts())
}
