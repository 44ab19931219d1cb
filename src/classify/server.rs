//! The answer for one package: role, categories, facets, principal, stores.

use super::answer::{
    Carrier, Category, Era, Facet, Failure, Holds, KeyedBy, Place, Principal, Role, SdkAnswer, Server, Store,
    StoreField,
};
use super::signals::Signals;
use super::stores::{Analysis, Found};
use crate::model::facts::{ExprKind, Key, Language, Span};
use crate::model::flow::value::{SourceKind, Value};
use crate::model::lives::{Contexts, Mode};
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Role as Plays;

/// A package as far as the answer needs it.
pub struct Package<'a> {
    /// Folder relative to the root.
    pub dir: &'a str,
    /// `typescript`, `javascript`, `python`, `rust`.
    pub language: &'static str,
    /// The SDK in use.
    pub sdk: Option<SdkAnswer>,
    /// Which modules of the program belong to it.
    pub modules: &'a [bool],
}

/// What a package turned out to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// It constructs a server, a transport, or registers handlers.
    pub serves: bool,
    /// It constructs clients.
    pub calls: bool,
    /// It serves over HTTP.
    pub http: bool,
    /// It gives a session id generator to something that is not known.
    pub generates: bool,
    /// It speaks the protocol by hand: the session header (or query) in a route beside the protocol's methods.
    pub by_hand: bool,
}

impl Shape {
    /// Looks at a package.
    pub fn of(analysis: &Analysis<'_>, signals: &Signals, modules: &[bool]) -> Self {
        let here = |at: &ExprRef| modules[at.module as usize];
        let flow = &analysis.flow;
        let constructs =
            analysis.lives.servers.iter().any(here) || analysis.lives.transports.iter().any(|site| here(&site.at));
        let registers = flow.registrations.keys().any(here);
        let entries = signals.entries.iter().chain(&signals.stateless_entries).any(here);
        let typed = analysis.stores.iter().any(|found| {
            modules[found.holder.module as usize] && found.with_transport && found.holds == Holds::Transport
        });
        let stdio_only = flow.object_ids().any(|id| flow.object(id).role == Some(Plays::StdioTransport));
        let routes = analysis.lives.routes.iter().any(|func| modules[func.module as usize]);
        let http = analysis.lives.transports.iter().any(|site| here(&site.at))
            || entries
            || (routes && !stdio_only)
            || signals.setups.sites.iter().any(|site| here(&site.at));
        Self {
            serves: constructs
                || registers
                || entries
                || typed
                || signals.frameworks.iter().chain(&signals.generators).any(here),
            calls: signals.clients.iter().any(here),
            http,
            generates: signals.generators.iter().any(here),
            by_hand: speaks_by_hand(analysis, modules),
        }
    }
}

/// The header literal or an SSE session query in a server route, together with the protocol's method names.
fn speaks_by_hand(analysis: &Analysis<'_>, modules: &[bool]) -> bool {
    let flow = &analysis.flow;
    let reads = flow.sources().iter().any(|source| {
        modules[source.at.module as usize]
            && match source.kind {
                SourceKind::Header | SourceKind::Minted => true,
                SourceKind::Query => flow.serves_sse(),
                _ => false,
            }
    });
    reads
        && flow.program.modules.iter().zip(modules).any(|(module, ours)| {
            *ours
                && module.exprs.iter().any(|expr| {
                    matches!(&expr.kind, ExprKind::Text(text) if matches!(text.text(), "initialize" | "tools/call" | "tools/list") || text.text().contains("event: endpoint"))
                })
        })
}

