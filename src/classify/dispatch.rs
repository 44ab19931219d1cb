//! One handler for all tools: which of them a place in its code, or in code that it runs, belongs to.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::describe::is_tool_call;
use super::stores::Analysis;
use super::words;
use crate::model::facts::{Branch, ExprKind};
use crate::model::flow::{Edge, Registered};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::reach::reach;

/// What a handler of all tools runs. The places of a store are many and the handlers few, so it is found once for each of them.
pub struct Dispatch {
    /// The function that tells the tools apart: the handler, or the one that it calls for it.
    from: FuncRef,
    /// The calls of that function.
    calls: Vec<DispatchedCall>,
}

/// A call of a function that tells the tools apart.
struct DispatchedCall {
    /// The tools that it is made for.
    names: Vec<Name>,
    /// All that it may run.
    reach: Rc<FxHashSet<FuncRef>>,
}

impl Analysis<'_> {
    pub(super) fn dispatched(&self, handler: FuncRef, at: ExprRef) -> Vec<Name> {
        let facts = self.flow.program.module(handler.module);
        let span = self.flow.program.expr(at).span;
        let mut all = Vec::new();
        let mut here = Vec::new();
        for branch in self.flow.branches_in(handler) {
            let ExprKind::Compare { left, right, .. } = facts.kind(branch.condition) else { continue };
            for (side, other) in [(left, right), (right, left)] {
                if let ExprKind::Text(text) = facts.kind(*side)
                    && self.names_the_call(At { module: handler.module, id: *other })
                {
                    all.push(*text);
                    if at.module == handler.module && branch.then.contains(span) {
                        here.push(*text);
                    }
                }
            }
        }
        if here.is_empty() { all } else { here }
    }

    /// The function that tells the tools apart for a handler which does not do so itself, with the only call of it.
    pub fn dispatcher(&self, handler: FuncRef) -> Option<(FuncRef, ExprRef)> {
        if self.tells_apart(handler) {
            return None;
        }
        let calls = |(callee, at, edge): &(FuncRef, ExprRef, Edge)| {
            (*edge == Edge::Call && self.tells_apart(*callee)).then_some((*callee, *at))
        };
        let mut found = self.flow.edges.get(&handler)?.iter().filter_map(calls);
        let first = found.next()?;
        let alone = found.all(|other| other == first)
            && self.flow.callers.get(&first.0)?.iter().all(|(caller, at, _)| (*caller, *at) == (handler, first.1));
        alone.then_some(first)
    }

    /// The handler for which a function tells the tools apart.
    pub fn dispatches_for(&self, func: FuncRef) -> Option<FuncRef> {
        let handlers = self.flow.registrations.values().filter(|known| {
            known.what == Registered::Method && known.name.is_some_and(|name| is_tool_call(name.text()))
        });
        let mut found = handlers.flat_map(|known| known.handlers.iter().copied());
        found.find(|handler| self.dispatcher(*handler).is_some_and(|(dispatcher, _)| dispatcher == func))
    }

    /// Whether a function compares the name of the tool that is called with texts.
    fn tells_apart(&self, func: FuncRef) -> bool {
        let facts = self.flow.program.module(func.module);
        let compares = |branch: &Branch| match facts.kind(branch.condition) {
            ExprKind::Compare { left, right, .. } => [(left, right), (right, left)].iter().any(|(side, other)| {
                matches!(facts.kind(**side), ExprKind::Text(_))
                    && self.names_the_call(At { module: func.module, id: **other })
            }),
            _ => false,
        };
        self.flow.branches_in(func).any(compares)
    }

    /// The same for code that the handler runs: the names under which the calls stand that lead there.
    pub(super) fn dispatched_to(&self, handler: FuncRef, at: ExprRef) -> Vec<Name> {
        let func = self.flow.program.func_of(at);
        let known = self.dispatches.borrow().get(&handler).cloned();
        let dispatch = known.unwrap_or_else(|| {
            let found = Rc::new(self.dispatch(handler));
            self.dispatches.borrow_mut().insert(handler, Rc::clone(&found));
            found
        });
        let mut out: Vec<Name> = Vec::new();
        if !self.flow.program.within(func, dispatch.from) {
            for call in dispatch.calls.iter().filter(|call| call.reach.contains(&func)) {
                out.extend(&call.names);
            }
        }
        if out.is_empty() { self.dispatched(dispatch.from, at) } else { out }
    }

    fn dispatch(&self, handler: FuncRef) -> Dispatch {
        let from = self.dispatcher(handler).map_or(handler, |(dispatcher, _)| dispatcher);
        let mut reached: FxHashMap<FuncRef, Rc<FxHashSet<FuncRef>>> = FxHashMap::default();
        let inner = self.flow.edges.iter().filter(|(caller, _)| self.flow.program.within(**caller, from));
        let calls = inner.flat_map(|(_, edges)| edges).filter(|(_, _, edge)| *edge == Edge::Call);
        let calls = calls.map(|(callee, call, _)| DispatchedCall {
            names: self.dispatched(from, *call),
            reach: Rc::clone(reached.entry(*callee).or_insert_with(|| Rc::new(reach(&self.flow, *callee)))),
        });
        Dispatch { from, calls: calls.collect() }
    }

    /// Whether an expression says by its name which tool is called. (A type, a kind of answer are compared with texts as well.)
    fn names_the_call(&self, at: ExprRef) -> bool {
        let facts = self.flow.program.module(at.module);
        match facts.kind(at.id) {
            // `name.as_ref()`, `name.trim()`
            ExprKind::Call { callee, .. } => match facts.kind(*callee) {
                ExprKind::Member { object, .. } => self.names_the_call(At { module: at.module, id: *object }),
                _ => false,
            },
            ExprKind::Index { key, .. } => {
                matches!(facts.kind(*key), ExprKind::Text(text) if words::is_call_name(text.text()))
            }
            _ => self.flow.written_name(at).is_some_and(|name| words::is_call_name(name.text())),
        }
    }
}
