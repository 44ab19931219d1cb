//! The routes that lead to a transport.

use rustc_hash::FxHashSet;

use crate::model::facts::{Exported, ExprId, ExprKind, FuncKind, Key, TOP};
use crate::model::flow::value::Value;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::reach::reach;
use crate::model::vocabulary::{Op, Role};
use crate::plan::Site;
use crate::rules::detect::Context;

use super::Route;

/// Methods by the name of the call that registers for them.
const METHODS: &[&str] = &["get", "post", "put", "delete", "patch", "options", "head"];

/// Collects the routes of a package.
pub fn collect(context: &Context<'_, '_>) -> Vec<Route> {
    let mut out = of(context, &serving(context, Role::Transport));
    let paths: Vec<(String, Name)> =
        out.iter().filter_map(|route| Some((route.at.path.clone(), path_at(context, &route.at)?))).collect();
    // What answers the other methods of such a path without its transport: it ends a session, say.
    let beside = of(context, &keeping(context));
    out.extend(beside.into_iter().filter(|route| {
        let ends =
            !route.methods.is_empty() && route.methods.iter().all(|method| matches!(method.as_str(), "get" | "delete"));
        ends && path_at(context, &route.at).is_some_and(|path| paths.contains(&(route.at.path.clone(), path)))
    }));
    out.sort_by(|a, b| (&a.at.path, a.at.span).cmp(&(&b.at.path, b.at.span)));
    out.dedup_by(|a, b| a.at == b.at);
    behind_post(context, &mut out);
    alone_here(context, &mut out);
    out
}

/// Keeps the hooks that no other registration names.
fn alone_here(context: &Context<'_, '_>, routes: &mut [Route]) {
    let flow = &context.analysis.flow;
    let hooks: FxHashSet<Site> = routes.iter().flat_map(|route| route.hooks.iter().cloned()).collect();
    if hooks.is_empty() {
        return;
    }
    let mut elsewhere = FxHashSet::default();
    for at in flow.program.exprs() {
        let facts = flow.program.module(at.module);
        let names = match facts.kind(at.id) {
            // Its declaration is no use of it.
            ExprKind::Symbol(symbol) => facts.symbol(*symbol).span != facts.expr(at.id).span,
            ExprKind::Member { .. } => true,
            _ => false,
        };
        let here = place(context, at);
        if names && !routes.iter().any(|route| route.at.path == here.path && route.at.span.contains(here.span)) {
            elsewhere.extend(flow.functions_at(at).map(|func| func_site(context, func)));
        }
    }
    for route in routes {
        route.hooks.retain(|hook| !elsewhere.contains(hook));
    }
}

/// A route of all methods that stands behind one for POST of the same path gets what is left: GET and DELETE.
fn behind_post(context: &Context<'_, '_>, routes: &mut [Route]) {
    let mut posts: Vec<(String, Option<Name>, Name)> = Vec::new();
    for route in routes {
        let Some(path) = path_at(context, &route.at) else { continue };
        let own = (route.at.path.clone(), application(context, &route.at), path);
        if own.1.is_none() {
            continue;
        }
        if route.methods == ["post"] && !route.handlers.iter().any(|handler| hands_on(context, handler)) {
            posts.push(own);
        } else if route.methods.is_empty() && posts.contains(&own) {
            route.methods = vec!["get".to_owned(), "delete".to_owned()];
        }
    }
}

/// The variable of what a route is registered with.
fn application(context: &Context<'_, '_>, at: &Site) -> Option<Name> {
    let program = context.analysis.flow.program;
    let facts = program.modules.iter().find(|module| module.path == at.path)?;
    let call = facts
        .expr_ids()
        .find(|id| facts.expr(*id).span == at.span && matches!(facts.kind(*id), ExprKind::Call { .. }))?;
    let ExprKind::Call { callee, .. } = facts.kind(call) else { return None };
    let ExprKind::Member { object, .. } = facts.kind(*callee) else { return None };
    let ExprKind::Symbol(symbol) = facts.kind(*object) else { return None };
    Some(facts.symbol(*symbol).name)
}

/// Whether a handler may leave the request to the next one.
fn hands_on(context: &Context<'_, '_>, handler: &Site) -> bool {
    let program = context.analysis.flow.program;
    let found = program.functions().find(|func| func_site(context, *func) == *handler);
    found.is_none_or(|func| program.function(func).params.len() > 2)
}

/// The path that a registration is for.
fn path_at(context: &Context<'_, '_>, at: &Site) -> Option<Name> {
    let program = context.analysis.flow.program;
    let module = program.modules.iter().position(|module| module.path == at.path)? as u32;
    let facts = program.module(module);
    let call = facts
        .expr_ids()
        .find(|id| facts.expr(*id).span == at.span && matches!(facts.kind(*id), ExprKind::Call { .. }))?;
    let path = context.analysis.flow.argument(At { module, id: call }, 0)?;
    context.analysis.flow.at(path).iter().find_map(|value| match value {
        Value::Text(text) => Some(*text),
        _ => None,
    })
}

