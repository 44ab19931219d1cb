//! Where a key comes from, within the function that uses it: a parameter, the surroundings, or something that can't be followed.

use rustc_hash::FxHashSet;

use crate::model::facts::{ExprKind, FuncKind, SymbolKind, TOP};
use crate::model::flow::{Flow, Root};
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::model::vocabulary::Role;

/// Where the id in an expression enters the function that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// By a parameter.
    Parameter {
        /// The function.
        func: FuncRef,
        /// Its position.
        index: usize,
        /// The parameter is the id itself, and not something that has it.
        whole: bool,
    },
    /// From the surroundings: a call without arguments, a context variable.
    Ambient(FuncRef),
    /// It can't be told.
    Unclear(ExprRef),
}

/// Traces the id in `at` back.
pub fn origin(flow: &Flow<'_>, at: ExprRef) -> Origin {
    let mut seen = FxHashSet::default();
    trace(flow, at, flow.is_id(at), &mut seen).unwrap_or(Origin::Unclear(at))
}

/// The function that code belongs to, callbacks within it counted as its own code.
pub fn home(flow: &Flow<'_>, mut func: FuncRef) -> FuncRef {
    loop {
        let facts = flow.program.function(func);
        let handler = flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::Handler));
        let callback = facts.kind == FuncKind::Anonymous && facts.name.is_none() && !handler;
        match facts.parent {
            Some(parent) if callback && parent != TOP => func = At { module: func.module, id: parent },
            _ => return func,
        }
    }
}

fn trace(flow: &Flow<'_>, at: ExprRef, whole: bool, seen: &mut FxHashSet<ExprRef>) -> Option<Origin> {
    if !seen.insert(at) || seen.len() > 64 {
        return None;
    }
    let inner = |id| At { module: at.module, id };
    match flow.program.kind(at) {
        ExprKind::Symbol(symbol) => of_symbol(flow, At { module: at.module, id: *symbol }, whole, seen),
        ExprKind::Cast { value, .. } => trace(flow, inner(*value), whole, seen),
        ExprKind::Either { arms, .. } => arms
            .iter()
            .map(|arm| inner(*arm))
            .filter(|arm| flow.is_id(*arm) || !whole)
            .find_map(|arm| trace(flow, arm, whole, seen)),
        ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => trace(flow, inner(*object), false, seen),
        ExprKind::Template(parts) => parts.iter().find_map(|part| trace(flow, inner(*part), false, seen)),
        ExprKind::Call { callee, args } => {
            let args: Vec<ExprRef> = args.iter().map(|arg| inner(arg.value)).collect();
            let carried = args.iter().find_map(|arg| trace(flow, *arg, false, seen));
            let receiver = match flow.program.kind(inner(*callee)) {
                ExprKind::Member { object, .. } => trace(flow, inner(*object), false, seen),
                _ => None,
            };
            let ambient = || {
                (flow.is_id(at) || is_context(flow, inner(*callee)))
                    .then(|| Origin::Ambient(home(flow, flow.program.func_of(at))))
            };
            carried.or(receiver).or_else(ambient)
        }
        _ => None,
    }
}

/// `scope.getStore`: what a context variable has comes from the surroundings.
fn is_context(flow: &Flow<'_>, callee: ExprRef) -> bool {
    matches!(flow.program.kind(callee), ExprKind::Member { object, name }
        if name.text() == "getStore" && flow.plays(At { module: callee.module, id: *object }, Role::AsyncContext))
}

fn of_symbol(flow: &Flow<'_>, symbol: SymbolRef, whole: bool, seen: &mut FxHashSet<ExprRef>) -> Option<Origin> {
    let facts = flow.program.symbol(symbol);
    let func = At { module: symbol.module, id: facts.func };
    let params = &flow.program.function(func).params;
    if let Some(index) = params.iter().position(|param| param.symbol == symbol.id) {
        return Some(Origin::Parameter { func, index, whole });
    }
    if !matches!(facts.kind, SymbolKind::Variable { .. } | SymbolKind::Parameter) || facts.func == TOP {
        return None;
    }
    let module = flow.program.module(symbol.module);
    let mut found: Option<Origin> = None;
    for id in module.expr_ids() {
        let ExprKind::Assign { target, value, .. } = module.kind(id) else { continue };
        if !matches!(module.kind(*target), ExprKind::Symbol(assigned) if *assigned == symbol.id) {
            continue;
        }
        match (trace(flow, At { module: symbol.module, id: *value }, whole, seen), &found) {
            (Some(next), None) => found = Some(next),
            (Some(next), Some(known)) if *known != next => return None,
            _ => {}
        }
    }
    found
}

/// Whether a parameter is one that the program can put something else in: not a rest parameter.
pub fn plain_parameter(flow: &Flow<'_>, func: FuncRef, index: usize) -> bool {
    flow.program.function(func).params.get(index).is_some_and(|param| !param.rest)
}
