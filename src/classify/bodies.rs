//! Tools that are registered several at a time: by a loop over a table, or by a helper of the program. The function that is written
//! for one of them is given to the SDK itself, or a function that the SDK is given calls it: `tool.run(args, id)`, `fn(id, args)`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{ExprKind, Key, Language};
use crate::model::flow::value::Value;
use crate::model::flow::{Edge, Flow, Registered, Registration};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
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
    if found.is_empty() {
        return Vec::new();
    }
    let names = names(flow, &registrations, &found);
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
    for at in flow.program.exprs() {
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