/// Functions in whose own code a table of transports is used.
fn keeping(context: &Context<'_, '_>) -> FxHashSet<FuncRef> {
    let kept = context.stores().filter(|found| found.with_transport);
    kept.flat_map(|found| &found.uses).map(|access| access.func).filter(|func| func.id != TOP).collect()
}

/// Collects the routes that lead to transports of the HTTP+SSE kind alone.
pub fn collect_sse(context: &Context<'_, '_>) -> Vec<Route> {
    let main: Vec<Site> = collect(context).into_iter().map(|route| route.at).collect();
    let mut out = of(context, &serving(context, Role::SseTransport));
    out.retain(|route| !main.contains(&route.at));
    out
}

/// Files that are programs of their own for the HTTP+SSE transport alone: they make the application on which they put its routes, and
/// share no table of sessions with others.
pub fn sse_programs(context: &Context<'_, '_>, main: &[Route], sse: &[Route]) -> Vec<String> {
    let program = context.analysis.flow.program;
    let own = |module: u32| {
        let path = &program.module(module).path;
        let streamable = context.transports().any(|site| !site.sse && site.at.module == module);
        let mut tables = context.stores().filter(|found| found.with_transport);
        let shared = tables.any(|found| {
            let here = found.holder.module == module;
            found.uses.iter().any(|access| (access.at.module == module) != here)
        });
        let mut routes = sse.iter().filter(|route| route.at.path == *path).peekable();
        routes.peek().is_some()
            && !streamable
            && !shared
            && main.iter().filter(|route| route.at.path == *path).all(|route| posts_message(context, module, route))
            && routes.all(|route| makes_application(context, module, route))
    };
    let modules = (0..context.modules.len() as u32).filter(|module| context.modules[*module as usize]);
    modules.filter(|module| own(*module)).map(|module| program.module(module).path.clone()).collect()
}

/// Whether a registration hands what comes in to a transport of the HTTP+SSE kind.
fn posts_message(context: &Context<'_, '_>, module: u32, route: &Route) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(module);
    let within = facts.expr_ids().filter(|id| route.at.span.contains(facts.expr(*id).span));
    let mut calls = within.filter(|id| matches!(facts.kind(*id), ExprKind::Call { .. }));
    calls.any(|id| flow.callee_name(At { module, id }).is_some_and(|name| name == "handlePostMessage"))
}

/// Whether the application of a registration is a variable that a call in the same file fills, and serves itself: what is exported,
/// another file mounts.
fn makes_application(context: &Context<'_, '_>, module: u32, route: &Route) -> bool {
    let facts = context.analysis.flow.program.module(module);
    facts.expr_ids().filter(|id| facts.expr(*id).span == route.at.span).any(|id| {
        let ExprKind::Call { callee, .. } = facts.kind(id) else { return false };
        let ExprKind::Member { object, .. } = facts.kind(*callee) else { return false };
        let ExprKind::Symbol(app) = facts.kind(*object) else { return false };
        let listens = || {
            let mut calls = facts.expr_ids().filter(|id| matches!(facts.kind(*id), ExprKind::Call { .. }));
            calls.any(|id| context.analysis.flow.callee_name(At { module, id }).is_some_and(|name| name == "listen"))
        };
        let exported =
            facts.exports.iter().any(|export| matches!(export.what, Exported::Local(symbol) if symbol == *app));
        facts.symbol(*app).init.is_some_and(|init| matches!(facts.kind(init), ExprKind::Call { .. }))
            && (!exported || listens())
    })
}

fn of(context: &Context<'_, '_>, serving: &FxHashSet<FuncRef>) -> Vec<Route> {
    let flow = &context.analysis.flow;
    let mut out = Vec::new();
    let mut routed = FxHashSet::default();
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::Call { args, .. } = flow.program.kind(at) else { continue };
        let performed = flow.performed(at);
        let registers =
            performed.iter().find(|performed| matches!(performed.op, Op::Route | Op::RouteObject | Op::Serve));
        if registers.is_none() && !named_like_route(context, at) {
            continue;
        }
        let mut handlers: Vec<FuncRef> =
            args.iter().flat_map(|arg| serving_in(context, At { module: at.module, id: arg.value }, serving)).collect();
        handlers.sort_unstable();
        handlers.dedup();
        if handlers.is_empty() {
            continue;
        }
        routed.extend(handlers.iter().copied());
        let given = args.iter().flat_map(|arg| handlers_in(context, At { module: at.module, id: arg.value }));
        let mut hooks: Vec<FuncRef> = given.filter(|func| !handlers.contains(func)).collect();
        hooks.sort_unstable();
        hooks.dedup();
        out.push(Route {
            at: place(context, at),
            methods: methods(context, at),
            handlers: handlers.into_iter().map(|func| func_site(context, func)).collect(),
            hooks: hooks.into_iter().map(|func| func_site(context, func)).collect(),
            framework: framework(
                context,
                registers.and_then(|known| known.object).map(|id| flow.object(id).external),
                registers.map_or(Op::Route, |known| known.op),
            ),
        });
    }
    out.extend(exported(context, serving, &routed));
    out.sort_by(|a, b| (&a.at.path, a.at.span).cmp(&(&b.at.path, b.at.span)));
    out
}

