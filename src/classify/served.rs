//! Objects of the program that answer the HTTP requests of a session: transports of one's own.

use super::stores::Analysis;
use crate::model::facts::{Arg, ExprKind};
use crate::model::flow::value::ObjId;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Role;

/// Whether the requests themselves are handed to one of the objects, outside of tools, and what it makes of them is the answer.
pub fn answer_requests(analysis: &Analysis<'_>, objects: &[ObjId]) -> bool {
    let flow = &analysis.flow;
    let own = |id: &ObjId| flow.object(*id).class.is_some() && flow.object(*id).role.is_none();
    if !objects.iter().any(own) {
        return false;
    }
    flow.program.exprs_of([Sort::Call]).any(|at| {
        let ExprKind::Call { callee, args } = flow.program.kind(at) else { return false };
        let ExprKind::Member { object, .. } = flow.program.module(at.module).kind(*callee) else { return false };
        !args.is_empty()
            && flow.objects_at(At { module: at.module, id: *object }).any(|id| objects.contains(&id) && own(&id))
            && is_given_request(analysis, at, args)
            && !analysis.lives.handler_reach.contains(&flow.program.func_of(at))
    })
}

/// Whether a call is given a request with the response to write to, all of an ASGI application's parameters, or a request whose response
/// it returns.
fn is_given_request(analysis: &Analysis<'_>, call: ExprRef, args: &[Arg]) -> bool {
    let flow = &analysis.flow;
    let given = |role| args.iter().any(|arg| flow.plays(At { module: call.module, id: arg.value }, role));
    (given(Role::Request) && (given(Role::Response) || is_returned(analysis, call)))
        || (given(Role::RequestScope) && args.len() >= 3)
}

/// Whether the result of a call is what its function returns.
fn is_returned(analysis: &Analysis<'_>, call: ExprRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(call.module);
    let returns = |at: ExprRef| {
        let parent = facts.expr(flow.outermost(at).id).parent;
        parent.is_some_and(|parent| matches!(facts.kind(parent), ExprKind::Return(_)))
    };
    if returns(call) {
        return true;
    }
    let whole = flow.outermost(call).id;
    let Some(parent) = facts.expr(whole).parent else { return false };
    match facts.kind(parent) {
        ExprKind::Assign { target, value, .. } if *value == whole => {
            let kept = flow.symbol_at(At { module: call.module, id: *target });
            kept.is_some_and(|symbol| flow.uses(symbol).any(returns))
        }
        _ => false,
    }
}
