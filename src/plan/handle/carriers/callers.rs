//! From the functions that take the handle up to those that call them, and to the tools.

use super::super::trace::{Origin, home};
use super::super::{CallSite, Entry, Outside};
use super::{Follower, HandlerUse};
use crate::classify::access::Kind;
use crate::model::facts::{ExprId, ExprKind, TOP};
use crate::model::flow::{Edge, Registered};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};

impl Follower<'_, '_, '_> {
    pub(super) fn callers(&mut self, func: FuncRef, index: usize, entry: &Entry, how: &Origin) {
        let flow = &self.context.analysis.flow;
        let mut callers: Vec<(FuncRef, ExprRef, Edge)> = flow
            .callers
            .get(&func)
            .into_iter()
            .flatten()
            .copied()
            .filter(|(_, _, edge)| *edge != Edge::Given)
            .collect();
        callers.sort_unstable();
        for (caller, at, edge) in callers {
            if edge == Edge::Callback {
                self.handed_over(func, caller, at, index, entry);
                continue;
            }
            self.call(caller, at, index, entry, how);
        }
    }

    /// `reply(show)`, where `show` takes nothing so far: it is called with the handle by a function in its place.
    pub(super) fn handed_over(&mut self, func: FuncRef, caller: FuncRef, at: ExprRef, callee: usize, entry: &Entry) {
        let flow = &self.context.analysis.flow;
        let within = home(flow, caller);
        let named = match flow.program.kind(at) {
            ExprKind::Call { args, .. } => {
                let args = args.iter().map(|arg| At { module: at.module, id: arg.value });
                let mut own = args.filter(|arg| flow.functions_at(*arg).any(|own| own == func));
                own.next()
                    .filter(|arg| matches!(flow.program.kind(*arg), ExprKind::Symbol(_) | ExprKind::Member { .. }))
            }
            _ => None,
        };
        let bare = flow.program.function(func).params.is_empty() && *entry == Entry::New;
        let Some(named) = named.filter(|_| bare && self.is_called_by_tools(within)) else {
            self.problem(at, "the function is handed over as a value", "pass the handle to it by hand");
            return;
        };
        let Some(within) = self.need(within, &Origin::Ambient(within), at) else { return };
        let named = CallSite { at: self.site(named), within, argument: None };
        if !self.out.carriers[callee].handed.contains(&named) {
            self.out.carriers[callee].handed.push(named);
        }
    }

    pub(super) fn call(&mut self, caller: FuncRef, at: ExprRef, callee: usize, entry: &Entry, how: &Origin) {
        let flow = &self.context.analysis.flow;
        let args = match flow.program.kind(at) {
            ExprKind::Call { args, .. } => args.as_slice(),
            ExprKind::Member { .. } if self.getters && *entry == Entry::New => &[],
            _ => {
                self.problem(at, "the function is not called by name here", "pass the handle to it by hand");
                return;
            }
        };
        if matches!(entry, Entry::Part { .. }) {
            self.call_with_object(caller, at, callee, how);
            return;
        }
        let (argument, inner) = match entry {
            Entry::Parameter { index, .. } => {
                let Some(arg) = args.get(*index).filter(|_| args[..=*index].iter().all(|arg| !arg.spread)) else {
                    self.problem(at, "the call leaves out the id", "pass the handle to it by hand");
                    return;
                };
                let arg = At { module: at.module, id: arg.value };
                (Some(arg), if self.hands { self.closed_over(caller, arg) } else { self.origin(arg) })
            }
            _ => (None, how.clone()),
        };
        let within = match inner {
            Origin::Parameter { func, .. } => func,
            _ if entry == &Entry::New => home(flow, caller),
            Origin::Ambient(func) => func,
            Origin::Unclear(_) => home(flow, caller),
        };
        if !self.is_called_by_tools(within) {
            self.out.outside.push(Outside {
                at: self.site(at),
                kind: Kind::Delete,
                value: None,
                direct: false,
                calls: Vec::new(),
                handed: Vec::new(),
                companion: false,
            });
            return;
        }
        if let Origin::Unclear(unclear) = inner
            && entry != &Entry::New
        {
            self.problem(unclear, "where this id comes from can't be followed", "pass the handle to it by hand");
            return;
        }
        let inner = if entry == &Entry::New { Origin::Ambient(within) } else { inner };
        let Some(within) = self.need(within, &inner, at) else { return };
        let call = CallSite { at: self.site(at), within, argument: argument.map(|at| self.site(at)) };
        if !self.out.carriers[callee].calls.contains(&call) {
            self.out.carriers[callee].calls.push(call);
        }
    }

    /// A call that hands on an object with the id in it: what stands there stays.
    fn call_with_object(&mut self, caller: FuncRef, at: ExprRef, callee: usize, how: &Origin) {
        let flow = &self.context.analysis.flow;
        let within = home(flow, caller);
        let argument = match (flow.program.kind(at), how) {
            (ExprKind::Call { args, .. }, Origin::Parameter { index, .. }) => args.get(*index),
            _ => None,
        };
        let inner = argument.map(|arg| self.origin(At { module: at.module, id: arg.value }));
        let own = inner.filter(|inner| matches!(inner, Origin::Parameter { func, .. } if *func == within));
        if !self.is_called_by_tools(within) {
            self.problem(at, "the function is called here, where no tool is", "let tools alone call it");
            return;
        }
        let within = match (own, self.known.get(&within).copied()) {
            (_, Some(known)) => Some(known),
            (Some(own), None) => self.need(within, &own, at),
            (None, None) => {
                self.problem(at, "where this object comes from can't be followed", "hand it on as a parameter");
                None
            }
        };
        let Some(within) = within else { return };
        let call = CallSite { at: self.site(at), within, argument: None };
        if !self.out.carriers[callee].calls.contains(&call) {
            self.out.carriers[callee].calls.push(call);
        }
    }

    /// Whether a function is what the function around it answers: `(body) => async (args, extra) => …`.
    pub(super) fn is_answered(&self, func: FuncRef) -> bool {
        let flow = &self.context.analysis.flow;
        let parent = flow.program.function(func).parent.filter(|parent| *parent != TOP);
        let Some(maker) = parent.map(|id| At { module: func.module, id }) else { return false };
        let returns = &flow.program.function(maker).returns;
        let own = |id: &ExprId| flow.functions_at(At { module: maker.module, id: *id }).eq([func]);
        !returns.is_empty() && returns.iter().all(own)
    }

    pub(super) fn handler(&mut self, handler: FuncRef, at: ExprRef) {
        let analysis = self.context.analysis;
        let mut registrations: Vec<_> =
            analysis.flow.registrations.values().filter(|entry| entry.handlers.contains(&handler)).collect();
        registrations.sort_by_key(|entry| entry.at);
        let tools = registrations.iter().all(|known| known.what == Registered::Tool && known.name.is_some());
        if self.curried && registrations.len() > 1 && tools && self.is_answered(handler) {
            let each = registrations.into_iter().map(|known| HandlerUse {
                handler,
                registration: known.at,
                tools: known.name.into_iter().collect(),
                dispatches: false,
                body: None,
            });
            self.out.handlers.extend(each);
            return;
        }
        let [registration] = registrations.as_slice() else {
            self.problem(
                at,
                "the handler is registered several times, or out of sight",
                "give each tool that uses the state the handle as an argument",
            );
            return;
        };
        let told_elsewhere = analysis.dispatcher(handler).is_some();
        let (tools, dispatches) = match (registration.what, registration.name) {
            (Registered::Method, _) if told_elsewhere => (Vec::new(), false),
            (Registered::Tool, Some(name)) => (vec![name], false),
            (Registered::Method, Some(_)) => {
                let names = analysis.flow.program.exprs().filter(|at| {
                    at.module == handler.module
                        && analysis.flow.program.within(analysis.flow.program.func_of(*at), handler)
                });
                let mut names: Vec<Name> = names.flat_map(|at| analysis.tool_names(handler, at)).collect();
                names.sort_by_key(|name| name.text());
                names.dedup();
                (names, true)
            }
            (Registered::Resource, _) if self.in_uri => {
                self.out.resources.push((handler, registration.at));
                return;
            }
            (Registered::Resource, _) => {
                self.problem(
                    registration.at,
                    "a resource reads it, and a resource takes no arguments",
                    "put the handle into its URI (`thing://{id}`, a resource template), or let a tool answer it",
                );
                return;
            }
            (Registered::Prompt, _) => {
                self.problem(
                    registration.at,
                    "a prompt reads it",
                    "give the prompt an argument for the handle, or leave the state out of it",
                );
                return;
            }
            (Registered::Tool | Registered::Method, None) => (Vec::new(), false),
        };
        if tools.is_empty() {
            self.problem(registration.at, "the names of its tools can't be read", "give them the handle by hand");
            return;
        }
        let registration = registration.at;
        self.out.handlers.push(HandlerUse { handler, registration, tools, dispatches, body: None });
    }
}