/// Whether a call of something unknown reads like a registration, and hands over what a request was seen to run.
fn named_like_route(context: &Context<'_, '_>, call: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let ExprKind::Call { callee, args } = flow.program.kind(call) else { return false };
    let ExprKind::Member { name, .. } = flow.program.module(call.module).kind(*callee) else { return false };
    (METHODS.contains(&name.text()) || matches!(name.text(), "all" | "use"))
        && args
            .iter()
            .flat_map(|arg| handlers_in(context, At { module: call.module, id: arg.value }))
            .any(|func| context.analysis.lives.routes.contains(&func))
}

/// Functions in whose own code a transport of a kind is made, or answers a request.
fn serving(context: &Context<'_, '_>, kind: Role) -> FxHashSet<FuncRef> {
    let flow = &context.analysis.flow;
    let made = context
        .transports()
        .filter(|site| site.sse == (kind == Role::SseTransport))
        .map(|site| flow.program.func_of(site.at));
    let mut out: FxHashSet<FuncRef> = made.filter(|func| func.id != TOP).collect();
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let name = if kind == Role::SseTransport { "handlePostMessage" } else { "handleRequest" };
        if matches!(flow.program.kind(at), ExprKind::Call { .. })
            && flow.callee_name(at).is_some_and(|called| called == name)
            && flow
                .performed(at)
                .iter()
                .any(|p| p.op == Op::HandleRequest && p.object.is_some_and(|id| flow.object(id).role == Some(kind)))
        {
            out.insert(flow.program.func_of(at));
        }
    }
    out
}

/// The functions of an argument that serve. A helper may stand between them and the route: `wrap(async (req, res) => …)`.
fn serving_in(context: &Context<'_, '_>, arg: ExprRef, serving: &FxHashSet<FuncRef>) -> Vec<FuncRef> {
    let flow = &context.analysis.flow;
    // Routes of an application that is mounted are its own.
    if flow.plays(arg, Role::Router) {
        return Vec::new();
    }
    let serves = |func: &FuncRef| reach(flow, *func).iter().any(|reached| serving.contains(reached));
    let facts = flow.program.module(arg.module);
    let written = match facts.kind(arg.id) {
        ExprKind::Symbol(symbol) => facts.symbol(*symbol).init.unwrap_or(arg.id),
        _ => arg.id,
    };
    let mut out = Vec::new();
    if let ExprKind::Call { args, .. } = facts.kind(written) {
        let given = args.iter().map(|given| At { module: arg.module, id: given.value });
        out.extend(given.flat_map(|given| flow.functions_at(given)).filter(serves));
    }
    if out.is_empty() {
        out.extend(handlers_in(context, arg).into_iter().filter(serves));
    }
    out
}

/// The functions that an argument is, or that are written in it.
fn handlers_in(context: &Context<'_, '_>, arg: ExprRef) -> Vec<FuncRef> {
    let flow = &context.analysis.flow;
    let given: Vec<FuncRef> = flow.functions_at(arg).collect();
    if !given.is_empty() {
        return given;
    }
    let facts = flow.program.module(arg.module);
    let parts: Vec<ExprId> = match facts.kind(arg.id) {
        ExprKind::Object(fields) => fields.iter().map(|field| field.value).collect(),
        ExprKind::Sequence(items) => items.clone(),
        _ => Vec::new(),
    };
    let listed = parts.into_iter().flat_map(|id| handlers_in(context, At { module: arg.module, id }));
    let mut listed: Vec<FuncRef> = listed.collect();
    if !listed.is_empty() {
        listed.sort_unstable();
        listed.dedup();
        return listed;
    }
    let span = flow.program.expr(arg).span;
    let outermost = facts.functions.iter().enumerate().filter(|(_, func)| {
        func.kind != FuncKind::Top
            && span.contains(func.span)
            && func.parent.is_none_or(|parent| !span.contains(facts.function(parent).span))
    });
    outermost.map(|(index, _)| At { module: arg.module, id: crate::model::facts::FuncId(index as u32) }).collect()
}

