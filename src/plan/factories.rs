//! Whether the function that builds a server may run for each request: what it makes besides would be made anew, and lost.

use super::{Manual, site};
use crate::model::facts::{ExprKind, Span, TOP};
use crate::model::lives::reach;
use crate::model::program::{ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role};
use crate::rules::detect::{Context, Spot};
use crate::rules::{process_lifetime_state, session_transport_setup};

/// What keeps a server's factory from running for each request. `origin` is the construction of the server, `served` the function that
/// uses it: what they share is no factory.
pub(super) fn obstacle(context: &Context<'_, '_>, origin: ExprRef, served: FuncRef) -> Option<Manual> {
    let program = context.analysis.flow.program;
    let func = program.func_of(origin);
    if func.id == TOP || program.within(served, func) {
        return None;
    }
    state(context, func).or_else(|| costly(context, func))
}

/// State that the factory makes and handlers change: so far it lived as long as the process.
fn state(context: &Context<'_, '_>, func: FuncRef) -> Option<Manual> {
    let spans = spans(context, func);
    let kept = context.analysis.process.iter().find(|lasting| {
        lasting.holder.module == func.module && spans.iter().any(|span| span.contains(lasting.holder.span))
    })?;
    let name = kept.holder.name;
    Some(Manual {
        rule: process_lifetime_state::RULE.name,
        at: site(context, Spot { module: kept.holder.module, span: kept.holder.span }),
        what: format!("`{name}` is made together with the server, and handlers change it"),
        why: "with a server for each request it would be empty in each of them".to_owned(),
        todo: vec![
            format!("give `{name}` a handle that a `create_*` tool returns and the tools take as an argument"),
            "move it out of the function, where it may be one for all clients".to_owned(),
        ],
    })
}

/// The function, or the whole class that it constructs.
fn spans(context: &Context<'_, '_>, func: FuncRef) -> Vec<Span> {
    let program = context.analysis.flow.program;
    let facts = program.function(func);
    let class = facts.class.map(|class| program.module(func.module).class(class).span);
    vec![class.unwrap_or(facts.span)]
}

/// Connections, processes and timers: made once so far.
fn costly(context: &Context<'_, '_>, func: FuncRef) -> Option<Manual> {
    let flow = &context.analysis.flow;
    let reached = reach(flow, func);
    let found = flow.program.exprs().find(|at| {
        reached.contains(&flow.program.func_of(*at))
            && match flow.program.kind(*at) {
                ExprKind::New { .. } => makes_something_lasting(context, *at),
                ExprKind::Call { .. } => {
                    makes_something_lasting(context, *at)
                        || flow.performed(*at).iter().any(|performed| {
                            matches!(performed.op, Op::StartTimer | Op::Spawn | Op::ConnectClient | Op::Serve)
                        })
                }
                _ => false,
            }
    })?;
    let name = flow.callee_name(found).map_or("this", |name| name.text());
    Some(Manual {
        rule: session_transport_setup::RULE.name,
        at: site(context, context.call_spot(found)),
        what: format!("`{name}` is called where the server is built"),
        why: "with a server for each request it would be done in each of them, and nobody would undo it".to_owned(),
        todo: vec!["do it once, outside of the function that builds the server, and hand the result in".to_owned()],
    })
}

fn makes_something_lasting(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let roles = [
        Role::Database,
        Role::External,
        Role::Client,
        Role::ChildProcess,
        Role::Cache,
        Role::HttpServer,
        Role::Limiter,
        Role::Timer,
    ];
    flow.objects_at(at).any(|id| {
        let object = flow.object(id);
        let here = matches!(object.site, crate::model::flow::value::Site::Expr(site) if site == at);
        here && object.role.is_some_and(|role| roles.contains(&role))
    })
}
