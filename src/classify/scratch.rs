//! Containers that no session can have: those of one call, and those of which the content is written in the code.

use rustc_hash::FxHashSet;

use super::access::{Access, Kind};
use crate::model::facts::{SymbolId, TOP};
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::flow::{Flow, NodeId};
use crate::model::lives::Lives;
use crate::model::program::{At, FuncRef};
use crate::model::vocabulary::Role;

/// A list that lives no longer than the function that puts ids in it.
pub(super) fn is_scratch(flow: &Flow<'_>, object: Option<ObjId>, func: FuncRef) -> bool {
    let symbol = object.and_then(|id| flow.holder(id)).and_then(|holder| holder.symbol);
    symbol.is_some_and(|symbol| {
        let declared = flow.program.symbol(symbol).func;
        declared != TOP && flow.program.within(func, At { module: symbol.module, id: declared })
    })
}

/// Those of some objects that are kept: in a field or an element of something, or in a variable that lives longer than a call.
pub(super) fn kept(flow: &Flow<'_>, lives: &Lives, among: &FxHashSet<ObjId>) -> FxHashSet<ObjId> {
    let mut out = FxHashSet::default();
    if among.is_empty() {
        return out;
    }
    let held = |node: NodeId| {
        flow.values(node).iter().filter_map(|value| match value {
            Value::Object(id) if among.contains(id) => Some(*id),
            _ => None,
        })
    };
    for (owner, names) in &flow.field_names {
        out.extend(names.iter().filter_map(|name| flow.known_field(*owner, *name)).flat_map(held));
    }
    for (module, facts) in (0u32..).zip(&flow.program.modules) {
        for (index, symbol) in facts.symbols.iter().enumerate() {
            let symbol_ref = At { module, id: SymbolId(index as u32) };
            let mut held = held(flow.symbol_node(symbol_ref)).peekable();
            if held.peek().is_none() {
                continue;
            }
            let captured = || flow.uses(symbol_ref).any(|at| flow.program.func_of(at).id != symbol.func);
            let within = || lives.within_calls(At { module, id: symbol.func });
            if symbol.func == TOP || (!within() && captured()) {
                out.extend(held);
            }
        }
    }
    out
}

/// Whether a container is made for one call, or for one run of the function that alone uses it.
pub(super) fn is_of_one_call(flow: &Flow<'_>, lives: &Lives, id: ObjId, accesses: &[Access]) -> bool {
    let Site::Expr(made) = flow.object(id).site else { return false };
    let func = flow.program.func_of(made);
    let plain = matches!(flow.acts_as(id), Some(Role::Map | Role::Set | Role::List));
    // What is handed on only to be asked is asked while the function runs.
    let of_run = |access: &Access| access.func == func || access.kind == Kind::Test;
    let alone = || func.id != TOP && accesses.iter().all(of_run);
    plain && (lives.within_calls(func) || alone())
}

/// Whether all that a container has is texts written in the code.
pub(super) fn is_fixed(flow: &Flow<'_>, id: ObjId) -> bool {
    let elements = flow.elements(id);
    !elements.is_empty() && elements.iter().all(|value| matches!(value, Value::Text(_)))
}
