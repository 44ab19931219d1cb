//! A transport that opens sessions and stands in no table: one for the whole process, or one for each request that is given a generator
//! all the same. Server and transport become those of one request.

use super::blockers::Blockers;
use super::origins::{Origin, importers, origins};
use super::transport::{Route, routes_of};
use super::{Claim, Level, Manual, Site, Step, StepKind, endings, factories, site, twins};
use crate::classify::answer::{Era, Server};
use crate::model::facts::{ExprKind, FuncKind};
use crate::model::flow::Edge;
use crate::model::flow::value::ObjId;
use crate::model::lives::{Mode, TransportSite};
use crate::model::program::ExprRef;
use crate::model::vocabulary::Op;
use crate::rules::detect::{Context, Spot};
use crate::rules::{Rule, dead_session_code, session_transport_setup, shared_stateless_server, stream_resumability};

/// What becomes of a transport.
#[derive(Clone, Debug)]
pub struct Singleton {
    /// Its construction.
    pub transport: Site,
    /// Calls of functions that make it and give it back.
    pub made_by: Vec<Site>,
    /// Where the program names it, as a variable or a field.
    pub named: Vec<Site>,
    /// Imports of its variable.
    pub importers: Vec<Site>,
    /// Where it is connected: the calls.
    pub connects: Vec<Site>,
    /// Where it answers requests: the calls.
    pub handles: Vec<Site>,
    /// The routes that lead to transports of the package.
    pub routes: Vec<Route>,
    /// Where the server that it is connected to comes from.
    pub origin: Origin,
    /// An object of the program is around the server, and connects it by a method of its own.
    pub wrapped: bool,
    /// The package serves with the second SDK.
    pub modern: bool,
    /// The option's value depends on a condition, and sessions are off in one of its cases.
    pub switched: bool,
    /// The session header in lists of headers that browsers may send or read.
    pub header_lists: Vec<Site>,
    /// Functions after which the process ends.
    pub endings: Vec<Site>,
    /// What serves without sessions already.
    pub twins: Vec<Site>,
}

/// What is planned for a set-up.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// Its steps.
    pub steps: Vec<Step>,
    /// What stands in their way.
    pub manual: Vec<Manual>,
    /// What stands in the way would stand in the way of any other step as well.
    pub blocked: bool,
}

/// Plans the set-up of a server. `steps` are those of its stores, which all come first.
pub fn plan(context: &Context<'_, '_>, server: &Server, steps: &[Step], blockers: &Blockers) -> Planned {
    let mut out = Planned::default();
    // A table of transports goes with its routes, in a step of its own.
    if context.stores().any(|found| found.with_transport) {
        return out;
    }
    for transport in context.transports().filter(|transport| !transport.sse) {
        let Some(found) = Found::of(context, transport) else { continue };
        match found.singleton(context, server) {
            Ok(singleton) => out.steps.push(step(context, server, singleton, steps, blockers)),
            Err(Obstacle::Unclear(refusal)) => out.manual.push(*refusal),
            Err(Obstacle::Certain(refusal)) => {
                out.blocked = true;
                if refusal.rule != session_transport_setup::RULE.name {
                    out.manual.push(waits(context, transport, std::slice::from_ref(&refusal)));
                }
                out.manual.push(*refusal);
            }
        }
    }
    out
}

/// Why there is no step.
enum Obstacle {
    /// The code is not understood; another planner may do better.
    Unclear(Box<Manual>),
    /// It is understood, and stands in the way.
    Certain(Box<Manual>),
}

/// A transport with what uses it.
struct Found<'a> {
    transport: &'a TransportSite,
    connects: Vec<(ExprRef, ObjId)>,
    handles: Vec<ExprRef>,
}

impl<'a> Found<'a> {
    /// Looks at a transport; `None` where there is nothing to do about it.
    fn of(context: &Context<'_, '_>, transport: &'a TransportSite) -> Option<Self> {
        let flow = &context.analysis.flow;
        let mut connects: Vec<(ExprRef, ObjId)> = flow
            .connects
            .iter()
            .flat_map(|(at, pairs)| pairs.iter().map(|pair| (*at, *pair)))
            .filter(|(_, (_, connected))| *connected == transport.object)
            .map(|(at, (server, _))| (at, server))
            .collect();
        connects.sort_unstable();
        let handles: Vec<ExprRef> = flow
            .program
            .exprs()
            .filter(|at| matches!(flow.program.kind(*at), ExprKind::Call { .. }))
            .filter(|at| {
                let performed = flow.performed(*at);
                performed.iter().any(|p| p.op == Op::HandleRequest && p.object == Some(transport.object))
            })
            .collect();
        let servers: Vec<ObjId> = connects.iter().map(|(_, server)| *server).collect();
        let shared =
            context.signals.shared.iter().any(|(_, object)| *object == transport.object || servers.contains(object));
        (transport.mode != Mode::Off || shared).then_some(Self { transport, connects, handles })
    }

