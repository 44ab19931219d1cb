//! What a function may run, and what an HTTP request runs.

use rustc_hash::FxHashSet;

use super::facts::FuncKind;
use super::flow::value::Value;
use super::flow::{Edge, Flow, Root};
use super::program::{At, FuncRef};
use super::vocabulary::Role;

/// Everything that a function may run, itself included, handlers it registers not.
///
/// What came in as a parameter is called by way of whoever handed it over. Nobody else does so for a function that the SDK is given
/// and that calls what the helper around it was handed: `tool(name, (args, extra) => fn(args, extra))`.
pub fn reach(flow: &Flow<'_>, from: FuncRef) -> FxHashSet<FuncRef> {
    let mut seen = FxHashSet::default();
    let mut pending = vec![from];
    seen.insert(from);
    while let Some(func) = pending.pop() {
        for (callee, _, edge) in flow.edges.get(&func).into_iter().flatten() {
            if *edge == Edge::Given && !is_handler(flow, func) {
                continue;
            }
            let handler = flow.roots.get(callee).is_some_and(|roots| roots.contains(&Root::Handler));
            if !handler && seen.insert(*callee) {
                pending.push(*callee);
            }
        }
    }
    seen
}

fn is_handler(flow: &Flow<'_>, func: FuncRef) -> bool {
    flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::Handler))
}

pub(super) fn is_factory(flow: &Flow<'_>, func: FuncRef) -> bool {
    flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::Factory))
}

/// Functions that an HTTP request runs: registered ones, and those that take a request and that nothing calls.
pub(super) fn routes(flow: &Flow<'_>) -> FxHashSet<FuncRef> {
    let mut out: FxHashSet<FuncRef> =
        flow.roots.iter().filter(|(_, roots)| roots.contains(&Root::Route)).map(|(func, _)| *func).collect();
    for func in flow.program.functions() {
        let facts = flow.program.function(func);
        let called =
            flow.callers.get(&func).is_some_and(|callers| callers.iter().any(|(_, _, edge)| *edge == Edge::Call));
        if called || matches!(facts.kind, FuncKind::Top | FuncKind::Constructor) || flow.roots.contains_key(&func) {
            continue;
        }
        let takes_request = facts.params.iter().any(|param| {
            let node = flow.symbol_node(At { module: func.module, id: param.symbol });
            flow.values(node)
                .iter()
                .any(|value| matches!(value, Value::Object(id) if flow.object(*id).role == Some(Role::Request)))
        });
        if takes_request {
            out.insert(func);
        }
    }
    out
}
