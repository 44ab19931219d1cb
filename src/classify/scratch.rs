//! Containers that no session can have: those of one call, and those of which the content is written in the code.

use rustc_hash::FxHashSet;

use super::access::Access;
use crate::model::facts::{SymbolId, TOP};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, Value};
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

/// What is kept somewhere: in a field or an element of something, or in a variable that lives longer than a call.
pub(super) struct Kept(FxHashSet<ObjId>);

impl Kept {
    pub(super) fn new(flow: &Flow<'_>, lives: &Lives) -> Self {
        let mut out = FxHashSet::default();
        let mut add = |values: &[Value]| {
            out.extend(values.iter().filter_map(|value| match value {
                Value::Object(id) => Some(*id),
                _ => None,
            }));
        };
        for (owner, names) in &flow.field_names {
            for name in names {
                flow.known_field(*owner, *name).into_iter().for_each(|node| add(flow.values(node)));
            }
        }
        for (module, facts) in (0u32..).zip(&flow.program.modules) {
            for (index, symbol) in facts.symbols.iter().enumerate() {
                let symbol_ref = At { module, id: SymbolId(index as u32) };
                let captured = || flow.uses(symbol_ref).any(|at| flow.program.func_of(at).id != symbol.func);
                let within = lives.within_calls(At { module, id: symbol.func });
                if symbol.func == TOP || (!within && captured()) {
                    add(flow.values(flow.symbol_node(symbol_ref)));
                }
            }
        }
        Self(out)
    }

    /// Whether a container is made for one call, or for one run of the function that alone uses it, and kept nowhere.
    pub(super) fn is_of_one_call(&self, flow: &Flow<'_>, lives: &Lives, id: ObjId, accesses: &[Access]) -> bool {
        let Site::Expr(made) = flow.object(id).site else { return false };
        let func = flow.program.func_of(made);
        let plain = matches!(flow.acts_as(id), Some(Role::Map | Role::Set | Role::List));
        let alone = || func.id != TOP && accesses.iter().all(|access| access.func == func);
        plain && (lives.within_calls(func) || alone()) && !self.0.contains(&id)
    }
}

/// Whether all that a container has is texts written in the code.
pub(super) fn is_fixed(flow: &Flow<'_>, id: ObjId) -> bool {
    let elements = flow.elements(id);
    !elements.is_empty() && elements.iter().all(|value| matches!(value, Value::Text(_)))
}
