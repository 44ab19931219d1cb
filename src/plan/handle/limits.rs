//! Windows of limiters: lists of times, by which calls are let through. As handles, the caller could reset its own limit.

use crate::classify::access::Kind;
use crate::classify::stores::Found;
use crate::model::facts::ExprKind;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::rules::detect::Context;

/// Whether a store keeps lists of times that are compared with the clock: code that reads it puts the present time into a list, and
/// takes out, or counts, what is older than a while.
pub fn keeps_times(context: &Context<'_, '_>, found: &Found) -> bool {
    if found.fields.iter().any(|(name, readers, writers)| is_window(context, *name, readers.iter().chain(writers))) {
        return true;
    }
    let numbers = ["number[]", "Array<number>", "Date[]", "Array<Date>"];
    if found.value.as_deref().is_some_and(|value| !numbers.contains(&value.trim())) {
        return false;
    }
    let program = context.analysis.flow.program;
    let mut funcs: Vec<FuncRef> = found.uses.iter().map(|access| access.func).collect();
    funcs.sort_unstable();
    funcs.dedup();
    funcs.iter().any(|func| {
        let facts = program.module(func.module);
        let own = |id: &_| program.within(At { module: func.module, id: facts.expr(*id).func }, *func);
        let inside = || facts.expr_ids().filter(own).map(|id| At { module: func.module, id });
        inside().any(|at| puts_time(context, at)) && inside().any(|at| looks_back(context, at))
    })
}

/// Whether a store keeps nothing but the time at which each session was used last: all that is ever written is the present time.
pub fn keeps_last_use(context: &Context<'_, '_>, found: &Found) -> bool {
    let mut writes =
        found.uses.iter().filter(|access| matches!(access.kind, Kind::Write | Kind::GetOrCreate)).peekable();
    writes.peek().is_some() && writes.all(|access| access.value.is_some_and(|value| is_time(context, value)))
}

/// Whether a field of the records is such a list: `entry.calls.push(now)` beside `entry.calls.filter(…)`.
fn is_window<'e>(context: &Context<'_, '_>, name: Name, places: impl Iterator<Item = &'e ExprRef>) -> bool {
    let program = context.analysis.flow.program;
    let mut funcs: Vec<FuncRef> = places.map(|at| program.func_of(*at)).collect();
    funcs.sort_unstable();
    funcs.dedup();
    funcs.iter().any(|func| {
        let facts = program.module(func.module);
        let own = |id: &_| program.within(At { module: func.module, id: facts.expr(*id).func }, *func);
        let of_field = |at: &ExprRef| {
            let ExprKind::Call { callee, .. } = facts.kind(at.id) else { return false };
            let ExprKind::Member { object, .. } = facts.kind(*callee) else { return false };
            matches!(facts.kind(*object), ExprKind::Member { name: field, .. } if *field == name)
        };
        let inside = || facts.expr_ids().filter(own).map(|id| At { module: func.module, id }).filter(of_field);
        inside().any(|at| puts_time(context, at)) && inside().any(|at| looks_back(context, at))
    })
}

/// `list.push(Date.now())`.
fn puts_time(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let facts = context.analysis.flow.program.module(at.module);
    let ExprKind::Call { callee, args } = facts.kind(at.id) else { return false };
    let ExprKind::Member { name, .. } = facts.kind(*callee) else { return false };
    matches!(name.text(), "push" | "unshift")
        && args.first().is_some_and(|arg| is_time(context, At { module: at.module, id: arg.value }))
}

/// `list.filter(…)`, `list.shift()`, `list.splice(…)`: what is old goes.
fn looks_back(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let facts = context.analysis.flow.program.module(at.module);
    let ExprKind::Call { callee, .. } = facts.kind(at.id) else { return false };
    matches!(facts.kind(*callee), ExprKind::Member { name, .. } if matches!(name.text(), "filter" | "shift" | "splice" | "findIndex"))
}

/// `Date.now()`, `new Date()`, or a variable that was given one.
pub(in crate::plan) fn is_time(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    match facts.kind(at.id) {
        ExprKind::Call { .. } => flow.callee_name(at).is_some_and(|name| name == "now"),
        ExprKind::New { .. } => flow.callee_name(at).is_some_and(|name| name == "Date"),
        ExprKind::Symbol(symbol) => facts.expr_ids().any(|id| match facts.kind(id) {
            ExprKind::Assign { target, value, .. } => {
                let same = matches!(facts.kind(*target), ExprKind::Symbol(known) if known == symbol);
                let made = matches!(facts.kind(*value), ExprKind::Call { .. } | ExprKind::New { .. });
                same && made && is_time(context, At { module: at.module, id: *value })
            }
            _ => false,
        }),
        _ => false,
    }
}
