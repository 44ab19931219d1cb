//! From a transport for each session to a server and a transport for each request.
//!
//! A sessionless server meets every request as one that opens a session: no id, an empty table, "is an initialize request". The plan
//! names the expressions that are so, file by file; specialising the code under them is the renderer's part.

mod emitters;
mod facts;
mod lists;
mod opening;
mod routes;
mod slots;
mod tables;

use crate::classify::answer::{Holds as Kept, Server};
use crate::model::facts::{Language, Span};
use crate::model::flow::value::{ObjId, Site as Made};
use crate::model::lives::{Mode, constructions};
use crate::model::program::{ExprRef, FuncRef};
use crate::model::vocabulary::Role;
use crate::rules::detect::Context;
use crate::rules::{session_transport_map, session_transport_setup};
use crate::workspace::version::Release;

use super::origins::{self, Origin};
use super::{Claim, Level, Manual, Site, Step, StepKind, endings, factories, site, twins};

/// What is known of an expression once there are no sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// It is absent: a session id.
    Absent,
    /// It says whether a request opens a session: all do now.
    Opens,
    /// It is a table of sessions, and empty.
    Table,
    /// It is a transport: `sessionId` of it is absent.
    Transport,
    /// It constructs a transport.
    Construct,
    /// It constructs a transport that opens no sessions already.
    Sessionless,
    /// It constructs a transport of the HTTP+SSE kind.
    Sse,
    /// It builds a server that keeps nothing of its own from one use to the next.
    Build,
    /// It connects a server to a transport.
    Connect,
    /// A transport answers a request.
    Handle,
    /// It ends a session's transport or server.
    Close,
    /// It holds the one session that there is at a time, and code that requests run puts another into it.
    Slot,
    /// A field of a request in which code that runs before the handler leaves the transport of the session, or what holds it.
    Carried,
    /// It is the method of the request.
    Method,
    /// It writes a log line or a measurement.
    Log,
    /// It tells who listens that a session began or ended.
    Emit,
    /// It listens for that.
    Listen,
    /// It is the base class of a registry that emits nothing else.
    Emitter,
}

/// What the plan knows of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The file.
    pub path: String,
    /// Expressions.
    pub facts: Vec<(Span, Fact)>,
    /// Calls and constructions, with the only function that each may run.
    pub calls: Vec<(Span, Site)>,
    /// Functions that only such calls run.
    pub closed: Vec<Span>,
}

/// What the path of a request meets: a registration of handlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The registering call.
    pub at: Site,
    /// The methods that it is for; empty for all.
    pub methods: Vec<String>,
    /// The handlers that reach a transport.
    pub handlers: Vec<Site>,
    /// What else the registration names: functions that see the request before the handlers do.
    pub hooks: Vec<Site>,
    /// The framework's package; `http` for the platform's own server, empty for a framework that calls exported functions.
    pub framework: String,
}

/// The step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transport {
    /// Package of the SDK, and the least release that the package allows or has installed.
    pub sdk: (String, Option<Release>),
    /// Files, by path.
    pub units: Vec<Unit>,
    /// Routes, in source order.
    pub routes: Vec<Route>,
    /// Routes of the HTTP+SSE transport alone, in source order.
    pub sse: Vec<Route>,
    /// Where the tables of sessions are declared.
    pub tables: Vec<Site>,
    /// Where the variables are declared that hold one session at a time.
    pub slots: Vec<Site>,
    /// Where the servers come from.
    pub servers: Vec<Origin>,
    /// Functions after which the process ends.
    pub endings: Vec<Site>,
    /// The session header in lists of headers that browsers may send or read.
    pub header_lists: Vec<Site>,
    /// Where the first transport is made that opens sessions.
    pub opened: Site,
    /// What serves without sessions already.
    pub twins: Vec<Site>,
    /// Nothing but the endpoints of HTTP+SSE has sessions: the other routes stay as they are.
    pub sse_alone: bool,
}

/// What a server's transport asks for: a step, or what a person has to do before.
#[derive(Debug, Default)]
pub struct Planned {
    /// The step.
    pub step: Option<Step>,
    /// What stands in its way.
    pub manual: Vec<Manual>,
}

