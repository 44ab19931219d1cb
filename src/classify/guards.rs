//! Guards: what is kept only to admit or refuse a later call.

use super::access::{Keyed, Kind};
use super::stores::Analysis;
use super::words;
use crate::model::facts::{Branch, ExprId, ExprKind, Module};
use crate::model::flow::value::ObjId;
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Role;

/// Whether a keyed store admits or refuses later calls.
pub(super) fn is_guard(analysis: &Analysis<'_>, keyed: &Keyed, objects: &[ObjId], name: &str) -> bool {
    let reads: Vec<ExprRef> = keyed
        .accesses
        .iter()
        .filter(|access| {
            matches!(access.kind, Kind::Read | Kind::Test) && analysis.lives.handler_reach.contains(&access.func)
        })
        .map(|access| access.at)
        .collect();
    let sets = objects.iter().any(|id| analysis.flow.object(*id).role == Some(Role::Set));
    let flags = keyed.object.is_some_and(|id| analysis.flow.object(id).role == Some(Role::Set)) || objects.is_empty();
    let gated = reads.iter().any(|at| leads_to_refusal(analysis, *at));
    (words::is_guard(name) && (gated || flags))
        || ((sets || flags) && gated && reads.iter().all(|at| only_tested(analysis, *at)))
}

/// Whether all uses of a value only ask whether something is in it.
pub(super) fn gates_only(analysis: &Analysis<'_>, uses: &[ExprRef], objects: &[ObjId]) -> bool {
    let mut gated = false;
    for at in uses {
        let facts = analysis.flow.program.module(at.module);
        let written = analysis.is_written(*at)
            || facts.expr(at.id).parent.is_some_and(|parent| {
                facts.expr(parent).parent.is_some_and(|call| {
                    objects.iter().any(|id| {
                        analysis
                            .mutations
                            .objects
                            .get(id)
                            .is_some_and(|m| m.contains(&At { module: at.module, id: call }))
                    })
                })
            });
        if written {
            continue;
        }
        if !only_tested(analysis, *at) {
            return false;
        }
        gated |= !picks_marks(analysis, *at);
    }
    gated
}

/// Whether an expression only decides which mark is shown, as on a map: `seen.has(cell) ? '+' : ' '`. That admits nobody to anything.
fn picks_marks(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let mut id = at.id;
    while let Some(parent) = facts.expr(id).parent {
        match facts.kind(parent) {
            ExprKind::Either { condition: Some(condition), arms, .. } if *condition == id => {
                return arms.iter().any(|arm| is_mark(facts, *arm)) && arms.iter().all(|arm| is_shown(facts, *arm));
            }
            ExprKind::Member { .. } | ExprKind::Call { .. } => id = parent,
            _ => return false,
        }
    }
    false
}

/// Whether an expression is a text without a word in it.
fn is_mark(facts: &Module, id: ExprId) -> bool {
    matches!(facts.kind(id), ExprKind::Text(text) if text.text().chars().count() <= 2)
}

/// Whether an expression is a mark, what stands there without one, or picks between such.
fn is_shown(facts: &Module, id: ExprId) -> bool {
    match facts.kind(id) {
        ExprKind::Either { arms, .. } => arms.iter().all(|arm| is_shown(facts, *arm)),
        ExprKind::Symbol(_) => true,
        _ => is_mark(facts, id),
    }
}

/// Whether the value of an expression is used for nothing but a condition (`!x`, `x.has(y)`, `x?.has(y)`, a comparison).
/// A fresh copy that is written back (`const seen = map.get(k) ?? new Set(); map.set(k, seen.add(x))`) is a write, not a use.
fn only_tested(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    only_tested_within(analysis, at, 3)
}

fn only_tested_within(analysis: &Analysis<'_>, at: ExprRef, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let flow = &analysis.flow;
    let facts = flow.program.module(at.module);
    let mut id = at.id;
    for _ in 0..8 {
        if flow.branches_about(At { module: at.module, id }).any(|branch| branch.condition == id) {
            return true;
        }
        let Some(parent) = facts.expr(id).parent else { return false };
        match facts.kind(parent) {
            ExprKind::Opaque(_) | ExprKind::Compare { .. } => {
                id = parent;
            }
            ExprKind::Member { name, .. } if matches!(name.text(), "has" | "includes" | "size" | "get") => id = parent,
            ExprKind::Call { .. } => id = parent,
            ExprKind::Either { arms, .. } => {
                // `?? new Set()` on the way to being written back.
                let _ = arms;
                id = parent;
            }
            ExprKind::Assign { target, value, .. } if *value == id => {
                let ExprKind::Symbol(symbol) = facts.kind(*target) else { return false };
                let symbol = At { module: at.module, id: *symbol };
                return flow.uses(symbol).filter(|used| used.id != *target).all(|used| {
                    let parent = facts.expr(used.id).parent;
                    let changed = parent.is_some_and(|p| match facts.kind(p) {
                        ExprKind::Member { name, .. } => matches!(name.text(), "add" | "push" | "set" | "delete"),
                        ExprKind::Call { .. } => true,
                        ExprKind::Assign { target, .. } => *target == used.id,
                        _ => false,
                    });
                    changed || only_tested_within(analysis, used, depth - 1)
                });
            }
            _ => return false,
        }
    }
    false
}

/// Whether a condition on the value decides that a call is refused.
fn leads_to_refusal(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let span = facts.expr(at.id).span;
    analysis
        .flow
        .branches_about(at)
        .any(|branch| facts.expr(branch.condition).span.contains(span) && refuses(analysis, at.module, branch))
}

/// Whether a branch that holds ends the call with an error.
pub(super) fn refuses(analysis: &Analysis<'_>, module: u32, branch: &Branch) -> bool {
    let facts = analysis.flow.program.module(module);
    let throws = &facts.functions[branch.func.index()].throws;
    branch.then_leaves
        && (throws.iter().any(|throw| branch.then.contains(facts.expr(*throw).span))
            || answers_error(analysis, module, branch.then))
}

/// Whether code answers a call with an error instead of throwing: `return { isError: true, … }`, by itself or through a helper.
fn answers_error(analysis: &Analysis<'_>, module: u32, span: crate::model::facts::Span) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(module);
    let error = crate::model::name::Name::new("isError");
    flow.exprs_within(module, span).any(|id| match facts.kind(id) {
        ExprKind::Return(Some(value)) => flow.objects_at(At { module, id: *value }).any(|id| flow.has_field(id, error)),
        _ => false,
    })
}