/// Answers for one package. `None` where it is neither server nor client.
pub fn answer(
    analysis: &Analysis<'_>,
    signals: &Signals,
    package: &Package<'_>,
    shape: Shape,
    place: &dyn Fn(u32, Span) -> Place,
) -> Option<Server> {
    let modules = package.modules;
    let stores: Vec<&Found> = analysis.stores.iter().filter(|found| modules[found.holder.module as usize]).collect();
    let role = match (shape.serves || shape.by_hand, shape.calls) {
        (true, true) => Role::Both,
        (true, false) => Role::Server,
        (false, true) => Role::Client,
        (false, false) if !stores.is_empty() => Role::Library,
        _ => return None,
    };
    let categories = categories(analysis, signals, modules, &stores);
    let category = categories.iter().copied().max().unwrap_or(Category::None);
    let categories = if categories.len() > 1 {
        categories.into_iter().filter(|c| *c != Category::SetupOnly).collect()
    } else {
        categories
    };
    let (principal, principal_at) = principal(analysis, signals, modules);
    Some(Server {
        path: package.dir.to_owned(),
        language: package.language,
        role,
        sdk: package.sdk.clone(),
        category,
        categories,
        facets: facets(analysis, signals, package, shape, &stores),
        principal,
        principal_at: principal_at.map(|at| place(at.module, analysis.flow.program.expr(at).span)),
        stores: stores
            .iter()
            .map(|found| store(analysis, found, place))
            .chain(process_stores(analysis, signals, package, place))
            .collect(),
        processes: Vec::new(),
        upgrades: Vec::new(),
    })
}