/// Whether a variable or a field holds the one session that there is at a time.
pub(super) fn replaced(context: &Context<'_, '_>) -> bool {
    !slots::Slots::of(context).is_empty()
}

/// Plans the step for one server. `steps` are those planned for its stores.
pub fn plan(context: &Context<'_, '_>, server: &Server, steps: &[Step]) -> Planned {
    // Where nothing else has sessions, the endpoints of HTTP+SSE may stand beside one that has none.
    let sse_alone = context.transports().all(|site| site.sse || site.mode == Mode::Off)
        && context.transports().any(|site| !site.sse);
    let ours = || context.transports().filter(|site| site.sse == sse_alone && (site.sse || site.mode != Mode::Off));
    let typescript = |at: u32| {
        matches!(context.analysis.flow.program.module(at).language, Language::TypeScript | Language::JavaScript)
    };
    let Some(first) = ours().find(|site| typescript(site.at.module)) else { return Planned::default() };
    let mut manual = tables::objections(context);
    manual.extend(hidden(context));
    manual.extend(unfit_factories(context));
    let requires = requirements(context, steps, &mut manual);
    let routes = routes::collect(context);
    if routes.is_empty() && manual.is_empty() {
        manual.push(Manual {
            rule: session_transport_setup::RULE.name,
            at: site(context, context.call_spot(first.at)),
            what: "make server and transport per request".to_owned(),
            why: "no route was found that leads to this transport".to_owned(),
            cause: None,
            todo: vec!["build server and transport in the handler that receives the request".to_owned()],
        });
    }
    if !manual.is_empty() {
        return Planned { step: None, manual };
    }
    let mut claims: Vec<Claim> = ours()
        .map(|found| {
            let at = found.generator.map_or_else(|| context.call_spot(found.at), |at| context.spot(at));
            Claim { rule: session_transport_setup::RULE.name, at: site(context, at) }
        })
        .collect();
    let maps = context.stores().filter(|found| found.with_transport && found.holds == Kept::Transport);
    claims.extend(maps.map(|found| Claim {
        rule: session_transport_map::RULE.name,
        at: Site {
            path: context.analysis.flow.program.module(found.holder.module).path.clone(),
            span: found.holder.span,
        },
    }));
    let mut sse = routes::collect_sse(context);
    // A program of its own for older clients stays: its address is not that of this one.
    let apart = routes::sse_programs(context, &routes, &sse);
    let mut routes = routes;
    for list in [&mut routes, &mut sse] {
        list.retain(|route| !apart.contains(&route.at.path));
    }
    if sse_alone && sse.is_empty() {
        return Planned::default();
    }
    claims.retain(|claim| !apart.contains(&claim.at.path));
    let mut units = facts::collect(context, &[routes.clone(), sse.clone()].concat());
    units.retain(|unit| !apart.contains(&unit.path));
    let mut tables = tables::sites(context);
    tables.retain(|table| !apart.contains(&table.path));
    let slots = slots::Slots::of(context).sites(context);
    let loses_sse = !sse.is_empty() || units.iter().any(|unit| unit.facts.iter().any(|(_, fact)| *fact == Fact::Sse));
    let step = Step {
        // A package may hold several servers, each in files of its own.
        id: format!("transport:{}", context.analysis.flow.program.module(first.at.module).path),
        rule: session_transport_setup::RULE.name,
        title: match loses_sse {
            _ if sse_alone => "Drop the HTTP+SSE endpoints, which always have sessions".to_owned(),
            false => "Make server and transport for each request, without sessions".to_owned(),
            true => "Make server and transport for each request, without sessions, and drop the HTTP+SSE endpoints"
                .to_owned(),
        },
        level: if loses_sse { Level::Review } else { Level::Safe },
        requires,
        claims,
        kind: StepKind::Transport(Box::new(Transport {
            sdk: sdk(server),
            units,
            routes,
            sse,
            tables,
            slots,
            servers: origins::servers(context),
            endings: endings::of(context),
            header_lists: lists::sites(context),
            opened: site(context, context.call_spot(first.at)),
            twins: if sse_alone { Vec::new() } else { twins::of(context) },
            sse_alone,
        })),
        notes: Vec::new(),
    };
    Planned { step: Some(step), manual }
}

