//! State of tools that register more tools or resources: what they register belongs to the server that is gone after the call.

use super::carriers::Problem;
use crate::classify::stores::Found;
use crate::model::program::ExprRef;
use crate::plan::site;
use crate::rules::detect::Context;

/// Refuses state whose tools change what their server lists.
pub(super) fn check(context: &Context<'_, '_>, found: &Found) -> Result<(), Problem> {
    match registered_beside(context, found) {
        None => Ok(()),
        Some(at) => Err(Problem {
            at: site(context, context.spot(at)),
            why: "tools that use it register more on their server, which lives no longer than the call".to_owned(),
            todo: "list everything always, out of what is kept for all calls; then decide what this is to be named by"
                .to_owned(),
        }),
    }
}

/// Where a handler that uses the state registers something.
fn registered_beside(context: &Context<'_, '_>, found: &Found) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    let handlers_at = |at: &ExprRef| context.analysis.lives.handlers_of.get(&flow.program.func_of(*at));
    let places = found.uses.iter().map(|access| &access.at).chain(&found.writers);
    let users: Vec<_> = places.filter_map(handlers_at).flatten().collect();
    let registers = context.signals.list_changes.iter().filter(|at| flow.registrations.contains_key(at));
    registers.filter(|at| handlers_at(at).into_iter().flatten().any(|handler| users.contains(&handler))).copied().next()
}
