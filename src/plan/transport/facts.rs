//! What becomes known of a server's expressions once there are no sessions.

use rustc_hash::FxHashSet;

use crate::classify::lifetime::Lasting;
use crate::classify::stores::Found;
use crate::model::facts::{ExprId, ExprKind, FuncKind, Span, SymbolKind, TOP};
use crate::model::flow::value::{ObjId, SourceInfo, SourceKind, Value};
use crate::model::flow::{Edge, Flow, Root};
use crate::model::lives::{Mode, TransportSite};
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::reach::reach;
use crate::model::vocabulary::{Op, Role};
use crate::plan::loggers::is_logger;
use crate::rules::detect::Context;

use super::emitters::{self, Emitters};
use super::routes::func_site;
use super::slots::Slots;
use super::{Fact, Route, Unit, is_transport, tables};

/// Collects what is known, file by file.
pub fn collect(context: &Context<'_, '_>, routes: &[Route]) -> Vec<Unit> {
    let flow = &context.analysis.flow;
    let absent = |source: &&SourceInfo| matches!(source.kind, SourceKind::Header | SourceKind::Transport);
    let ids = flow.sources().iter().filter(absent).map(|source| source.at).collect();
    let transports = context.transports().filter(|site| !site.sse).map(|site| site.at).collect();
    let sse = context.transports().filter(|site| site.sse).map(|site| site.at).collect();
    let off = |site: &&TransportSite| !site.sse && site.mode == Mode::Off;
    let sessionless = context.transports().filter(off).map(|site| site.at).collect();
    let tables = tables::objects(context);
    let predicates = FxHashSet::default();
    let emitters = emitters::collect(flow);
    let slots = Slots::of(context);
    let mut collector =
        Collector { slots, sse, sessionless, context, flow, tables, ids, transports, emitters, predicates };
    collector.predicates = collector.opening_predicates();
    let mut out: Vec<Unit> = (0..context.modules.len() as u32)
        .filter(|module| context.modules[*module as usize])
        .map(|module| collector.unit(module))
        .filter(|unit| {
            routes.iter().any(|route| route.at.path == unit.path)
                || unit.facts.iter().any(|(_, fact)| !matches!(fact, Fact::Log | Fact::Method | Fact::Close))
        })
        .collect();
    // A function that other files call runs with what is not known.
    let path = |func: FuncRef| &flow.program.module(func.module).path;
    let known: FxHashSet<String> = out.iter().map(|unit| unit.path.clone()).collect();
    let called_outside: FxHashSet<(&String, Span)> = flow
        .callers
        .iter()
        .filter(|(_, callers)| callers.iter().any(|(caller, _, _)| !known.contains(path(*caller))))
        .map(|(func, _)| (path(*func), flow.program.function(*func).span))
        .collect();
    for unit in &mut out {
        unit.closed.retain(|at| !called_outside.contains(&(&unit.path, *at)));
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

pub(super) struct Collector<'a, 'c, 'p> {
    pub(super) context: &'c Context<'a, 'p>,
    pub(super) flow: &'a Flow<'p>,
    tables: FxHashSet<ObjId>,
    /// What holds one session at a time.
    slots: Slots,
    /// Where session ids enter.
    ids: FxHashSet<ExprRef>,
    /// Where transports are constructed.
    transports: FxHashSet<ExprRef>,
    /// Where those are that open no sessions already.
    sessionless: FxHashSet<ExprRef>,
    /// Where those of the HTTP+SSE kind are.
    sse: FxHashSet<ExprRef>,
    /// What tells of sessions by events.
    emitters: Emitters,
    /// Functions of the program that say whether a request opens a session.
    pub(super) predicates: FxHashSet<FuncRef>,
}

impl Collector<'_, '_, '_> {
    fn unit(&self, module: u32) -> Unit {
        let facts = self.flow.program.module(module);
        let mut out = Unit { path: facts.path.clone(), facts: Vec::new(), calls: Vec::new(), closed: Vec::new() };
        for id in facts.expr_ids() {
            let at = At { module, id };
            let span = facts.expr(id).span;
            if let Some(fact) = self.fact(at) {
                out.facts.push((span, fact));
            }
            if matches!(facts.kind(id), ExprKind::Call { .. } | ExprKind::New { .. } | ExprKind::Member { .. })
                && let Some(callee) = self.only_callee(at)
            {
                out.calls.push((span, func_site(self.context, callee)));
            }
        }
        out.facts.sort_by_key(|(span, fact)| (*span, rank(fact)));
        out.facts.dedup_by_key(|(span, _)| *span);
        let functions = (0..facts.functions.len() as u32).map(|id| At { module, id: crate::model::facts::FuncId(id) });
        out.closed = functions.filter(|func| self.is_closed(*func)).map(|func| self.span_of(func)).collect();
        out
    }

    fn span_of(&self, func: FuncRef) -> Span {
        self.flow.program.function(func).span
    }

    fn fact(&self, at: ExprRef) -> Option<Fact> {
        if self.ids.contains(&at) || self.asks_for_id(at) {
            return Some(Fact::Absent);
        }
        if self.emitters.bases.contains(&at) {
            return Some(Fact::Emitter);
        }
        if self.slots.contains(self.context, at) {
            return Some(Fact::Slot);
        }
        let objects: Vec<ObjId> = self.flow.objects_at(at).collect();
        let facts = self.flow.program.module(at.module);
        match facts.kind(at.id) {
            ExprKind::Call { .. } | ExprKind::New { .. } if self.sessionless.contains(&at) => Some(Fact::Sessionless),
            ExprKind::Call { .. } | ExprKind::New { .. } if self.transports.contains(&at) => Some(Fact::Construct),
            ExprKind::Call { .. } | ExprKind::New { .. } if self.sse.contains(&at) => Some(Fact::Sse),
            ExprKind::Call { .. } => self.call(at),
            ExprKind::Compare { left, right, operator } if self.names_initialize(at.module, *left, *right) => {
                let own =
                    self.predicates.iter().any(|func| self.flow.program.within(self.flow.program.func_of(at), *func));
                (operator.text().starts_with("==") && !own && self.decides(at)).then_some(Fact::Opens)
            }
            ExprKind::Member { object, .. } if self.carries(at, At { module: at.module, id: *object }) => {
                Some(Fact::Carried)
            }
            ExprKind::Symbol(_) | ExprKind::Member { .. } if !objects.is_empty() => {
                if objects.iter().all(|id| self.tables.contains(id)) {
                    Some(Fact::Table)
                } else if objects.iter().all(|id| is_transport(self.flow.object(*id).role)) {
                    Some(Fact::Transport)
                } else {
                    None
                }
            }
            ExprKind::Member { object, name } if *name == "method" => {
                self.flow.plays(At { module: at.module, id: *object }, Role::Request).then_some(Fact::Method)
            }
            _ => None,
        }
    }

    /// Whether a call of what a function was given answers the id of a session: `getSessionId()`, given `() => transport.sessionId`.
    fn asks_for_id(&self, at: ExprRef) -> bool {
        let ExprKind::Call { callee, args } = self.flow.program.kind(at) else { return false };
        let ExprKind::Symbol(symbol) = self.flow.program.module(at.module).kind(*callee) else { return false };
        let given = self.flow.program.module(at.module).symbol(*symbol).kind == SymbolKind::Parameter;
        given && args.is_empty() && {
            let callees: Vec<FuncRef> = self.flow.functions_at(At { module: at.module, id: *callee }).collect();
            let answers_id = |func: &FuncRef| {
                let answers = &self.flow.program.function(*func).returns;
                answers.iter().any(|id| self.ids.contains(&At { module: func.module, id: *id }))
            };
            callees.iter().all(|func| self.answers_only(*func)) && callees.iter().any(answers_id)
        }
    }

    /// Whether all that a function does is to answer a value that is at hand: `() => transport.sessionId`, `() => undefined`.
    fn answers_only(&self, func: FuncRef) -> bool {
        let function = self.flow.program.function(func);
        let facts = self.flow.program.module(func.module);
        let calls = |id: &ExprId| matches!(facts.kind(*id), ExprKind::Call { .. } | ExprKind::New { .. });
        function.kind == FuncKind::Anonymous
            && function.params.is_empty()
            && function.returns.len() <= 1
            && !facts.expr_ids().filter(|id| facts.expr(*id).func == func.id).any(|id| calls(&id))
    }

    /// Whether a field is one of a request, and all that it ever holds belongs to a session: a transport, or an entry of their table.
    fn carries(&self, field: ExprRef, of: ExprRef) -> bool {
        let on_request = [Role::Request, Role::RequestScope].into_iter().any(|role| self.flow.plays(of, role));
        let held: Vec<ObjId> = self.flow.objects_at(field).collect();
        let entries = |id: &ObjId| {
            let mut tables = self.tables.iter();
            tables.any(|table| self.flow.elements(*table).contains(&Value::Object(*id)))
        };
        let goes = |id: &ObjId| is_transport(self.flow.object(*id).role) || entries(id);
        on_request && !held.is_empty() && held.iter().all(goes)
    }

    fn call(&self, at: ExprRef) -> Option<Fact> {
        if self.emitters.emits.contains(&at) {
            return Some(Fact::Emit);
        }
        if self.emitters.listens.contains(&at) {
            return Some(Fact::Listen);
        }
        if let Some(pairs) = self.flow.connects.get(&at) {
            let ours =
                pairs.is_empty() || pairs.iter().any(|(_, transport)| is_transport(self.flow.object(*transport).role));
            return ours.then_some(Fact::Connect);
        }
        for &performed in self.flow.performed(at).iter() {
            let role = performed.object.and_then(|id| self.flow.object(id).role);
            match performed.op {
                Op::IsInitialize if self.opens(at) => return Some(Fact::Opens),
                Op::Connect => return Some(Fact::Connect),
                Op::HandleRequest if is_transport(role) && self.named(at, "handleRequest") => {
                    return Some(Fact::Handle);
                }
                Op::Log | Op::Measure => return Some(Fact::Log),
                _ => {}
            }
        }
        let asks = self.only_callee(at).is_some_and(|callee| self.predicates.contains(&callee));
        if asks && self.opens(at) {
            return Some(Fact::Opens);
        }
        if self.builds(at) {
            return Some(Fact::Build);
        }
        let ExprKind::Call { callee, .. } = self.flow.program.kind(at) else { return None };
        let ExprKind::Member { object, name } = self.flow.program.module(at.module).kind(*callee) else {
            return None;
        };
        if is_logger(self.flow, at) {
            return Some(Fact::Log);
        }
        if matches!(name.text(), "some" | "find" | "every") && self.asks_each(at) && self.opens(at) {
            return Some(Fact::Opens);
        }
        let closes = matches!(name.text(), "close" | "terminate" | "disconnect")
            && self.flow.objects_at(At { module: at.module, id: *object }).any(|id| {
                matches!(self.flow.object(id).role, Some(Role::Transport | Role::Server | Role::SseTransport))
                    || tables::wraps_server(self.context, id)
            });
        closes.then_some(Fact::Close)
    }

    /// Whether a call builds a server, and nothing in what it runs is kept for later calls of its tools.
    fn builds(&self, at: ExprRef) -> bool {
        if !self.flow.plays(at, Role::Server) {
            return false;
        }
        let callees = self.flow.callees(at);
        let program = self.flow.program;
        !callees.is_empty()
            && callees.into_iter().flat_map(|callee| reach(self.flow, callee)).all(|func| {
                let span = program.function(func).span;
                let within = |module: u32, at: Span| module == func.module && span.contains(at);
                let kept = |lasting: &Lasting| within(lasting.holder.module, lasting.holder.span);
                let stored = |found: &Found| within(found.holder.module, found.holder.span);
                func.id == TOP
                    || !(self.context.analysis.process.iter().any(kept)
                        || self.context.analysis.stores.iter().any(stored))
            })
    }

    fn named(&self, call: ExprRef, name: &str) -> bool {
        self.flow.callee_name(call).is_some_and(|called| called == name)
    }

    /// Whether a check for an initialize request decides about the transport, and not about something else that only such a request
    /// is to do.
    pub(super) fn decides(&self, at: ExprRef) -> bool {
        let facts = self.flow.program.module(at.module);
        let span = facts.expr(at.id).span;
        let func = facts.expr(at.id).func;
        let mut branches = facts
            .branches
            .iter()
            .filter(|branch| branch.func == func && facts.expr(branch.condition).span.contains(span));
        let Some(branch) = branches.next() else { return true };
        branch.then_leaves
            || branch.otherwise_leaves
            || [Some(branch.then), branch.otherwise]
                .into_iter()
                .flatten()
                .any(|part| self.makes_transport(at.module, part) || self.throws(at.module, part))
    }

    /// Whether code within a span calls a function that does nothing but throw.
    fn throws(&self, module: u32, part: Span) -> bool {
        let facts = self.flow.program.module(module);
        let mut within = facts.expr_ids().filter(|id| part.contains(facts.expr(*id).span));
        within.any(|id| {
            let callee = matches!(facts.kind(id), ExprKind::Call { .. }).then(|| self.only_callee(At { module, id }));
            callee.flatten().is_some_and(|callee| {
                let own = self.flow.program.function(callee);
                let branches = &self.flow.program.module(callee.module).branches;
                !own.throws.is_empty()
                    && own.returns.is_empty()
                    && !branches.iter().any(|branch| branch.func == callee.id)
            })
        })
    }

    /// Whether code within a span makes, connects or uses a transport.
    fn makes_transport(&self, module: u32, part: Span) -> bool {
        let facts = self.flow.program.module(module);
        facts.expr_ids().filter(|id| part.contains(facts.expr(*id).span)).any(|id| {
            let at = At { module, id };
            match facts.kind(id) {
                ExprKind::Call { .. } | ExprKind::New { .. } => {
                    self.transports.contains(&at)
                        || self.flow.connects.contains_key(&at)
                        || self.flow.callees(at).into_iter().any(|callee| self.reaches_transport(callee))
                }
                _ => false,
            }
        })
    }

    pub(super) fn reaches_transport(&self, func: FuncRef) -> bool {
        let reached = reach(self.flow, func);
        self.transports.iter().any(|at| reached.contains(&self.flow.program.func_of(*at)))
    }

    fn only_callee(&self, at: ExprRef) -> Option<FuncRef> {
        let mut callees = self.flow.callees(at);
        let caller = self.flow.program.func_of(at);
        let direct = |callee: &FuncRef| {
            self.flow.edges.get(&caller).is_some_and(|edges| edges.contains(&(*callee, at, Edge::Call)))
        };
        // A function of the program is run, whatever it is handed.
        if let ExprKind::Call { callee, .. } = self.flow.program.kind(at)
            && let ExprKind::Symbol(_) = self.flow.program.module(at.module).kind(*callee)
            && let [Value::Func(only)] = self.flow.at(At { module: at.module, id: *callee })
            && direct(only)
        {
            return Some(*only);
        }
        // What is handed over may run as well or not, and what it answers need not be what the call answers.
        if let ExprKind::Call { args, .. } = self.flow.program.kind(at) {
            let given = args.iter().map(|arg| At { module: at.module, id: arg.value });
            let mut given = given.flat_map(|arg| self.flow.functions_at(arg)).filter(|func| callees.contains(func));
            if given.any(|func| !self.answers_only(func)) {
                return None;
            }
            callees.retain(|func| !self.answers_only(*func));
        }
        callees.sort_unstable();
        callees.dedup();
        match callees.as_slice() {
            [only] if direct(only) => Some(*only),
            _ => None,
        }
    }

    /// Whether all that runs a function is calls of the program that can run nothing else.
    fn is_closed(&self, func: FuncRef) -> bool {
        let runs = |roots: &FxHashSet<Root>| roots.iter().any(|root| *root != Root::Timer);
        if self.flow.program.function(func).kind == FuncKind::Top || self.flow.roots.get(&func).is_some_and(runs) {
            return false;
        }
        let Some(callers) = self.flow.callers.get(&func) else { return false };
        callers
            .iter()
            .all(|(_, at, edge)| *edge == Edge::Call && self.context.here(*at) && self.only_callee(*at) == Some(func))
    }
}

/// What counts where an expression is several things: the more telling one.
fn rank(fact: &Fact) -> u8 {
    match fact {
        Fact::Absent => 0,
        Fact::Construct | Fact::Sessionless | Fact::Sse => 1,
        Fact::Table => 2,
        _ => 3,
    }
}