/// What the functions that build the servers make besides, and must not make for each request.
fn unfit_factories(context: &Context<'_, '_>) -> Vec<Manual> {
    let flow = &context.analysis.flow;
    let served: Vec<FuncRef> = context.transports().map(|site| flow.program.func_of(site.at)).collect();
    let origins = constructions(flow, &[Role::Server])
        .into_iter()
        .filter(|at| context.here(*at) && !serves_stdio_alone(context, *at));
    let mut out: Vec<Manual> = origins
        .flat_map(|origin| served.iter().map(move |served| (origin, *served)))
        .filter_map(|(origin, served)| factories::obstacle(context, origin, served))
        .collect();
    out.sort_by(|a, b| a.at.cmp(&b.at));
    out.dedup();
    out
}

/// Whether a server is connected to transports over stdio, and to no other.
fn serves_stdio_alone(context: &Context<'_, '_>, origin: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let made = |id: ObjId| matches!(flow.object(id).site, Made::Expr(at) if at == origin);
    let pairs = flow.connects.values().flatten().filter(|(server, _)| made(*server));
    let mut roles = pairs.map(|(_, transport)| flow.object(*transport).role).peekable();
    roles.peek().is_some() && roles.all(|role| role == Some(Role::StdioTransport))
}

/// The routes that lead to the transports of a package.
pub(super) fn routes_of(context: &Context<'_, '_>) -> Vec<Route> {
    routes::collect(context)
}

/// A transport of a package that handles requests in a way of its own.
fn hidden(context: &Context<'_, '_>) -> Option<Manual> {
    let flow = &context.analysis.flow;
    let theirs = context
        .transports()
        .find(|site| flow.object(site.object).external.is_some_and(|(package, _)| package == "@hono/mcp"))?;
    Some(Manual {
        rule: session_transport_setup::RULE.name,
        at: site(context, context.call_spot(theirs.at)),
        what: "make server and transport per request".to_owned(),
        why: "this transport is not the SDK's, and keeps sessions in a way of its own".to_owned(),
        cause: None,
        todo: vec!["use `WebStandardStreamableHTTPServerTransport` of the SDK, then run again".to_owned()],
    })
}

/// The steps that have to be applied before; a store that has none stands in the way.
fn requirements(context: &Context<'_, '_>, steps: &[Step], manual: &mut Vec<Manual>) -> Vec<String> {
    let mut out = Vec::new();
    for found in context.stores() {
        if found.holds == Kept::Transport {
            continue;
        }
        let path = &context.analysis.flow.program.module(found.holder.module).path;
        let end = format!(":{path}#{}", found.name);
        match steps.iter().find(|step| step.id.ends_with(&end)) {
            Some(step) => out.push(step.id.clone()),
            None => manual.push(Manual {
                rule: session_transport_setup::RULE.name,
                at: Site { path: path.clone(), span: found.holder.span },
                what: "make server and transport per request".to_owned(),
                why: format!("`{}` still hangs on the session", found.name),
                cause: None,
                todo: vec![format!("move `{}` off the session first; the transport follows then", found.name)],
            }),
        }
    }
    out.sort();
    out.dedup();
    out
}

/// The SDK by which the package serves, and the least release it may run with.
fn sdk(server: &Server) -> (String, Option<Release>) {
    let Some(sdk) = &server.sdk else { return (String::new(), None) };
    let digits = |text: &str| Release::parse(text.trim_start_matches(|char: char| !char.is_ascii_digit()));
    let release = sdk.requirement.as_deref().and_then(digits).or_else(|| sdk.resolved.as_deref().and_then(digits));
    (sdk.name.clone(), release)
}

/// Whether an object is a transport that holds sessions.
fn is_transport(role: Option<Role>) -> bool {
    role == Some(Role::Transport)
}
