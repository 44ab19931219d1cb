//! How long things live: in which contexts does each function run, and who reaches it.

use super::transports::transport_sites;
pub use super::transports::{constructions, unfed_factories};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{AssignKind, ExprKind, Span, TOP};
use super::flow::value::ObjId;
use super::flow::{Edge, Flow, Root};
use super::program::{At, ExprRef, FuncRef, Sort};
use super::reach::{is_factory, reach, routes};
use super::vocabulary::Role;

/// A set of contexts in which code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contexts(u8);

impl Contexts {
    /// Once for the process.
    pub const PROCESS: Self = Self(1);
    /// Once for each session.
    pub const SESSION: Self = Self(2);
    /// Once for each HTTP request.
    pub const REQUEST: Self = Self(4);
    /// Once for each call of a tool (or other handler).
    pub const CALL: Self = Self(8);
    /// Nothing that was read runs it.
    pub const UNKNOWN: Self = Self(16);

    /// Whether all of `other` is in this set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn add(&mut self, other: Self) -> bool {
        let before = self.0;
        self.0 |= other.0;
        self.0 != before
    }
}

/// Whether a transport opens sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// No generator, or an absent one.
    Off,
    /// A generator.
    On,
    /// Either, by a condition.
    Either,
}

/// A place where a transport is constructed.
#[derive(Clone, Copy, Debug)]
pub struct TransportSite {
    /// The construction.
    pub at: ExprRef,
    /// The object.
    pub object: ObjId,
    /// HTTP+SSE, always with a session.
    pub sse: bool,
    /// Whether it opens sessions.
    pub mode: Mode,
    /// The generator's value, if written.
    pub generator: Option<ExprRef>,
}

/// Lifetimes and reachability over a solved program.
pub struct Lives {
    contexts: FxHashMap<FuncRef, Contexts>,
    /// Everything that a tool, resource or prompt handler may run.
    pub handler_reach: FxHashSet<FuncRef>,
    /// For each function, the handler roots that reach it.
    pub handlers_of: FxHashMap<FuncRef, FxHashSet<FuncRef>>,
    /// Functions in which handlers are written, at any depth.
    pub registers: FxHashSet<FuncRef>,
    /// Functions that a web framework runs for a request.
    pub routes: FxHashSet<FuncRef>,
    /// Transport constructions.
    pub transports: Vec<TransportSite>,
    /// Server constructions.
    pub servers: Vec<ExprRef>,
    /// Objects that a factory keeps in a place of the process: the first session's are everybody's.
    pub kept: FxHashSet<ObjId>,
    /// The program's servers are run over stdio and nowhere else.
    only_stdio: bool,
    /// Constructors of objects that serve over stdio.
    stdio: FxHashSet<FuncRef>,
    /// Code that runs once for the process within functions that requests run.
    lifespans: Vec<(u32, Span)>,
    /// Functions that run per session only because of such a factory.
    assumed_reach: FxHashSet<FuncRef>,
    /// Factories that nothing was seen to call, taken to run once per session.
    pub assumed: Vec<FuncRef>,
}

impl Lives {
    /// Computes lifetimes.
    pub fn new(flow: &Flow<'_>) -> Self {
        let transports = transport_sites(flow);
        let servers = constructions(flow, &[Role::Server, Role::SessionFramework]);
        let mut lives = Self {
            contexts: FxHashMap::default(),
            handler_reach: FxHashSet::default(),
            handlers_of: FxHashMap::default(),
            registers: FxHashSet::default(),
            routes: routes(flow),
            only_stdio: super::stdio::only(flow),
            stdio: super::stdio::constructors(flow, &transports),
            transports,
            servers,
            kept: FxHashSet::default(),
            lifespans: super::lifespans::branches(flow),
            assumed: Vec::new(),
            assumed_reach: FxHashSet::default(),
        };
        lives.reach_from_handlers(flow);
        lives.spread_contexts(flow);
        lives.kept = lives.kept_by_process(flow);
        lives
    }

    /// Whether what is declared at a place lives per session only as far as nobody was seen to call the factory around it.
    pub fn is_assumed_at(&self, flow: &Flow<'_>, module: u32, span: Span) -> bool {
        self.assumed_reach.iter().filter(|func| func.module == module).any(|func| {
            let facts = flow.program.module(module);
            let function = facts.function(func.id);
            function.span.contains(span) || function.class.is_some_and(|class| facts.class(class).span.contains(span))
        })
    }

    /// The contexts of a function.
    pub fn contexts(&self, func: FuncRef) -> Contexts {
        self.contexts.get(&func).copied().unwrap_or_default()
    }