fn categories(analysis: &Analysis<'_>, signals: &Signals, modules: &[bool], stores: &[&Found]) -> Vec<Category> {
    let mut out = Vec::new();
    let here = |at: &ExprRef| modules[at.module as usize];
    if analysis.lives.transports.iter().any(|site| here(&site.at) && !site.sse && site.mode != Mode::Off)
        || signals.labels.iter().any(here)
        || signals.generators.iter().any(here)
        || signals.setups.sites.iter().any(|site| here(&site.at) && site.stated && site.mode != Mode::Off)
    {
        out.push(Category::SetupOnly);
    }
    for found in stores {
        out.push(match found.holds {
            Holds::Telemetry | Holds::ClientInfo => Category::SetupOnly,
            // Ids that are remembered without a transport.
            Holds::Transport if !found.with_transport && !holds_streams(found) => Category::SetupOnly,
            Holds::Transport => Category::TransportMap,
            Holds::AppState | Holds::Guard | Holds::Subscription => Category::AppState,
            Holds::Auth => Category::Auth,
            Holds::Upstream => Category::Gateway,
        });
        if found.with_transport {
            out.push(Category::TransportMap);
        }
        if found.with_auth {
            out.push(Category::Auth);
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Queues and streams that stand for the transports of a protocol spoken by hand.
fn holds_streams(found: &Found) -> bool {
    found.value.as_deref().is_some_and(|value| value.contains("Queue"))
}

fn facets(
    analysis: &Analysis<'_>,
    signals: &Signals,
    package: &Package<'_>,
    shape: Shape,
    stores: &[&Found],
) -> Vec<Facet> {
    let here = |at: &ExprRef| package.modules[at.module as usize];
    let mut out = Vec::new();
    let mut add = |holds: bool, facet| {
        if holds {
            out.push(facet);
        }
    };
    let transports = || analysis.lives.transports.iter().filter(|site| here(&site.at));
    add(
        stores.iter().any(|found| found.holds == Holds::Telemetry) || signals.labels.iter().any(here),
        Facet::Telemetry,
    );
    // What a tool announces has changed.
    let announced = signals
        .list_changed
        .iter()
        .filter(|at| analysis.lives.handler_reach.contains(&analysis.flow.program.func_of(**at)));
    let varying = signals.list_changes.iter().chain(&signals.varying_lists).chain(announced);
    add(varying.clone().any(here), Facet::MutableList);
    add(
        signals.process_state.iter().any(|lasting| package.modules[lasting.holder.module as usize]),
        Facet::ProcessState,
    );
    let stateless = transports().any(|site| !site.sse && site.mode != Mode::On);
    let setups = || signals.setups.sites.iter().filter(|site| here(&site.at));
    let stateless = stateless || setups().any(|site| site.mode != Mode::On);
    add(stateless || signals.stateless_entries.iter().any(here), Facet::StatelessAlready);
    // The sessions of fastmcp 4 are handles: a tool takes the id as an argument.
    let native = imports_modern(analysis, package.modules);
    add(native || has_handles(analysis, signals, package.modules), Facet::HandlesAlready);
    let modern = package.sdk.as_ref().is_some_and(|sdk| sdk.era == Some(Era::Modern));
    let modern_transport = |at: ExprRef| modern && analysis.flow.program.tables(at.module).traits.modern_by_version;
    let serves_modern = transports().any(|site| !site.sse && modern_transport(site.at));
    let serves_modern = serves_modern || signals.setups.modern.iter().any(here) || native;
    add(serves_modern || signals.entries.iter().any(here), Facet::Migrated);
    let implicit = setups().any(|site| !site.stated);
    add(implicit || signals.frameworks.iter().any(here), Facet::ImplicitSessions);
    add(shape.calls, Facet::Client);
    // That a list changed is told by the facet of the list.
    add(signals.asks.iter().chain(&signals.notifies).any(here), Facet::ServerInitiated);
    let resumed = shape.http && signals.resumed.iter().any(|(at, _)| here(at));
    add(resumed || signals.event_stores.iter().any(here), Facet::Resumability);
    add(stores.iter().any(|found| found.keyed_by == KeyedBy::SessionApi), Facet::SessionApi);
    let sse = signals.setups.sse.iter().any(here);
    add(sse || serves_sse(analysis, package.modules), Facet::SseLegacy);
    add(signals.shared_upstreams.iter().any(here), Facet::SharedUpstream);
    let dead = signals.dead_callbacks.iter().any(here)
        || analysis.dead.iter().any(|found| package.modules[found.holder.module as usize])
        || signals
            .dead_maps
            .iter()
            .any(|id| analysis.flow.holder(*id).is_some_and(|holder| package.modules[holder.module as usize]));
    add(dead, Facet::DeadSessionCode);
    out
}

/// Whether a module takes what only releases for the newest revision have.
fn imports_modern(analysis: &Analysis<'_>, modules: &[bool]) -> bool {
    analysis.flow.program.modules.iter().zip(modules).any(|(module, ours)| {
        *ours
            && module.language == Language::Python
            && module.imports.iter().any(|import| import.source == "fastmcp.server.sessions")
    })
}

fn serves_sse(analysis: &Analysis<'_>, modules: &[bool]) -> bool {
    analysis.lives.transports.iter().any(|site| site.sse && modules[site.at.module as usize])
        || analysis.flow.sources().iter().any(|source| {
            source.kind == SourceKind::Query && modules[source.at.module as usize] && analysis.flow.serves_sse()
        })
}

fn has_handles(analysis: &Analysis<'_>, signals: &Signals, modules: &[bool]) -> bool {
    signals.registries.iter().any(|registry| {
        modules[registry.lookup.module as usize]
            && !analysis.stores.iter().any(|found| found.objects.contains(&registry.object))
            && !analysis.lives.object_per_request(&analysis.flow, registry.object)
    })
}

/// How strong the server's notion of its caller is: somebody must check each request before anybody is anybody.
fn principal(analysis: &Analysis<'_>, signals: &Signals, modules: &[bool]) -> (Principal, Option<ExprRef>) {
    let flow = &analysis.flow;
    if let Some(at) = signals.authenticates.iter().find(|at| modules[at.module as usize]) {
        let user = flow.program.modules.iter().zip(modules).any(|(module, ours)| *ours && names_a_subject(module));
        return (if user { Principal::User } else { Principal::App }, Some(*at));
    }
    // A credential that a route compares with a value of the server's own: one key for everybody.
    for at in flow.program.exprs_of([Sort::Compare]).filter(|at| modules[at.module as usize]) {
        let ExprKind::Compare { left, right, .. } = flow.program.kind(at) else { continue };
        let (left, right) = (At { module: at.module, id: *left }, At { module: at.module, id: *right });
        let credential = |side| flow.at(side).iter().any(|v| matches!(v, Value::Credential(_)));
        let own = |side: ExprRef| {
            flow.at(side).iter().any(|v| matches!(v, Value::External(package, path) if *package == "" && path.text().starts_with("process.env")))
        };
        if (credential(left) && own(right)) || (credential(right) && own(left)) {
            let in_route = !analysis.lives.contexts(flow.program.func_of(at)).has(Contexts::CALL);
            if in_route {
                return (Principal::App, Some(at));
            }
        }
    }
    (Principal::None, None)
}

fn names_a_subject(module: &crate::model::facts::Module) -> bool {
    let subject = |name: &str| matches!(name, "sub" | "subject" | "userId" | "user_id" | "email" | "username");
    module.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Member { name, .. } => subject(name.text()),
        ExprKind::Object(fields) => {
            fields.iter().any(|field| matches!(&field.key, Key::Name(name) if subject(name.text())))
        }
        ExprKind::Text(text) => text.text() == "sub",
        _ => false,
    })
}

/// State of the process, as stores that go on working.
fn process_stores(
    analysis: &Analysis<'_>,
    signals: &Signals,
    package: &Package<'_>,
    place: &dyn Fn(u32, Span) -> Place,
) -> Vec<Store> {
    // Beside what a session loses it is a note only.
    let kept = analysis.stores.iter().any(|found| package.modules[found.holder.module as usize]);
    if package.language != "python" || kept {
        return Vec::new();
    }
    let ours = signals.process_state.iter().filter(|lasting| package.modules[lasting.holder.module as usize]);
    ours.map(|lasting| {
        let at = place(lasting.holder.module, lasting.holder.span);
        let mut tools = Vec::new();
        for used in lasting.uses.iter().chain(&lasting.writers) {
            let func = analysis.flow.program.func_of(*used);
            for handler in analysis.lives.handlers_of.get(&func).into_iter().flatten() {
                tools.extend(analysis.tool_names(*handler, *used).into_iter().map(|name| name.text().to_owned()));
            }
        }
        tools.sort_unstable();
        tools.dedup();
        Store {
            id: format!("{}#{}", at.path, lasting.holder.name),
            name: lasting.holder.name.text().to_owned(),
            container: "variable".to_owned(),
            keyed_by: KeyedBy::Process,
            value: None,
            holds: Holds::AppState,
            carrier: Carrier::Handle,
            failure: Failure::Works,
            tools,
            fields: Vec::new(),
            at,
        }
    })
    .collect()
}

fn store(analysis: &Analysis<'_>, found: &Found, place: &dyn Fn(u32, Span) -> Place) -> Store {
    let at = place(found.holder.module, found.holder.span);
    let lines = |places: &[ExprRef]| {
        let mut out: Vec<(String, u32)> = places
            .iter()
            .map(|at| place(at.module, analysis.flow.program.expr(*at).span))
            .map(|place| (place.path, place.line))
            .collect();
        out.sort();
        out.dedup();
        out.into_iter().map(|(path, line)| format!("{path}:{line}")).collect()
    };
    Store {
        id: format!("{}#{}", at.path, found.name),
        name: found.name.text().to_owned(),
        container: found.container.clone(),
        keyed_by: found.keyed_by,
        value: found.value.clone(),
        holds: found.holds,
        carrier: found.carrier,
        failure: found.failure,
        tools: found.tools.iter().map(|tool| tool.text().to_owned()).collect(),
        fields: found
            .fields
            .iter()
            .map(|(name, readers, writers)| StoreField {
                name: name.text().to_owned(),
                readers: lines(readers),
                writers: lines(writers),
            })
            .collect(),
        at,
    }
}

/// The answer's era for an SDK that speaks 2026-07-28 or not.
pub fn era(modern: Option<bool>) -> Option<Era> {
    modern.map(|modern| if modern { Era::Modern } else { Era::Legacy })
}
