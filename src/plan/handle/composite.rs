//! Keys that are put together from the id and something else that changes: one session has many entries then, and none of them is a
//! value that a handle could name.

use super::carriers::Problem;
use crate::classify::stores::Found;
use crate::model::facts::{Choice, ExprKind, TOP};
use crate::model::flow::value::Value;
use crate::model::flow::{Edge, Flow};
use crate::model::program::{At, ExprRef, SymbolRef};
use crate::plan::site;
use crate::rules::detect::Context;

/// How deep a key is looked into.
const DEPTH: usize = 8;

/// Refuses a store of which one session has several entries, or whose key is often another one.
pub(super) fn check(context: &Context<'_, '_>, stores: &[&Found]) -> Result<(), Problem> {
    let accesses = stores.iter().flat_map(|found| &found.uses);
    match accesses.map(|access| access.key).find(|key| is_composite(&context.analysis.flow, *key)) {
        None => check_first(context, stores),
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

/// Refuses a store whose key is something else wherever there is that, and the id only where there is not.
fn check_first(context: &Context<'_, '_>, stores: &[&Found]) -> Result<(), Problem> {
    let flow = &context.analysis.flow;
    let accesses = stores.iter().flat_map(|found| &found.uses);
    match accesses.filter_map(|access| preferred(flow, access.key, DEPTH)).next() {
        None => Ok(()),
        Some(other) => Err(Problem {
            at: site(context, context.spot(other)),
            why: "the key is this wherever it is known, and the session id only where it is not".to_owned(),
            todo: "decide which of them says whose it is: keep it by this alone, and refuse calls without it; or take a handle for all, and \
                   leave this out of the key"
                .to_owned(),
        }),
    }
}

/// What calls hand to a parameter.
fn handed<'f>(flow: &'f Flow<'_>, symbol: SymbolRef) -> impl Iterator<Item = ExprRef> + 'f {
    let func = At { module: symbol.module, id: flow.program.symbol(symbol).func };
    let index = flow.program.function(func).params.iter().position(|param| param.symbol == symbol.id);
    let calls = flow.callers.get(&func).into_iter().flatten().filter(|(.., edge)| *edge == Edge::Call);
    calls.filter_map(move |(_, at, _)| match flow.program.kind(*at) {
        ExprKind::Call { args, .. } => args.get(index?).map(|arg| At { module: at.module, id: arg.value }),
        _ => None,
    })
}

/// What comes before the id in a chain of keys: `caller?.conversation ?? sessionId`.
fn preferred(flow: &Flow<'_>, key: ExprRef, left: usize) -> Option<ExprRef> {
    let left = left.checked_sub(1)?;
    let facts = flow.program.module(key.module);
    let inner = |id| At { module: key.module, id };
    match facts.kind(key.id) {
        ExprKind::Cast { value, .. } => preferred(flow, inner(*value), left),
        ExprKind::Symbol(id) => match facts.symbol(*id).init {
            Some(init) => preferred(flow, inner(init), left),
            None => handed(flow, At { module: key.module, id: *id }).find_map(|given| preferred(flow, given, left)),
        },
        ExprKind::Either { arms, choice: Choice::Coalesce, .. } => {
            let mut flat: Vec<ExprRef> = Vec::new();
            let mut pending: Vec<ExprRef> = arms.iter().rev().map(|arm| inner(*arm)).collect();
            while let Some(arm) = pending.pop() {
                match facts.kind(arm.id) {
                    ExprKind::Either { arms, choice: Choice::Coalesce, .. } => {
                        pending.extend(arms.iter().rev().map(|arm| inner(*arm)));
                    }
                    _ => flat.push(arm),
                }
            }
            let id = flat.iter().position(|arm| flow.is_id(*arm))?;
            let plain = |arm: &&ExprRef| {
                let mut at = arm.id;
                while let ExprKind::Cast { value, .. } = facts.kind(at) {
                    at = *value;
                }
                matches!(facts.kind(at), ExprKind::Member { .. } | ExprKind::Call { .. })
            };
            flat[..id].iter().find(plain).copied()
        }
        _ => None,
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