    /// Whether what an expression creates may live as long as a session.
    pub fn per_session(&self, flow: &Flow<'_>, at: ExprRef) -> bool {
        self.contexts(flow.program.func_of(at)).has(Contexts::SESSION)
    }

    /// What code that runs per session puts into variables around it, of the process.
    fn kept_by_process(&self, flow: &Flow<'_>) -> FxHashSet<ObjId> {
        let mut out = FxHashSet::default();
        for at in flow.program.exprs_of([Sort::Assign]) {
            let ExprKind::Assign { target, value, kind: AssignKind::Set | AssignKind::IfAbsent } =
                flow.program.kind(at)
            else {
                continue;
            };
            if !flow.program.tables(at.module).traits.explicit_factories {
                continue;
            }
            let ExprKind::Symbol(symbol) = flow.program.module(at.module).kind(*target) else { continue };
            let scope = At { module: at.module, id: flow.program.module(at.module).symbol(*symbol).func };
            let around = self.contexts(scope);
            let func = flow.program.func_of(at);
            if scope != func
                && self.contexts(func).has(Contexts::SESSION)
                && around.has(Contexts::PROCESS)
                && !around.has(Contexts::SESSION)
            {
                let values = flow.objects_at(At { module: at.module, id: *value });
                out.extend(values.filter(|id| flow.object(*id).class.is_some()));
            }
        }
        out
    }

    fn reach_from_handlers(&mut self, flow: &Flow<'_>) {
        let mut handlers: Vec<FuncRef> =
            flow.roots.iter().filter(|(_, roots)| roots.contains(&Root::Handler)).map(|(func, _)| *func).collect();
        handlers.sort_unstable();
        for handler in &handlers {
            let mut around = flow.program.function(*handler).parent;
            while let Some(id) = around {
                self.registers.insert(At { module: handler.module, id });
                around = flow.program.module(handler.module).function(id).parent;
            }
        }
        for handler in handlers {
            for func in reach(flow, handler) {
                self.handler_reach.insert(func);
                self.handlers_of.entry(func).or_default().insert(handler);
            }
        }
    }

    fn spread_contexts(&mut self, flow: &Flow<'_>) {
        let program = flow.program;
        let mut pending = Vec::new();
        for func in program.functions() {
            let seed = self.seed(flow, func);
            if !seed.is_empty() {
                self.contexts.insert(func, seed);
                pending.push(func);
            }
        }
        self.spread(flow, pending);
        // What nothing runs: an exported factory is run once per session as far as anyone can tell, where the SDK works that way.
        let known = self.contexts.clone();
        let mut orphans = Vec::new();
        for func in program.functions() {
            if self.contexts(func).is_empty() && self.is_orphan(flow, func) {
                let explicit = program.tables(func.module).traits.explicit_factories;
                let per_session = program.tables(func.module).traits.factory_per_session;
                let reached = reach(flow, func);
                let context = match self.builds_server(flow, &reached) {
                    // Whoever serves says so; this sets up something, or nothing was seen to use it.
                    _ if explicit && self.serves(flow, &reached) => Contexts::PROCESS,
                    _ if explicit => Contexts::UNKNOWN,
                    // What sets up the routes of an app runs once, whatever its routes make.
                    _ if per_session && self.sets_up_routes(func, &reached) => Contexts::PROCESS,
                    // It connects its server itself: over stdio there is one client.
                    true if !per_session || self.serves_stdio_only(flow, func, &reached) => Contexts::PROCESS,
                    true => {
                        self.assumed.push(func);
                        Contexts::SESSION
                    }
                    false => Contexts::UNKNOWN,
                };
                self.contexts.insert(func, context);
                orphans.push(func);
            }
        }
        self.spread(flow, orphans);
        let before = |func: &FuncRef| known.get(func).is_some_and(|contexts| contexts.has(Contexts::SESSION));
        let now = self.contexts.iter().filter(|(func, contexts)| contexts.has(Contexts::SESSION) && !before(func));
        self.assumed_reach = now.map(|(func, _)| *func).collect();
    }

    fn spread(&mut self, flow: &Flow<'_>, mut pending: Vec<FuncRef>) {
        while let Some(func) = pending.pop() {
            let own = self.contexts(func);
            for (callee, at, edge) in flow.edges.get(&func).into_iter().flatten() {
                if *edge == Edge::Given {
                    continue;
                }
                if flow.roots.get(callee).is_some_and(|roots| roots.contains(&Root::Handler)) {
                    continue;
                }
                // Who registers a route or hands over a factory does not run it.
                if self.routes.contains(callee) || (*edge == Edge::Callback && is_factory(flow, *callee)) {
                    continue;
                }
                let once = self.stdio.contains(callee) || self.starts_process(flow, *at);
                let own = if once { Contexts::PROCESS } else { own };
                if self.contexts.entry(*callee).or_default().add(own) {
                    pending.push(*callee);
                }
            }
        }
    }

