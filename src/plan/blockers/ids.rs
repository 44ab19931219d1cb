//! Session ids that a tool still uses. What a store keeps is the store's own affair; whatever else is done with an id, and is neither a
//! log line nor handed on to code that is looked at as well, would silently change its meaning.

use rustc_hash::FxHashSet;

use super::Blockers;
use crate::classify::answer::Holds;
use crate::classify::stores::Found;
use crate::model::facts::ExprKind;
use crate::model::flow::Edge;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::plan::loggers::is_told;
use crate::plan::{Step, site};
use crate::rules::detect::Context;
use crate::rules::session_keyed_state;

pub(super) fn look(context: &Context<'_, '_>, steps: &[Step], out: &mut Blockers) {
    // Steps take the ids away that their stores used; what is left shows on their result.
    if !steps.is_empty() {
        return;
    }
    let before = out.manual.len();
    let accesses: FxHashSet<ExprRef> =
        context.stores().flat_map(|found| found.uses.iter().map(|access| access.at)).collect();
    let keyed = leading_to_state(context);
    let mut asked = false;
    let program = context.analysis.flow.program;
    for at in program.exprs().filter(|at| context.here(*at) && context.analysis.flow.is_id(*at)) {
        if !is_of_tool(context, at) || !matters(context, at, &accesses) {
            continue;
        }
        if only_asks(context, at, &keyed) {
            asked = true;
            continue;
        }
        out.block(
            session_keyed_state::RULE.name,
            site(context, context.spot(at)),
            format!("the session id is used here{}", context.whereabouts(at)),
            "without a session it is absent, and what the tool does with it is not understood well enough to take it away",
            &["name what it stands for by an argument of the tool, or take it out; then run this again"],
        );
    }
    if out.manual.len() == before && !asked {
        out.hold("no tool uses a session id but for log lines and for what a step takes away");
    }
}

/// Whether an id may be that of a tool's call. What routes and tools call alike (a logger) is handed the ids of both, and those of the
/// routes are no tool's.
fn is_of_tool(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let (flow, reach) = (&context.analysis.flow, &context.analysis.lives.handler_reach);
    let func = flow.program.func_of(at);
    let by_tools = |func: FuncRef| {
        let mut callers = flow.callers.get(&func).into_iter().flatten();
        callers.all(|(caller, ..)| reach.contains(caller))
    };
    reach.contains(&func)
        && (by_tools(func) || flow.ids_at(at).any(|source| reach.contains(&flow.program.func_of(source.at))))
}

/// Whether an id ends here in a use that counts.
fn matters(context: &Context<'_, '_>, at: ExprRef, accesses: &FxHashSet<ExprRef>) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    let Some(parent) = facts.expr(at.id).parent else { return false };
    let above = At { module: at.module, id: parent };
    if accesses.contains(&above) || is_told(&context.analysis.flow, at) {
        return false;
    }
    match facts.kind(parent) {
        // The whole is looked at in its turn, as an id of its own.
        _ if flow.is_id(above) => false,
        ExprKind::Assign { target, .. } => *target != at.id && !is_plain_target(facts.kind(*target)),
        ExprKind::Return(_) | ExprKind::Cast { .. } => false,
        ExprKind::Call { callee, args } | ExprKind::New { callee, args } => {
            let handed_on = args.iter().any(|arg| arg.value == at.id) && !flow.callees(above).is_empty();
            *callee != at.id && !handed_on
        }
        _ => true,
    }
}

/// Functions that use the state of a session by its id, or hand the id on to such.
fn leading_to_state(context: &Context<'_, '_>) -> FxHashSet<FuncRef> {
    let flow = &context.analysis.flow;
    let settled = |found: &&Found| matches!(found.holds, Holds::AppState | Holds::Guard | Holds::Auth);
    let mut left: Vec<FuncRef> =
        context.stores().filter(settled).flat_map(|found| found.uses.iter().map(|access| access.func)).collect();
    let mut found: FxHashSet<FuncRef> = FxHashSet::default();
    while let Some(func) = left.pop() {
        if !found.insert(func) {
            continue;
        }
        for (caller, call, edge) in flow.callers.get(&func).into_iter().flatten() {
            let ExprKind::Call { args, .. } = flow.program.kind(*call) else { continue };
            let handed = args.iter().any(|arg| flow.is_id(At { module: call.module, id: arg.value }));
            if *edge == Edge::Call && handed {
                left.push(*caller);
            }
        }
    }
    found
}

/// Whether a use only asks whether there is an id, in code that goes on to the state of the session: what becomes of that settles it.
fn only_asks(context: &Context<'_, '_>, at: ExprRef, keyed: &FxHashSet<FuncRef>) -> bool {
    let flow = &context.analysis.flow;
    let func = flow.program.func_of(at);
    if !keyed.iter().any(|own| flow.program.within(*own, func)) {
        return false;
    }
    let facts = flow.program.module(at.module);
    let parent = facts.expr(at.id).parent.map(|parent| facts.kind(parent));
    let asks = match parent {
        Some(ExprKind::Opaque(parts)) => parts.len() == 1,
        Some(ExprKind::Compare { left, right, .. }) => [left, right]
            .iter()
            .any(|side| matches!(facts.kind(**side), ExprKind::Absent | ExprKind::Text(_) | ExprKind::Literal)),
        Some(ExprKind::Either { condition, .. }) => *condition == Some(at.id),
        _ => false,
    };
    asks || flow.branches_about(at).any(|branch| branch.condition == at.id)
}

/// A variable: where it is used is looked at as well.
fn is_plain_target(target: &ExprKind) -> bool {
    matches!(target, ExprKind::Symbol(_))
}
