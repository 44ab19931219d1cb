//! Tools that are registered several at a time: by a loop over a table, by a helper of the program, or by one handler of the low-level
//! server that looks them up. The function that is written for one of them is given to the SDK itself, or a function that the SDK is
//! given calls it: `tool.run(args, id)`, `fn(id, args)`, `handlers[name](args, id)`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::describe::is_tool_call;
use crate::model::facts::{ExprKind, Key, Language};
use crate::model::flow::value::{Site, Value};
use crate::model::flow::{Edge, Flow, Registered, Registration};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, Sort};
use crate::model::reach::reach;

/// What is written for one tool of several that are registered alike.
#[derive(Clone, Debug)]
pub struct Body {
    /// The function.
    pub func: FuncRef,
    /// The tool's name.
    pub name: Name,
    /// Calls of it by functions that the SDK is given, with these; none where it is given to the SDK itself.
    pub calls: Vec<(FuncRef, ExprRef)>,
    /// What it runs.
    pub reach: FxHashSet<FuncRef>,
}

/// Finds them.
pub fn find(flow: &Flow<'_>) -> Vec<Body> {
    let mut found: FxHashMap<FuncRef, Vec<(FuncRef, ExprRef)>> = FxHashMap::default();
    let shared =
        |registration: &&Registration| registration.what == Registered::Tool && !has_own_name(flow, registration);
    let mut registrations: Vec<&Registration> = flow.registrations.values().filter(shared).collect();
    registrations.sort_by_key(|registration| registration.at);
    for registration in &registrations {
        for handler in &registration.handlers {
            if registration.handlers.len() > 1 {
                found.entry(*handler).or_default();
            }
            for (callee, at, edge) in flow.edges.get(handler).into_iter().flatten() {
                let made_there = flow.program.within(flow.program.func_of(*at), *handler);
                if *edge != Edge::Callback && made_there && is_variable(flow, *at) {
                    found.entry(*callee).or_default().push((*handler, *at));
                }
            }
        }
    }
    let looked_up = looked_up(flow);
    for (callee, calls) in &looked_up {
        found.entry(*callee).or_default().extend(calls);
    }
    if found.is_empty() {
        return Vec::new();
    }
    let mut names = names(flow, &registrations, &found);
    if !looked_up.is_empty() {
        let listed = listed(flow);
        named_by_key(flow, &looked_up, &mut names);
        names.iter_mut().filter(|(func, _)| looked_up.contains_key(func)).for_each(|(_, names)| {
            names.retain(|name| listed.contains(name));
        });
    }
    let mut out: Vec<Body> = found
        .into_iter()
        .filter_map(|(func, mut calls)| {
            calls.sort_unstable();
            calls.dedup();
            let [name] = names.get(&func)?.as_slice() else { return None };
            Some(Body { func, name: *name, calls, reach: reach(flow, func) })
        })
        .collect();
    out.sort_by_key(|body| body.func);
    out
}

/// Functions that a handler of calls to tools looks up and calls, with the calls.
fn looked_up(flow: &Flow<'_>) -> FxHashMap<FuncRef, Vec<(FuncRef, ExprRef)>> {
    let mut out: FxHashMap<FuncRef, Vec<(FuncRef, ExprRef)>> = FxHashMap::default();
    let dispatches = |registration: &&Registration| {
        let module = flow.program.module(registration.at.module);
        registration.what == Registered::Method
            && matches!(module.language, Language::TypeScript | Language::JavaScript)
            && registration.name.is_some_and(|name| is_tool_call(name.text()))
    };
    for registration in flow.registrations.values().filter(dispatches) {
        for handler in &registration.handlers {
            for (callee, at, edge) in flow.edges.get(handler).into_iter().flatten() {
                if *edge != Edge::Callback && is_variable(flow, *at) {
                    out.entry(*callee).or_default().push((*handler, *at));
                }
            }
        }
    }
    out
}

/// The names of all tools that a low-level server lists.
fn listed(flow: &Flow<'_>) -> FxHashSet<Name> {
    let objects = flow.program.exprs_of([Sort::Object]);
    objects.filter_map(|at| definition_name(flow, at)).collect()
}

/// The name in the definition of a tool: `{ name: 'add', inputSchema: { … } }`.
fn definition_name(flow: &Flow<'_>, at: ExprRef) -> Option<Name> {
    let ExprKind::Object(fields) = flow.program.kind(at) else { return None };
    let field = |wanted: &str| {
        let own = fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == wanted));
        own.map(|field| At { module: at.module, id: field.value })
    };
    field("inputSchema").and_then(|_| text(flow, field("name")?))
}

/// Names by the keys of a table whose values are the functions themselves: `{ add: (args) => …, remove }`.
fn named_by_key(
    flow: &Flow<'_>,
    wanted: &FxHashMap<FuncRef, Vec<(FuncRef, ExprRef)>>,
    out: &mut FxHashMap<FuncRef, Vec<Name>>,
) {
    for at in flow.program.exprs_of([Sort::Object]) {
        let ExprKind::Object(fields) = flow.program.kind(at) else { continue };
        if entry_name(flow, at).is_some() {
            continue;
        }
        for field in fields {
            let Key::Name(name) = &field.key else { continue };
            for value in flow.at(At { module: at.module, id: field.value }) {
                let Value::Func(func) = value else { continue };
                if wanted.contains_key(func) && !out.get(func).is_some_and(|known| known.contains(name)) {
                    out.entry(*func).or_default().push(*name);
                }
            }
        }
    }
}

