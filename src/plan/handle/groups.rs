//! Stores that the same tools use: one of them gets the handle, the others are keyed by it.

use rustc_hash::FxHashSet;

use super::{Companion, Container, Place, facts, roles};
use crate::classify::access::{Access, Kind};
use crate::classify::stores::Found;
use crate::model::program::FuncRef;
use crate::rules::detect::Context;

/// Each store that gets a handle, with those that are keyed by it.
pub fn of<'s>(context: &Context<'_, '_>, stores: &[&'s Found]) -> Vec<(&'s Found, Vec<&'s Found>)> {
    let mut left: Vec<&Found> = stores.to_vec();
    // What a value of its own is comes before what is only a note beside it.
    left.sort_by_key(|found| (facts::is_plain(context.analysis, found), std::cmp::Reverse(found.tools.len())));
    let mut out = Vec::new();
    while !left.is_empty() {
        let first = left.remove(0);
        let handlers = handlers(context, first);
        let (own, others) = left.into_iter().partition(|other| belongs(context, first, other, &handlers));
        left = others;
        out.push((first, own));
    }
    out.sort_by_key(|(found, _)| (found.holder.module, found.holder.span));
    out
}

fn handlers(context: &Context<'_, '_>, found: &Found) -> FxHashSet<FuncRef> {
    let of = &context.analysis.lives.handlers_of;
    found.uses.iter().flat_map(|access| of.get(&access.func).into_iter().flatten().copied()).collect()
}

/// Whether a store can be keyed by the handle of another: the same tools use it, and it starts empty by itself.
fn belongs(context: &Context<'_, '_>, first: &Found, other: &Found, tools: &FxHashSet<FuncRef>) -> bool {
    let marks = companion(context, other).is_some_and(|companion| companion.container == Container::Set);
    let starts_empty = facts::is_plain(context.analysis, other) || roles::is_lazy(context.analysis, other);
    let beside = is_filled_beside(context, first, other) || is_begun_beside(context, first, other);
    (starts_empty || beside)
        && (marks || roles::is_lazy(context.analysis, first) || beside)
        && (marks || end_together(context, first, other))
        && !other.with_transport
        && !other.with_auth
        && first.holder.module == other.holder.module
        && facts::place(context, first) == Some(Place::Module)
        && facts::place(context, other) == Some(Place::Module)
        && companion(context, other).is_some()
        && handlers(context, other).iter().any(|handler| tools.contains(handler))
}

/// Whether all that is ever written into a store is written where a first value of the other is made.
fn is_filled_beside(context: &Context<'_, '_>, first: &Found, other: &Found) -> bool {
    let writes = |found: &Found| {
        found
            .uses
            .iter()
            .filter(|access| matches!(access.kind, Kind::Write | Kind::GetOrCreate))
            .copied()
            .collect::<Vec<Access>>()
    };
    let (made, filled) = (writes(first), writes(other));
    let beside = |write: &Access| {
        made.iter().any(|made| made.func == write.func && roles::same_branch(context.analysis, made, write))
    };
    !filled.is_empty() && filled.iter().all(beside)
}

/// Whether a store that starts empty by itself is emptied wherever a value of the other is made.
fn is_begun_beside(context: &Context<'_, '_>, first: &Found, other: &Found) -> bool {
    let writes =
        |found: &Found| found.uses.iter().filter(|access| access.kind == Kind::Write).copied().collect::<Vec<Access>>();
    let (made, begun) = (writes(first), writes(other));
    let beside = |made: &Access| {
        begun.iter().any(|begun| made.func == begun.func && roles::same_branch(context.analysis, made, begun))
    };
    roles::is_lazy(context.analysis, other) && !made.is_empty() && made.iter().all(beside)
}

/// Whether a tool that ends a value of the first ends the other's as well: what outlives it has a life of its own.
fn end_together(context: &Context<'_, '_>, first: &Found, other: &Found) -> bool {
    let reach = &context.analysis.lives.handler_reach;
    let ends = |found: &Found, func: FuncRef| {
        found.uses.iter().any(|access| access.kind == Kind::Delete && access.func == func)
    };
    let by_tools = |access: &&Access| access.kind == Kind::Delete && reach.contains(&access.func);
    first.uses.iter().filter(by_tools).all(|access| ends(other, access.func))
        && other.uses.iter().filter(by_tools).all(|access| ends(first, access.func))
}

/// A store as one that is keyed by the handle of another.
pub fn companion(context: &Context<'_, '_>, found: &Found) -> Option<Companion> {
    let container = facts::container(context.analysis, facts::made(context.analysis, found)?)?;
    Some(Companion { name: found.name.text().to_owned(), container })
}