    /// The calls that give the transport back, and the variables and fields that hold it.
    fn mentions(&self, context: &Context<'_, '_>) -> (Vec<Site>, Vec<Site>) {
        let flow = &context.analysis.flow;
        let ours = flow
            .program
            .exprs()
            .filter(|at| *at != self.transport.at && flow.objects_at(*at).any(|id| id == self.transport.object));
        let (mut calls, mut named) = (Vec::new(), Vec::new());
        for at in ours {
            match flow.program.kind(at) {
                ExprKind::Call { .. } => calls.push(place(context, at)),
                ExprKind::Symbol(_) | ExprKind::Member { .. } => named.push(place(context, at)),
                _ => {}
            }
        }
        for sites in [&mut calls, &mut named] {
            sites.sort();
            sites.dedup();
        }
        (calls, named)
    }

    /// The only call by which a method is given the transport to connect it: `app.connect(transport)`, of
    /// `connect(t) { return this.server.connect(t); }`.
    fn connected_by_method(&self, context: &Context<'_, '_>) -> Option<ExprRef> {
        let flow = &context.analysis.flow;
        let [(at, _)] = self.connects.as_slice() else { return None };
        let func = flow.program.func_of(*at);
        let function = flow.program.function(func);
        let given = flow.argument(*at, 0)?;
        let ExprKind::Symbol(symbol) = flow.program.kind(given) else { return None };
        let index = function.params.iter().position(|param| param.symbol == *symbol)?;
        if function.kind != FuncKind::Method {
            return None;
        }
        let ours = |call: &ExprRef| {
            flow.argument(*call, index).is_some_and(|arg| flow.objects_at(arg).any(|id| id == self.transport.object))
        };
        let callers = flow.callers.get(&func)?;
        let mut calls: Vec<ExprRef> =
            callers.iter().filter(|(.., edge)| *edge == Edge::Call).map(|(_, call, _)| *call).filter(ours).collect();
        calls.dedup();
        let [only] = calls.as_slice() else { return None };
        (index == 0).then_some(*only)
    }

    fn singleton(&self, context: &Context<'_, '_>, server: &Server) -> Result<Singleton, Obstacle> {
        let made = place(context, self.transport.at);
        let refuse = |why: &str, todo: &str| {
            Err(Obstacle::Unclear(Box::new(Manual {
                rule: session_transport_setup::RULE.name,
                at: place(context, self.transport.generator.unwrap_or(self.transport.at)),
                what: match self.transport.mode {
                    Mode::Off => "server or transport are shared by requests".to_owned(),
                    _ => "this transport opens sessions".to_owned(),
                },
                why: why.to_owned(),
                cause: None,
                todo: vec![todo.to_owned()],
            })))
        };
        let todo = "make server and transport in the handler of each request, with `sessionIdGenerator: undefined`";
        if !matches!(context.analysis.flow.program.kind(self.transport.at), ExprKind::New { .. }) {
            return refuse("it is not constructed in plain sight", todo);
        }
        if self.handles.is_empty() {
            return refuse("no call of its `handleRequest` is seen", todo);
        }
        let mut servers: Vec<ObjId> = self.connects.iter().map(|(_, server)| *server).collect();
        servers.sort_unstable();
        servers.dedup();
        let origins: Vec<ExprRef> = servers.iter().flat_map(|id| origins(context, *id)).collect();
        let [origin] = origins.as_slice() else {
            let why = if origins.is_empty() {
                "no server is seen to be connected to it"
            } else {
                "several servers may be connected to it"
            };
            return refuse(why, todo);
        };
        let served = context.analysis.flow.program.func_of(self.handles[0]);
        if let Some(obstacle) = factories::obstacle(context, *origin, served) {
            return Err(Obstacle::Certain(Box::new(obstacle)));
        }
        let (made_by, named) = self.mentions(context);
        let outer = self.connected_by_method(context);
        Ok(Singleton {
            transport: made,
            made_by,
            named,
            importers: importers(context, self.transport.at),
            connects: match &outer {
                Some(outer) => vec![place(context, *outer)],
                None => self.connects.iter().map(|(at, _)| place(context, *at)).collect(),
            },
            wrapped: outer.is_some(),
            handles: self.handles.iter().map(|at| place(context, *at)).collect(),
            routes: routes_of(context),
            origin: Origin::of(context, *origin, &servers, &self.connects),
            modern: is_modern(context, self.transport, server),
            switched: self.transport.mode == Mode::Either,
            header_lists: context.ours(&context.signals.header_lists).map(|at| place(context, at)).collect(),
            endings: endings::of(context),
            twins: if self.transport.mode == Mode::Off { Vec::new() } else { twins::of(context) },
        })
    }
}