    /// Whether a call stands in the branch of an application that the start and the end of the process go through.
    fn starts_process(&self, flow: &Flow<'_>, at: ExprRef) -> bool {
        let place = flow.program.expr(at).span;
        self.lifespans.iter().any(|(module, span)| *module == at.module && span.contains(place))
    }

    fn seed(&self, flow: &Flow<'_>, func: FuncRef) -> Contexts {
        let mut out = Contexts::default();
        if func.id == TOP {
            out.add(Contexts::PROCESS);
        }
        for root in flow.roots.get(&func).into_iter().flatten() {
            match root {
                Root::Handler => out.add(Contexts::CALL),
                Root::SessionLifespan if self.only_stdio => out.add(Contexts::PROCESS),
                Root::SessionStart | Root::SessionLifespan => out.add(Contexts::SESSION),
                Root::ProcessLifespan => out.add(Contexts::PROCESS),
                Root::RequestFactory => out.add(Contexts::REQUEST),
                Root::Factory => out.add(self.factory_context(flow, func)),
                Root::Route | Root::SessionEnd | Root::Timer => false,
            };
        }
        if self.routes.contains(&func) {
            out.add(self.route_context(flow, func));
        }
        out
    }

    /// A factory runs once per session of its transport, or once per request where that opens none.
    fn factory_context(&self, flow: &Flow<'_>, func: FuncRef) -> Contexts {
        let mut out = Contexts::default();
        for transport in flow.factories.get(&func).into_iter().flatten() {
            let modes = self.transports.iter().filter(|site| site.object == *transport).map(|site| site.mode);
            for mode in modes {
                if mode != Mode::Off {
                    out.add(Contexts::SESSION);
                }
                if mode != Mode::On {
                    out.add(Contexts::REQUEST);
                }
            }
        }
        if out.is_empty() { Contexts::SESSION } else { out }
    }

    /// A route runs per session where it makes a transport that can hold one.
    fn route_context(&self, flow: &Flow<'_>, func: FuncRef) -> Contexts {
        let reached = reach(flow, func);
        let mut out = Contexts::default();
        for site in &self.transports {
            if reached.contains(&flow.program.func_of(site.at)) && !self.process_transport(flow, site) {
                out.add(match site.mode {
                    Mode::Off => Contexts::REQUEST,
                    Mode::On | Mode::Either => Contexts::SESSION,
                });
            }
        }
        if out.is_empty() {
            // A server that is handed to a transport out of sight: one for each connection.
            let builds = self.servers.iter().any(|at| reached.contains(&flow.program.func_of(*at)));
            out.add(if builds { Contexts::SESSION } else { Contexts::REQUEST });
        }
        out
    }

    fn process_transport(&self, flow: &Flow<'_>, site: &TransportSite) -> bool {
        flow.program.func_of(site.at).id == TOP
    }

    fn is_orphan(&self, flow: &Flow<'_>, func: FuncRef) -> bool {
        let called =
            flow.callers.get(&func).is_some_and(|callers| callers.iter().any(|(caller, _, _)| *caller != func));
        !called && !flow.roots.contains_key(&func)
    }

    /// Whether a function that reaches others sets up a transport, or connects a server.
    fn serves(&self, flow: &Flow<'_>, reached: &FxHashSet<FuncRef>) -> bool {
        self.transports.iter().any(|site| reached.contains(&flow.program.func_of(site.at)))
            || flow.connects.keys().any(|at| reached.contains(&flow.program.func_of(*at)))
    }

    /// Whether a function, or the object that it makes, serves over stdio and over nothing else.
    fn serves_stdio_only(&self, flow: &Flow<'_>, func: FuncRef, reached: &FxHashSet<FuncRef>) -> bool {
        if self.stdio.contains(&func) {
            return true;
        }
        let stdio = constructions(flow, &[Role::StdioTransport]);
        stdio.iter().any(|at| reached.contains(&flow.program.func_of(*at)))
            && !self.transports.iter().any(|site| reached.contains(&flow.program.func_of(site.at)))
    }

    fn sets_up_routes(&self, func: FuncRef, reached: &FxHashSet<FuncRef>) -> bool {
        reached.iter().any(|reached| *reached != func && self.routes.contains(reached))
    }

    fn builds_server(&self, flow: &Flow<'_>, reached: &FxHashSet<FuncRef>) -> bool {
        self.servers.iter().any(|at| reached.contains(&flow.program.func_of(*at)))
    }
}
