//! Sticky routing: what a store gives for a session is the address that its requests are sent on to.

use rustc_hash::FxHashSet;

use super::access::{Keyed, Kind};
use super::stores::Analysis;
use super::words;
use crate::model::facts::ExprKind;
use crate::model::program::{At, ExprRef, SymbolRef};
use crate::model::vocabulary::Op;

/// How many variables and parameters an address may go through on its way to the request.
const HOPS: usize = 4;

/// Whether what is read from a store is where requests are sent on to. An address that a tool looks up is the tool's own setting.
pub fn is_route(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    let outside_tools = |at: ExprRef| !analysis.lives.handler_reach.contains(&analysis.flow.program.func_of(at));
    let mut seen = FxHashSet::default();
    keyed
        .accesses
        .iter()
        .filter(|access| matches!(access.kind, Kind::Read | Kind::GetOrCreate) && outside_tools(access.at))
        .any(|access| is_address(analysis, access.at, HOPS, &mut seen))
}

/// Whether a value, or a text or record that it is part of, is the address of a request.
fn is_address(analysis: &Analysis<'_>, at: ExprRef, hops: usize, seen: &mut FxHashSet<SymbolRef>) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let mut id = at.id;
    while let Some(parent) = facts.expr(id).parent {
        let parent_at = At { module: at.module, id: parent };
        match facts.kind(parent) {
            ExprKind::Cast { .. } | ExprKind::Either { .. } | ExprKind::Template(_) => id = parent,
            ExprKind::Member { name, .. } if words::is_address(name.text()) => id = parent,
            // `new URL(path, base)`.
            ExprKind::New { args, .. } if args.iter().any(|arg| arg.value == id) => id = parent,
            ExprKind::Assign { target, value, .. } if *value == id => {
                let kept = analysis.flow.symbol_at(At { module: at.module, id: *target });
                return kept.is_some_and(|symbol| leads_to_address(analysis, symbol, hops, seen));
            }
            ExprKind::Call { args, .. } => {
                let Some(index) = args.iter().position(|arg| arg.value == id) else { return false };
                return (index < 2 && is_request(analysis, parent_at))
                    || is_passed_on(analysis, parent_at, index, hops, seen);
            }
            _ => return false,
        }
    }
    false
}

fn leads_to_address(analysis: &Analysis<'_>, symbol: SymbolRef, hops: usize, seen: &mut FxHashSet<SymbolRef>) -> bool {
    hops > 0 && seen.insert(symbol) && analysis.flow.uses(symbol).any(|used| is_address(analysis, used, hops - 1, seen))
}

/// Whether a function of the program that is given a value as an argument sends a request there.
fn is_passed_on(
    analysis: &Analysis<'_>,
    call: ExprRef,
    index: usize,
    hops: usize,
    seen: &mut FxHashSet<SymbolRef>,
) -> bool {
    analysis.flow.callees(call).into_iter().any(|callee| {
        let param = analysis.flow.program.function(callee).params.get(index).filter(|param| !param.rest);
        param.is_some_and(|param| {
            let symbol = At { module: callee.module, id: param.symbol };
            leads_to_address(analysis, symbol, hops, seen)
        })
    })
}

fn is_request(analysis: &Analysis<'_>, call: ExprRef) -> bool {
    analysis.flow.performed(call).iter().any(|performed| matches!(performed.op, Op::Fetch | Op::Send))
}
