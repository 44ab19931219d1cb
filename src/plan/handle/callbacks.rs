//! Functions that are handed the id by what they are given to: callbacks within a tool, and the bodies of tools that are registered
//! alike. With the handle, neither needs it.

use super::carriers::{Follower, HandlerUse};
use super::trace::{Origin, home};
use super::{BodyUse, Entry, Shed};
use crate::classify::bodies::Body;
use crate::model::facts::{ExprKind, FuncKind, Key, TOP};
use crate::model::flow::{Edge, Registered, Registration};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::plan::{Site, site};
use crate::rules::detect::Spot;

/// A callback that is handed the id.
pub(super) struct Callback {
    /// The function around it, which has the handle.
    pub around: FuncRef,
    /// The parameter that is the id.
    pub at: Site,
    /// Calls that hand it over.
    pub given: Vec<ExprRef>,
    /// The position of the parameter.
    pub index: usize,
}

impl<'c> Follower<'c, '_, '_> {
    /// What is written for one tool of several, if a function is that.
    pub(super) fn body(&self, func: FuncRef) -> Option<&'c Body> {
        self.context.analysis.bodies.iter().find(|body| body.func == func)
    }

    /// Whether a function is a callback which only others call, to hand it the id, and which stands in a tool or in what tools call.
    pub(super) fn callback(&self, func: FuncRef, how: &Origin) -> Option<Callback> {
        let flow = &self.context.analysis.flow;
        let Origin::Parameter { index, whole: true, .. } = how else { return None };
        let facts = flow.program.function(func);
        if facts.kind != FuncKind::Anonymous || facts.parent.is_none_or(|parent| parent == TOP) {
            return None;
        }
        let edges = || flow.callers.get(&func).into_iter().flatten().filter(|(.., edge)| *edge != Edge::Callback);
        let mut given: Vec<ExprRef> = edges().map(|(_, at, _)| *at).collect();
        given.sort_unstable();
        given.dedup();
        let parent = At { module: func.module, id: facts.parent? };
        let around = home(flow, parent);
        let hands = |at: &ExprRef| self.handed(*at, *index).is_some_and(|arg| flow.is_id(arg));
        let only_given = edges().all(|(.., edge)| *edge == Edge::Given);
        if given.is_empty() || !only_given || !given.iter().all(hands) || !self.is_called_by_tools(around) {
            return None;
        }
        Some(Callback { around, at: self.parameter(func, *index)?, given, index: *index })
    }

    /// An argument of a call.
    fn handed(&self, call: ExprRef, index: usize) -> Option<ExprRef> {
        let ExprKind::Call { args, .. } = self.context.analysis.flow.program.kind(call) else { return None };
        let plain = args.iter().take(index + 1).all(|arg| !arg.spread);
        args.get(index).filter(|_| plain).map(|arg| At { module: call.module, id: arg.value })
    }

    fn symbol(&self, func: FuncRef, index: usize) -> Option<SymbolRef> {
        let params = &self.context.analysis.flow.program.function(func).params;
        params.get(index).map(|param| At { module: func.module, id: param.symbol })
    }

    fn parameter(&self, func: FuncRef, index: usize) -> Option<Site> {
        let symbol = self.symbol(func, index)?;
        let span = self.context.analysis.flow.program.symbol(symbol).span;
        Some(site(self.context, Spot { module: func.module, span }))
    }

    /// A tool's own function, which what the SDK is given calls.
    pub(super) fn tool(&mut self, body: &'c Body, how: &Origin, at: ExprRef) {
        let flow = &self.context.analysis.flow;
        let mut registrations: Vec<&Registration> = flow.registrations.values().collect();
        registrations.sort_by_key(|registration| registration.at);
        let serves = |func: FuncRef| registrations.iter().find(|known| known.handlers.contains(&func));
        let dispatches = |func: FuncRef| serves(func).is_some_and(|known| known.what == Registered::Method);
        // One that is handed arguments is what a tool with a schema needs.
        let arguments = |(handler, call): &(FuncRef, ExprRef)| {
            let own = self.symbol(*handler, 0)?;
            let count = match flow.program.kind(*call) {
                ExprKind::Call { args, .. } => args.len(),
                _ => 0,
            };
            if dispatches(*handler) {
                return (0..count).find(|index| self.handed(*call, *index).is_some_and(|at| self.is_arguments(at)));
            }
            (0..count).find(|index| {
                let handed = self.handed(*call, *index).map(|at| flow.program.kind(at));
                matches!(handed, Some(ExprKind::Symbol(symbol)) if *symbol == own.id)
            })
        };
        let called = body.calls.iter().filter(|(handler, call)| {
            let context_alone =
                flow.program.function(*handler).params.len() < 2 && body.calls.len() > 1 && !dispatches(*handler);
            !context_alone && arguments(&(*handler, *call)).is_some()
        });
        let called: Vec<&(FuncRef, ExprRef)> = called.collect();
        let registration = match called.as_slice() {
            [] if body.calls.is_empty() => serves(body.func),
            [(handler, _)] => serves(*handler),
            _ => None,
        };
        let lists = registration.is_some_and(|registration| registration.what == Registered::Method);
        let Some(registration) = registration.map(|registration| registration.at) else {
            self.problem(
                at,
                "the arguments of the tool are not handed on to this function by one call",
                "hand them on, or give the tool a handler of its own",
            );
            return;
        };
        let mut leading = None;
        let given = called.first().and_then(|call| arguments(call)).unwrap_or_default();
        if let (Origin::Parameter { index, whole, .. }, Some(call)) = (how, called.first())
            && (*whole || self.handed(call.1, *index).is_some_and(|at| self.holds_only_ids(at)))
        {
            let first = *index < given;
            leading = self.parameter(body.func, *index).filter(|_| first);
            let handed: Vec<(ExprRef, usize)> = body.calls.iter().map(|(_, call)| (*call, *index)).collect();
            self.handed.extend(handed);
        }
        let calls: Vec<Site> = body.calls.iter().map(|(_, call)| self.site(*call)).collect();
        let used = (!calls.is_empty()).then_some(BodyUse { leading, arguments: given, calls, dispatches: false });
        self.out.handlers.push(HandlerUse {
            handler: body.func,
            registration,
            tools: vec![body.name],
            dispatches: lists,
            body: used,
        });
    }

    /// `{ sessionId: extra.sessionId }`: a context of the program's own that holds nothing else.
    fn holds_only_ids(&self, at: ExprRef) -> bool {
        let flow = &self.context.analysis.flow;
        match flow.program.kind(at) {
            ExprKind::Object(fields) => {
                let named = |key: &Key| matches!(key, Key::Name(_));
                let id = |value| flow.is_id(At { module: at.module, id: value });
                !fields.is_empty() && fields.iter().all(|field| named(&field.key) && id(field.value))
            }
            _ => false,
        }
    }

    /// Whether an expression is the arguments of a call to a low-level server, as they came: `request.params.arguments ?? {}`.
    fn is_arguments(&self, at: ExprRef) -> bool {
        let program = self.context.analysis.flow.program;
        let inner = |id| At { module: at.module, id };
        match program.kind(at) {
            ExprKind::Member { name, .. } => *name == "arguments",
            ExprKind::Cast { value, .. } => self.is_arguments(inner(*value)),
            ExprKind::Either { arms, .. } => arms.first().is_some_and(|first| self.is_arguments(inner(*first))),
            ExprKind::Symbol(symbol) => {
                let facts = program.module(at.module);
                let mut given = facts.expr_ids().filter_map(|id| match facts.kind(id) {
                    ExprKind::Assign { target, value, .. } => {
                        matches!(facts.kind(*target), ExprKind::Symbol(own) if own == symbol).then_some(*value)
                    }
                    _ => None,
                });
                given.next().is_some_and(|value| self.is_arguments(inner(value))) && given.next().is_none()
            }
            _ => false,
        }
    }

    /// A function that tells the tools apart for the handler that is registered.
    pub(super) fn dispatch(&mut self, func: FuncRef, handler: FuncRef, how: &Origin, at: ExprRef) {
        let analysis = self.context.analysis;
        let (flow, program) = (&analysis.flow, analysis.flow.program);
        let registration =
            flow.registrations.values().filter(|known| known.handlers.contains(&handler)).map(|known| known.at).min();
        let call = analysis.dispatcher(handler).map(|(_, call)| call);
        let position = call.and_then(|call| {
            let count = program.function(func).params.len();
            (0..count).find(|index| self.handed(call, *index).is_some_and(|at| self.is_arguments(at)))
        });
        let (Some(registration), Some(call), Some(arguments)) = (registration, call, position) else {
            let todo = "hand them on as they came, and run again";
            self.problem(at, "the arguments of the tool are not handed on to this function", todo);
            return;
        };
        if let Origin::Parameter { index, whole: true, .. } = how {
            self.handed.push((call, *index));
        }
        let exprs = program.exprs().filter(|at| at.module == func.module && program.within(program.func_of(*at), func));
        let mut tools: Vec<Name> = exprs.flat_map(|at| analysis.tool_names(handler, at)).collect();
        tools.sort_by_key(|name| name.text());
        tools.dedup();
        let body = BodyUse { leading: None, arguments, calls: vec![self.site(call)], dispatches: true };
        self.out.handlers.push(HandlerUse { handler: func, registration, tools, dispatches: true, body: Some(body) });
    }

    /// Calls that hand the id to functions none of which takes it any more.
    pub(super) fn sheds(&self) -> Vec<Shed> {
        let mut handed = self.handed.clone();
        handed.sort_unstable();
        handed.dedup();
        handed.into_iter().filter_map(|(call, index)| self.shed(call, index)).collect()
    }

    /// Whether that holds for all calls that hand the id on.
    pub(super) fn sheds_all(&self) -> bool {
        self.handed.iter().all(|(call, index)| self.shed(*call, *index).is_some())
    }

    fn shed(&self, call: ExprRef, index: usize) -> Option<Shed> {
        let flow = &self.context.analysis.flow;
        let argument = self.handed(call, index).filter(|at| flow.is_id(*at) || self.holds_only_ids(*at))?;
        let caller = flow.program.func_of(call);
        let callees = flow.edges.get(&caller)?.iter().filter(|(_, at, edge)| *at == call && *edge != Edge::Callback);
        let mut unused = Vec::new();
        for (callee, ..) in callees {
            let Some(symbol) = self.symbol(*callee, index) else { continue };
            if flow.uses(symbol).next().is_none() || self.only_keys(symbol) {
                unused.extend(self.parameter(*callee, index));
            } else if !self.gives_up(*callee, symbol) {
                return None;
            }
        }
        unused.sort();
        let spot = |func: FuncRef| Spot { module: func.module, span: flow.program.function(func).span };
        let around = home(flow, caller);
        let calls = flow.callers.get(&around).into_iter().flatten().filter(|(.., edge)| *edge == Edge::Call);
        let mut callers: Vec<Site> = calls.map(|(_, at, _)| self.site(*at)).collect();
        callers.sort();
        Some(Shed {
            call: self.site(call),
            function: site(self.context, spot(around)),
            callers,
            argument: self.site(argument),
            index,
            unused,
        })
    }

    /// `if (!sessionId) throw …`: with a handle there is nothing to ask for.
    fn is_only_asked_for(&self, symbol: SymbolRef, used: &Site) -> bool {
        let facts = self.context.analysis.flow.program.module(symbol.module);
        facts.branches.iter().any(|branch| {
            let condition = At { module: symbol.module, id: branch.condition };
            branch.then_leaves && branch.otherwise.is_none() && self.site(condition).span == used.span
        })
    }

    /// Whether all uses of a parameter are keys in tools that close over it, or are handed on by them in the handle's place.
    fn only_keys(&self, symbol: SymbolRef) -> bool {
        let flow = &self.context.analysis.flow;
        let own = At { module: symbol.module, id: flow.program.symbol(symbol).func };
        !self.known.contains_key(&own)
            && flow.uses(symbol).all(|used| {
                let used = self.site(used);
                let calls = self.out.carriers.iter().flat_map(|carrier| &carrier.calls);
                self.out.touches.iter().any(|touch| touch.key == used)
                    || calls.filter_map(|call| call.argument.as_ref()).any(|argument| *argument == used)
                    || self.out.carried.iter().any(|carried| carried.at == used)
            })
    }

    /// Whether a function takes the handle where it took the id, and does nothing else with that.
    fn gives_up(&self, func: FuncRef, symbol: SymbolRef) -> bool {
        let Some(carrier) = self.known.get(&func).map(|index| &self.out.carriers[*index]) else { return false };
        match carrier.entry {
            // All of its uses become the handle.
            Entry::Closure { .. } => !carrier.shared,
            Entry::Handler(_) => self.context.analysis.flow.uses(symbol).all(|used| {
                let used = self.site(used);
                let within = |site: &Site| site.path == used.path && site.span.contains(used.span);
                let handed_on = self.out.carriers.iter().flat_map(|carrier| &carrier.calls);
                self.out.touches.iter().any(|touch| within(&touch.key))
                    || handed_on.filter_map(|call| call.argument.as_ref()).any(within)
                    || self.is_only_asked_for(symbol, &used)
            }),
            _ => false,
        }
    }
}