/// Whether the call that registers a tool says its name.
fn has_own_name(flow: &Flow<'_>, registration: &Registration) -> bool {
    let script =
        matches!(flow.program.module(registration.at.module).language, Language::TypeScript | Language::JavaScript);
    !script || name_at(flow, registration).is_none_or(|at| matches!(flow.program.kind(at), ExprKind::Text(_)))
}

fn name_at(flow: &Flow<'_>, registration: &Registration) -> Option<ExprRef> {
    let ExprKind::Call { args, .. } = flow.program.kind(registration.at) else { return None };
    args.first().map(|first| At { module: registration.at.module, id: first.value })
}

/// Whether a call calls what a variable or a property holds, and no function by its own name.
fn is_variable(flow: &Flow<'_>, call: ExprRef) -> bool {
    let ExprKind::Call { callee, .. } = flow.program.kind(call) else { return false };
    let facts = flow.program.module(call.module);
    match facts.kind(*callee) {
        ExprKind::Symbol(_) => flow.at(At { module: call.module, id: *callee }).len() > 1 || is_given(flow, call),
        ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => {
            matches!(facts.kind(*object), ExprKind::Symbol(_))
        }
        _ => false,
    }
}

fn is_given(flow: &Flow<'_>, call: ExprRef) -> bool {
    flow.edges.values().flatten().any(|(_, at, edge)| *at == call && *edge == Edge::Given)
}

/// The names of such tools: beside the function in the entry of a table, the key of that entry, or an argument beside the function.
fn names(
    flow: &Flow<'_>,
    registrations: &[&Registration],
    wanted: &FxHashMap<FuncRef, Vec<(FuncRef, ExprRef)>>,
) -> FxHashMap<FuncRef, Vec<Name>> {
    let mut out: FxHashMap<FuncRef, Vec<Name>> = FxHashMap::default();
    let mut add = |func: FuncRef, name: Name| {
        let known = out.entry(func).or_default();
        if !known.contains(&name) {
            known.push(name);
        }
    };
    let functions = |at: ExprRef| {
        let funcs = flow.at(at).iter().filter_map(|value| match value {
            Value::Func(func) if wanted.contains_key(func) => Some(*func),
            _ => None,
        });
        let funcs: Vec<FuncRef> = funcs.collect();
        (funcs.len() == 1).then(|| funcs[0])
    };
    for at in flow.program.exprs_of([Sort::Object, Sort::Call]) {
        match flow.program.kind(at) {
            ExprKind::Object(fields) => {
                let own = fields.iter().find_map(|field| functions(At { module: at.module, id: field.value }));
                if let Some((func, name)) = own.zip(entry_name(flow, at)) {
                    add(func, name);
                }
            }
            ExprKind::Call { args, .. } => {
                let position = |registration: &&Registration| helper_name(flow, at, registration);
                let Some(position) = registrations.iter().find_map(position) else { continue };
                let inner = |id| At { module: at.module, id };
                let func = args.iter().find_map(|arg| functions(inner(arg.value)));
                let name = args.get(position).and_then(|arg| text(flow, inner(arg.value)));
                if let Some((func, name)) = func.zip(name) {
                    add(func, name);
                }
            }
            _ => {}
        }
    }
    out
}

fn text(flow: &Flow<'_>, at: ExprRef) -> Option<Name> {
    match flow.program.kind(at) {
        ExprKind::Text(text) => Some(*text),
        _ => None,
    }
}

/// The name that an entry of a table has: its `name`, else its key.
fn entry_name(flow: &Flow<'_>, entry: ExprRef) -> Option<Name> {
    let facts = flow.program.module(entry.module);
    let ExprKind::Object(fields) = facts.kind(entry.id) else { return None };
    let named = fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == "name"));
    if let Some(named) = named {
        return text(flow, At { module: entry.module, id: named.value });
    }
    // `{ definition: { name, … }, handler }`, written out or in a constant.
    let objects = |id| {
        let at = At { module: entry.module, id };
        let made = flow.objects_at(at).filter_map(|object| match flow.object(object).site {
            Site::Expr(made) => Some(made),
            _ => None,
        });
        std::iter::once(at).chain(made).collect::<Vec<_>>()
    };
    let mut defined = fields.iter().flat_map(|field| objects(field.value)).filter_map(|at| definition_name(flow, at));
    if let Some(name) = defined.next() {
        return Some(name);
    }
    let mut id = entry.id;
    while let Some(parent) = facts.expr(id).parent {
        match facts.kind(parent) {
            ExprKind::Object(fields) => {
                return fields.iter().find(|field| field.value == id).and_then(|field| match &field.key {
                    Key::Name(name) => Some(*name),
                    _ => None,
                });
            }
            ExprKind::Cast { .. } | ExprKind::Call { .. } => id = parent,
            _ => return None,
        }
    }
    None
}

/// Where a call of the helper that registers a tool has the tool's name.
fn helper_name(flow: &Flow<'_>, call: ExprRef, registration: &Registration) -> Option<usize> {
    let name = name_at(flow, registration)?;
    let ExprKind::Symbol(symbol) = flow.program.kind(name) else { return None };
    let helper = At { module: name.module, id: flow.program.module(name.module).symbol(*symbol).func };
    let calls = flow.callers.get(&helper)?.iter().any(|(_, at, edge)| *at == call && *edge != Edge::Callback);
    let params = &flow.program.function(helper).params;
    calls.then(|| params.iter().position(|param| param.symbol == *symbol)).flatten()
}
