//! Whether the function that builds a server may run for each request: what it makes besides would be made anew, and lost.

use super::{Manual, site};
use crate::classify::mutations::is_machinery;
use crate::model::facts::{ExprKind, TOP};
use crate::model::flow::Owner;
use crate::model::flow::value::Site as Origin;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::query::Holder;
use crate::model::reach::reach;
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
    let holder = changed(context, func)?;
    let name = holder.name;
    if is_log_level(name.text()) {
        return Some(Manual {
            rule: process_lifetime_state::RULE.name,
            at: site(context, Spot { module: holder.module, span: holder.span }),
            what: format!("`{name}` is made together with the server, and handlers change it"),
            why: "a server for each request has seen no `logging/setLevel`".to_owned(),
            cause: None,
            todo: vec![
                "on an SDK that speaks 2026-07-28 the level is in `_meta` of each request: take it from there"
                    .to_owned(),
                "else make it a setting of the process, and take `logging/setLevel` out".to_owned(),
            ],
        });
    }
    Some(Manual {
        rule: process_lifetime_state::RULE.name,
        at: site(context, Spot { module: holder.module, span: holder.span }),
        what: format!("`{name}` is made together with the server, and handlers change it"),
        why: "with a server for each request it would be empty in each of them".to_owned(),
        cause: None,
        todo: vec![
            format!("where all clients may share `{name}`, move it out of the function, and hand it in"),
            "where it belongs to one client, name it by a handle that a `create_*` tool returns; where to a user, keep it by the user; \
             where it admits or limits calls, never by a handle"
                .to_owned(),
        ],
    })
}

/// Whether a name says that it is the level from which messages are sent.
fn is_log_level(name: &str) -> bool {
    let words = crate::classify::words::words(name);
    words.last().is_some_and(|last| last == "level")
        && words.iter().any(|word| matches!(word.as_str(), "log" | "logging"))
}

/// What is made by a function, or belongs to the class that it constructs, and is changed by handlers.
fn changed(context: &Context<'_, '_>, func: FuncRef) -> Option<Holder> {
    let (flow, lives) = (&context.analysis.flow, &context.analysis.lives);
    let mutations = &context.analysis.mutations;
    let ours = |scope: FuncRef| flow.program.within(scope, func) && !lives.within_calls(scope);
    let class = flow.program.function(func).class.map(|class| At { module: func.module, id: class });
    let objects = mutations.objects.keys().copied().filter(|id| !is_machinery(flow, *id)).filter(|id| {
        let Origin::Expr(at) = flow.object(*id).site else { return false };
        let scope = flow.program.func_of(at);
        let of_class = class
            .is_some_and(|class| flow.program.function(scope).class == Some(class.id) && scope.module == class.module);
        ours(scope) || (of_class && !lives.within_calls(scope))
    });
    let variables = mutations.symbols.keys().copied().filter(|symbol| {
        let scope = At { module: symbol.module, id: flow.program.symbol(*symbol).func };
        ours(scope)
    });
    let fields = mutations.fields.keys().filter_map(|(owner, name)| {
        let facts = class.filter(|class| *owner == Owner::Class(*class))?;
        let field = flow.program.class(facts).fields.iter().find(|field| field.name == *name)?;
        Some(Holder { name: *name, module: facts.module, span: field.span, symbol: None })
    });
    // Objects of the program's own classes that it makes, and whose fields handlers change.
    let instances = mutations.fields.keys().filter_map(|(owner, _)| {
        let Owner::Class(class) = *owner else { return None };
        let at = flow.instances.get(&class)?.iter().copied().find(|at| ours(flow.program.func_of(*at)))?;
        flow.holder_of_expr(at).filter(|_| !flow.objects_at(at).any(|id| is_machinery(flow, id)))
    });
    let mut found: Vec<Holder> = objects.filter_map(|id| flow.holder(id)).collect();
    found.extend(variables.map(|symbol| flow.symbol_holder(symbol)));
    found.extend(fields);
    found.extend(instances);
    found.into_iter().min_by_key(|holder| (holder.module, holder.span))
}

/// Connections, processes and timers: made once so far.
fn costly(context: &Context<'_, '_>, func: FuncRef) -> Option<Manual> {
    let flow = &context.analysis.flow;
    let reached = reach(flow, func);
    let mut modules: Vec<u32> = reached.iter().map(|func| func.module).collect();
    modules.sort_unstable();
    modules.dedup();
    let is_reached = |at: ExprRef| reached.contains(&flow.program.func_of(at));
    let costs = |at: &ExprRef| match flow.program.kind(*at) {
        ExprKind::New { .. } => is_reached(*at) && makes_something_lasting(context, *at),
        ExprKind::Call { .. } => {
            let lasts = |op| matches!(op, Op::StartTimer | Op::Spawn | Op::ConnectClient | Op::Serve);
            is_reached(*at)
                && !waits_only(context, *at)
                && (makes_something_lasting(context, *at)
                    || flow.performed(*at).iter().any(|performed| lasts(performed.op)))
        }
        _ => false,
    };
    let of_module = |module: u32| flow.program.module(module).expr_ids().map(move |id| At { module, id });
    let found = modules.into_iter().flat_map(of_module).find(costs)?;
    let name = flow.callee_name(found).map_or("this", |name| name.text());
    Some(Manual {
        rule: session_transport_setup::RULE.name,
        at: site(context, context.call_spot(found)),
        what: format!("`{name}` is called where the server is built"),
        why: "with a server for each request it would be done in each of them, and nobody would undo it".to_owned(),
        cause: None,
        todo: vec!["do it once, outside of the function that builds the server, and hand the result in".to_owned()],
    })
}

/// Whether a timer is over with what waits for it: a pause, or the end of a call's patience.
fn waits_only(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let program = flow.program;
    if flow.callee_name(at).is_none_or(|name| name != "setTimeout") {
        return false;
    }
    let facts = program.module(at.module);
    let within = program.func_of(at).id;
    // `new Promise((resolve) => setTimeout(resolve, ms))`.
    let pauses = facts.expr_ids().any(|id| {
        let ExprKind::New { args, .. } = facts.kind(id) else { return false };
        flow.callee_name(At { module: at.module, id }).is_some_and(|name| name == "Promise")
            && args.iter().any(|arg| matches!(facts.kind(arg.value), ExprKind::Function(func) if *func == within))
    });
    // `setTimeout(() => controller.abort(), ms)`.
    let aborts = flow.argument(at, 0).is_some_and(|callback| {
        let ExprKind::Function(func) = program.kind(callback) else { return false };
        let mut calls = facts.expr_ids().filter(|id| {
            facts.expr(*id).func == *func && matches!(facts.kind(*id), ExprKind::Call { .. } | ExprKind::New { .. })
        });
        let called = |id| flow.callee_name(At { module: at.module, id });
        let first = calls.next().and_then(called);
        first.is_some_and(|name| name == "abort") && calls.next().is_none()
    });
    pauses || aborts
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
        let here = matches!(object.site, Origin::Expr(site) if site == at);
        here && object.role.is_some_and(|role| roles.contains(&role))
    })
}
