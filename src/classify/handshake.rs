//! What hangs on the handshake beside the SDK's getters: fields that it fills, and hooks that run with it or after it.

use super::stores::Analysis;
use crate::model::facts::{ExprKind, FuncKind, Language, Span};
use crate::model::flow::value::Value;
use crate::model::flow::{Registered, Root};
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Role;

/// `ctx.session.client_params`.
pub(super) fn reads(analysis: &Analysis<'_>) -> Vec<ExprRef> {
    let flow = &analysis.flow;
    let reads = |at: &ExprRef| match flow.program.kind(*at) {
        ExprKind::Member { object, name } => {
            *name == "client_params" && flow.plays(At { module: at.module, id: *object }, Role::SessionObject)
        }
        _ => false,
    };
    flow.program.exprs_of([Sort::Member]).filter(reads).collect()
}

/// Hooks that run with the handshake or after it, each as a module and the bytes of what names it.
pub(super) fn hooks(analysis: &Analysis<'_>) -> Vec<(u32, Span)> {
    let mut out: Vec<(u32, Span)> = assigned(analysis).chain(registered(analysis)).chain(methods(analysis)).collect();
    out.sort_unstable();
    out
}

/// `server.oninitialized = …`.
fn assigned<'a>(analysis: &'a Analysis<'_>) -> impl Iterator<Item = (u32, Span)> + 'a {
    let flow = &analysis.flow;
    flow.program.exprs_of([Sort::Assign]).filter_map(move |at| {
        let ExprKind::Assign { target, value, .. } = flow.program.kind(at) else { return None };
        let facts = flow.program.module(at.module);
        let ExprKind::Member { object, name } = facts.kind(*target) else { return None };
        let taken_off = matches!(facts.kind(*value), ExprKind::Absent);
        let hook = *name == "oninitialized" && flow.plays(At { module: at.module, id: *object }, Role::Server);
        (hook && !taken_off).then(|| (at.module, facts.expr(*target).span))
    })
}

/// `server.setNotificationHandler(InitializedNotificationSchema, …)`.
fn registered<'a>(analysis: &'a Analysis<'_>) -> impl Iterator<Item = (u32, Span)> + 'a {
    let flow = &analysis.flow;
    let names_it = |name: &str| matches!(name, "InitializedNotificationSchema" | "notifications/initialized");
    flow.registrations.iter().filter_map(move |(at, registration)| {
        let handles = registration.what == Registered::Method && registration.name.is_some_and(|n| names_it(n.text()));
        let ExprKind::Call { callee, .. } = flow.program.kind(*at) else { return None };
        handles.then(|| (at.module, flow.program.module(at.module).expr(*callee).span))
    })
}

/// `async fn on_initialized` of a handler (Rust), `on_initialize` of a middleware (Python).
fn methods<'a>(analysis: &'a Analysis<'_>) -> impl Iterator<Item = (u32, Span)> + 'a {
    let flow = &analysis.flow;
    flow.program.functions().filter_map(move |func| {
        let facts = flow.program.module(func.module);
        let function = facts.function(func.id);
        let name = function.name?;
        let hook = match facts.language {
            Language::Rust => {
                name == "on_initialized"
                    && flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::SessionStart))
            }
            Language::Python => {
                name == "on_initialize"
                    && function.kind == FuncKind::Method
                    && function.class.is_some_and(|class| {
                        let of_sdk =
                            |value: &Value| matches!(value, Value::External(package, _) if *package == "fastmcp");
                        let bases = &facts.class(class).bases;
                        bases.iter().any(|base| flow.at(At { module: func.module, id: *base }).iter().any(of_sdk))
                    })
            }
            Language::TypeScript | Language::JavaScript => false,
        };
        hook.then_some((func.module, function.name_span))
    })
}