/// The methods of a registration, lower case; empty for all.
fn methods(context: &Context<'_, '_>, call: ExprRef) -> Vec<String> {
    let flow = &context.analysis.flow;
    let ExprKind::Call { callee, .. } = flow.program.kind(call) else { return Vec::new() };
    let facts = flow.program.module(call.module);
    let mut out: Vec<String> = match facts.kind(*callee) {
        ExprKind::Member { name, .. } => vec![name.text().to_owned()],
        ExprKind::Index { key, .. } => flow
            .at(At { module: call.module, id: *key })
            .iter()
            .filter_map(|value| match value {
                Value::Text(text) => Some(text.text().to_owned()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    out.retain(|name| METHODS.contains(&name.as_str()));
    if out.is_empty() {
        out = listed(context, call).unwrap_or_default();
        // A list with POST in it is for all that clients send, and is taken apart where it stands.
        if out.len() > 1 && out.iter().any(|name| name == "post") {
            out.clear();
        }
    }
    out.sort();
    out
}

/// The methods that a registration lists: `app.on(['GET', 'DELETE'], …)`, `app.route({ method: ['GET', 'DELETE'], … })`.
fn listed(context: &Context<'_, '_>, call: ExprRef) -> Option<Vec<String>> {
    let facts = context.analysis.flow.program.module(call.module);
    let ExprKind::Call { callee, args } = facts.kind(call.id) else { return None };
    let ExprKind::Member { name, .. } = facts.kind(*callee) else { return None };
    let first = args.first()?.value;
    let list = match facts.kind(first) {
        ExprKind::Object(fields) if name.text() == "route" => {
            fields.iter().find(|field| matches!(&field.key, Key::Name(name) if name.text() == "method"))?.value
        }
        _ if name.text() == "on" => first,
        _ => return None,
    };
    let text = |id| match facts.kind(id) {
        ExprKind::Text(text) => Some(text.text().to_ascii_lowercase()),
        _ => None,
    };
    let out: Option<Vec<String>> = match facts.kind(list) {
        ExprKind::Sequence(items) => items.iter().map(|item| text(*item)).collect(),
        _ => Some(vec![text(list)?]),
    };
    out.filter(|names| names.iter().all(|name| METHODS.contains(&name.as_str())))
}

fn framework(
    context: &Context<'_, '_>,
    external: Option<Option<(crate::model::name::Name, crate::model::name::Name)>>,
    op: Op,
) -> String {
    let known = external.flatten().map(|(package, _)| package.text().to_owned());
    match known {
        Some(package) if !package.is_empty() => package,
        _ if op == Op::Serve => "http".to_owned(),
        _ => imported_framework(context),
    }
}

/// The only web framework that the package imports.
fn imported_framework(context: &Context<'_, '_>) -> String {
    let known = ["express", "hono", "fastify"];
    let flow = &context.analysis.flow;
    let modules = flow.program.modules.iter().zip(context.modules).filter(|(_, ours)| **ours);
    let sources = modules.flat_map(|(module, _)| &module.imports).map(|import| import.source.text());
    let mut found: Vec<&str> = known.into_iter().filter(|name| sources.clone().any(|source| source == *name)).collect();
    match found.len() {
        1 => found.remove(0).to_owned(),
        _ => String::new(),
    }
}

/// Functions that a framework finds by their exported names: `export async function POST(request)`.
fn exported(context: &Context<'_, '_>, serving: &FxHashSet<FuncRef>, routed: &FxHashSet<FuncRef>) -> Vec<Route> {
    let flow = &context.analysis.flow;
    let mut out = Vec::new();
    for func in flow.program.functions().filter(|func| context.modules[func.module as usize]) {
        let facts = flow.program.function(func);
        let Some(name) = facts.name else { continue };
        let method = name.text().to_ascii_lowercase();
        if routed.contains(&func)
            || name.text() != method.to_ascii_uppercase()
            || !METHODS.contains(&method.as_str())
            || !reach(flow, func).iter().any(|reached| serving.contains(reached))
        {
            continue;
        }
        let at = func_site(context, func);
        out.push(Route {
            at: at.clone(),
            methods: vec![method],
            handlers: vec![at],
            hooks: Vec::new(),
            framework: String::new(),
        });
    }
    out
}

/// The place of an expression.
pub fn place(context: &Context<'_, '_>, at: ExprRef) -> Site {
    crate::plan::site(context, context.spot(at))
}

/// The place of a function.
pub fn func_site(context: &Context<'_, '_>, func: FuncRef) -> Site {
    let program = context.analysis.flow.program;
    Site { path: program.module(func.module).path.clone(), span: program.function(func).span }
}
