//! What a session has spent, against a cap: each call adds what it was asked for, and is refused above the bound.

use super::access::{Keyed, Kind};
use super::guards::refuses;
use super::stores::Analysis;
use crate::model::facts::{ExprId, ExprKind, SymbolId};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef};

/// Whether a table of numbers is a cap on what calls spend: what is written comes from an argument, and a call that would bring it
/// above a bound is refused. A count of calls is no such thing, and what a call takes out of a balance neither.
pub fn is_capped(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    let by_tools = |at: ExprRef| analysis.lives.handler_reach.contains(&analysis.flow.program.func_of(at));
    let writes = keyed.accesses.iter().filter(|access| access.kind == Kind::Write && by_tools(access.at));
    let adds = writes.filter_map(|access| access.value).any(|value| {
        analysis.flow.objects_at(value).next().is_none()
            && !is_argument(analysis, value)
            && has_argument(analysis, value)
    });
    adds && keyed
        .accesses
        .iter()
        .filter(|access| access.kind == Kind::Read && by_tools(access.at))
        .any(|access| is_bounded(analysis, access.at))
}

fn is_argument(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    analysis.flow.at(at).iter().any(|value| matches!(value, Value::Argument(_)))
}

/// Whether something that a call passed is part of an expression.
fn has_argument(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let mut inner = analysis.flow.exprs_within(at.module, facts.expr(at.id).span);
    inner.any(|id| is_argument(analysis, At { module: at.module, id }))
}

/// Whether a call is refused where what was read, or a variable that it went to, is above something that no call passed.
pub(super) fn is_bounded(analysis: &Analysis<'_>, read: ExprRef) -> bool {
    let kept = kept_in(analysis, read).map(|id| At { module: read.module, id });
    let used = kept.into_iter().flat_map(|kept| analysis.flow.uses(kept));
    std::iter::once(read).chain(used).any(|at| is_refused_above(analysis, at))
}

/// Whether a call is refused where a value is above something that no call passed.
fn is_refused_above(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(at.module);
    let span = facts.expr(at.id).span;
    let is_above = |id: ExprId| {
        let ExprKind::Compare { operator, left, right } = facts.kind(id) else { return false };
        let (above, bound) = match operator.text() {
            ">" | ">=" => (*left, *right),
            "<" | "<=" => (*right, *left),
            _ => return false,
        };
        facts.expr(above).span.contains(span) && !has_argument(analysis, At { module: at.module, id: bound })
    };
    flow.branches_about(at).any(|branch| {
        let condition = facts.expr(branch.condition).span;
        condition.contains(span)
            && refuses(analysis, at.module, branch)
            && flow.exprs_within(at.module, condition).any(is_above)
    })
}

/// The variable that what was read is kept in.
fn kept_in(analysis: &Analysis<'_>, read: ExprRef) -> Option<SymbolId> {
    let facts = analysis.flow.program.module(read.module);
    let outermost = analysis.flow.outermost(read);
    let parent = facts.expr(outermost.id).parent?;
    match facts.kind(parent) {
        ExprKind::Assign { target, value, .. } if *value == outermost.id => match facts.kind(*target) {
            ExprKind::Symbol(symbol) => Some(*symbol),
            _ => None,
        },
        _ => None,
    }
}