/// Whether the transport is one of the second SDK.
fn is_modern(context: &Context<'_, '_>, transport: &TransportSite, server: &Server) -> bool {
    let package = context.analysis.flow.object(transport.object).external.map(|(package, _)| package.text());
    match package {
        Some("@modelcontextprotocol/sdk") => false,
        Some(_) => true,
        None => server.sdk.as_ref().is_some_and(|sdk| sdk.era == Some(Era::Modern)),
    }
}

fn step(context: &Context<'_, '_>, server: &Server, singleton: Singleton, steps: &[Step], blockers: &Blockers) -> Step {
    let claims = claims(context, &singleton);
    let events = claims.iter().any(|claim| claim.rule == stream_resumability::RULE.name);
    let mut notes = blockers.notes.clone();
    if events {
        notes.push(
            "the event store goes: a client whose stream breaks sends its request again, and the work may be done twice"
                .to_owned(),
        );
    }
    if server.sdk.is_none() {
        notes.push("no manifest names the SDK: the spelling is one that every release takes".to_owned());
    }
    if singleton.switched {
        notes.push(
            "the switch between sessions and none no longer has an effect: both of its positions serve without"
                .to_owned(),
        );
    }
    let shared: Vec<&str> = shared_state(context);
    for name in &shared {
        notes.push(format!(
            "`{name}` belongs to the process and handlers change it: clients that had to wait for each other before share it now"
        ));
    }
    // The event store and the switch are somebody's intention; so may be that there was one client only.
    let level = if events || singleton.switched || !shared.is_empty() { Level::Review } else { Level::Safe };
    Step {
        id: format!("transport:{}{}", singleton.transport.path, among_others(context, &singleton)),
        rule: session_transport_setup::RULE.name,
        title: "Make server and transport for each request, without sessions".to_owned(),
        level,
        requires: steps.iter().map(|step| step.id.clone()).collect(),
        claims,
        kind: StepKind::Singleton(Box::new(singleton)),
        notes,
    }
}

/// State of the process that handlers change.
fn shared_state(context: &Context<'_, '_>) -> Vec<&'static str> {
    let ours = context.analysis.process.iter().filter(|lasting| context.modules[lasting.holder.module as usize]);
    let mut names: Vec<&str> = ours.map(|lasting| lasting.holder.name.text()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What tells a transport from others that its file constructs.
fn among_others(context: &Context<'_, '_>, singleton: &Singleton) -> String {
    let of_file = context.transports().map(|other| place(context, other.at));
    let of_file = of_file.filter(|at| at.path == singleton.transport.path);
    match of_file.take_while(|at| *at != singleton.transport).count() {
        0 => String::new(),
        before => format!("#{}", before + 1),
    }
}

/// The findings that go with the transport.
fn claims(context: &Context<'_, '_>, singleton: &Singleton) -> Vec<Claim> {
    let rules: [&'static Rule; 4] = [
        &session_transport_setup::RULE,
        &shared_stateless_server::RULE,
        &stream_resumability::RULE,
        &dead_session_code::RULE,
    ];
    let mut out = Vec::new();
    for rule in rules {
        for detection in (rule.detect)(context) {
            let at = site(context, detection.at);
            let within = at.path == singleton.transport.path && singleton.transport.span.contains(at.span);
            let used = singleton.connects.iter().chain(&singleton.handles).chain(&singleton.header_lists);
            if within || used.clone().any(|used| *used == at) {
                out.push(Claim { rule: rule.name, at });
            }
        }
    }
    out
}

/// What is said of every transport that opens sessions, where something keeps the server on them.
pub fn waiting(context: &Context<'_, '_>, causes: &[Manual]) -> Vec<Manual> {
    let open = context.transports().filter(|transport| !transport.sse && transport.mode != Mode::Off);
    open.map(|transport| waits(context, transport, causes)).collect()
}

/// What is said of a set-up that something keeps on sessions.
fn waits(context: &Context<'_, '_>, transport: &TransportSite, causes: &[Manual]) -> Manual {
    let first = causes.first();
    let what = first.map_or("", |manual| manual.what.as_str());
    let more = causes.len().saturating_sub(1);
    let are = if more > 0 { "are" } else { "is" };
    let others = if more > 0 { format!(" and {more} more") } else { String::new() };
    let at = match transport.generator.filter(|at| context.here(*at)) {
        Some(at) => context.spot(at),
        None => context.call_spot(transport.at),
    };
    Manual {
        rule: session_transport_setup::RULE.name,
        at: site(context, at),
        what: match transport.mode {
            Mode::Off => "server or transport are shared by requests".to_owned(),
            _ => "this transport opens sessions".to_owned(),
        },
        why: format!("the server stays as it is until this{others} {are} seen to: {what}"),
        cause: first.map(|manual| manual.at.clone()),
        todo: vec![
            "see to what is named there; each has an entry of its own with what to do, then run this again".to_owned(),
        ],
    }
}

fn place(context: &Context<'_, '_>, at: ExprRef) -> Site {
    site(context, Spot { module: at.module, span: context.analysis.flow.program.expr(at).span })
}
