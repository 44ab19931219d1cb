//! What a session has spent, against a cap: each call adds what it was asked for, and is refused above the bound.

use super::access::{Keyed, Kind};
use super::guards::refuses;
use super::stores::Analysis;
use crate::model::facts::{ExprId, ExprKind, Span, SymbolId};
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
    within(analysis, at.module, facts.expr(at.id).span).any(|id| is_argument(analysis, At { module: at.module, id }))
}

fn within<'a>(analysis: &'a Analysis<'_>, module: u32, span: Span) -> impl Iterator<Item = ExprId> + 'a {
    let facts = analysis.flow.program.module(module);
    facts.expr_ids().filter(move |id| span.contains(facts.expr(*id).span))
}

/// Whether a call is refused where what was read, or a variable that it went to, is above something that no call passed.
pub(super) fn is_bounded(analysis: &Analysis<'_>, read: ExprRef) -> bool {
    let facts = analysis.flow.program.module(read.module);
    let kept = kept_in(analysis, read);
    let is_read = |id: ExprId| {
        id == read.id || kept.is_some_and(|kept| matches!(facts.kind(id), ExprKind::Symbol(used) if *used == kept))
    };
    facts.branches.iter().filter(|branch| refuses(analysis, read.module, branch)).any(|branch| {
        let condition = facts.expr(branch.condition).span;
        within(analysis, read.module, condition).any(|id| {
            let ExprKind::Compare { operator, left, right } = facts.kind(id) else { return false };
            let (above, bound) = match operator.text() {
                ">" | ">=" => (*left, *right),
                "<" | "<=" => (*right, *left),
                _ => return false,
            };
            within(analysis, read.module, facts.expr(above).span).any(is_read)
                && !has_argument(analysis, At { module: read.module, id: bound })
        })
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
