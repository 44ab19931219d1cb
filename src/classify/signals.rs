//! What else a program does that matters for the migration, besides keeping stores: facts that facets and rules share.

use super::frameworks::{frameworks, speaks_of_mcp};
use super::handshake;
use super::minted::{self, Minted};
use super::registries::{dead_maps, process_state, registries};
use super::resumption::{self, Resumes};
use super::undelivered;

use super::answer::Holds;
use super::lifetime::Lasting;
use super::setup::Setups;
use super::stores::Analysis;
use crate::model::facts::{ExprId, ExprKind, Field, Key, Language, Span};
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::flow::{Edge, Registered};
use crate::model::lives::{Contexts, Mode};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, Sort};
use crate::model::vocabulary::{Op, Role};

/// A registry of handles: a container in which the model's argument finds what a random id was given to.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The container.
    pub object: ObjId,
    /// The look-up by argument.
    pub lookup: ExprRef,
    /// The argument's name as the tool takes it.
    pub argument: Option<Name>,
}

/// Facts beside the stores.
#[derive(Default)]
pub struct Signals {
    /// Calls to the client that wait for its answer.
    pub asks: Vec<ExprRef>,
    /// Messages to the client outside a request.
    pub notifies: Vec<ExprRef>,
    /// Announcements that a list changed.
    pub list_changed: Vec<ExprRef>,
    /// Reads of what the client said in the handshake.
    pub client_info: Vec<ExprRef>,
    /// Hooks that run with the handshake or after it.
    pub hooks: Vec<(u32, Span)>,
    /// Registrations made or switched by handlers.
    pub list_changes: Vec<ExprRef>,
    /// List handlers whose answer depends on session state.
    pub varying_lists: Vec<ExprRef>,
    /// Entry points that build a server for each request.
    pub entries: Vec<ExprRef>,
    /// Entry points of adapters that are sessionless by themselves.
    pub stateless_entries: Vec<ExprRef>,
    /// Constructions of clients and their transports.
    pub clients: Vec<ExprRef>,
    /// Upstream clients that live as long as the process.
    pub shared_upstreams: Vec<ExprRef>,
    /// Where a session id labels a log line, span or metric.
    pub labels: Vec<ExprRef>,
    /// Event stores that are given to a transport or constructed.
    pub event_stores: Vec<ExprRef>,
    /// What else counts on streams that clients resume.
    pub resumed: Vec<(ExprRef, Resumes)>,
    /// What a server without sessions sends to nobody.
    pub undelivered: Vec<(ExprRef, Name)>,
    /// Handles that tools make up in silence.
    pub minted: Vec<Minted>,
    /// The session header in lists of headers that browsers may read or send.
    pub header_lists: Vec<ExprRef>,
    /// Session callbacks of transports that open no session.
    pub dead_callbacks: Vec<ExprRef>,
    /// Containers of transports that nothing fills.
    pub dead_maps: Vec<ObjId>,
    /// Registries of handles.
    pub registries: Vec<Registry>,
    /// Written capabilities that need a standing stream.
    pub capabilities: Vec<(ExprRef, Name)>,
    /// A server or transport of the process that each request uses.
    pub shared: Vec<(ExprRef, ObjId)>,
    /// Constructions of frameworks that keep sessions.
    pub frameworks: Vec<ExprRef>,
    /// Session id generators that are given to something other than a known transport.
    pub generators: Vec<ExprRef>,
    /// Calls that authenticate requests.
    pub authenticates: Vec<ExprRef>,
    /// State of the process that handlers change and that nothing keys.
    pub process_state: Vec<Lasting>,
    /// What Python programs say of sessions where they set up servers.
    pub setups: Setups,
}

impl Signals {
    /// Collects the facts of an analysed program.
    pub fn new(analysis: &Analysis<'_>) -> Self {
        let mut out = Self::default();
        for at in analysis.flow.program.exprs_of([Sort::Call, Sort::Text, Sort::Object]) {
            match analysis.flow.program.kind(at) {
                ExprKind::Call { .. } => out.call(analysis, at),
                ExprKind::Text(text) => out.text(analysis, at, *text),
                ExprKind::Object(_) => {
                    out.capability_fields(analysis, at);
                    out.generator_field(analysis, at);
                }
                _ => {}
            }
        }
        out.labels = super::labels::find(analysis);
        out.setups = Setups::new(&analysis.flow);
        out.labels.extend(&out.setups.counted);
        out.event_stores.extend(&out.setups.event_stores);
        out.clients = crate::model::lives::constructions(&analysis.flow, &[Role::Client, Role::ClientTransport]);
        out.frameworks = frameworks(analysis);
        out.shared_upstreams = shared_upstreams(analysis);
        out.transports(analysis);
        out.registrations(analysis);
        out.registries = registries(analysis);
        out.dead_maps = dead_maps(analysis);
        out.process_state = process_state(analysis, &out.registries);
        out.client_info.extend(handshake::reads(analysis));
        out.hooks = handshake::hooks(analysis);
        out.resumed = resumption::find(analysis);
        out.undelivered = undelivered::find(analysis);
        out.minted = minted::find(analysis, &out.registries);
        out
    }

    fn call(&mut self, analysis: &Analysis<'_>, at: ExprRef) {
        for &performed in analysis.flow.performed(at).iter() {
            // A name alone proves nothing here.
            let known = performed.object.is_some_and(|id| analysis.flow.object(id).role.is_some())
                || analysis.flow.at(performed.receiver).iter().any(|v| matches!(v, Value::External(..)));
            if !known {
                continue;
            }
            let list = match performed.op {
                Op::AskClient => &mut self.asks,
                Op::Notify | Op::LogMessage => &mut self.notifies,
                Op::ListChanged => &mut self.list_changed,
                Op::ClientInfo => &mut self.client_info,
                Op::ServePerRequest => {
                    let modern = analysis.flow.at(at).iter().any(|v| matches!(v, Value::Object(id) if analysis.flow.object(*id).external.is_some_and(|(package, _)| package == "@modelcontextprotocol/server")));
                    if modern || analysis.flow.at(at).is_empty() {
                        &mut self.entries
                    } else {
                        &mut self.stateless_entries
                    }
                }
                Op::SessionVisibility => &mut self.list_changes,
                Op::ServeInit => &mut self.stateless_entries,
                Op::Authenticate => &mut self.authenticates,
                _ => continue,
            };
            if !list.contains(&at) {
                list.push(at);
            }
        }
    }

    /// The header's name within a list of allowed or exposed headers.
    fn text(&mut self, analysis: &Analysis<'_>, at: ExprRef, text: Name) {
        if !has_session_header(text.text()) {
            return;
        }
        let facts = analysis.flow.program.module(at.module);
        let mut id = at.id;
        for _ in 0..5 {
            let Some(parent) = facts.expr(id).parent else { return };
            match facts.kind(parent) {
                ExprKind::Object(fields) => {
                    let name = fields.iter().find(|field| field.value == id).and_then(|field| match &field.key {
                        Key::Name(name) => Some(name.text().to_ascii_lowercase()),
                        _ => None,
                    });
                    if name.is_some_and(|name| is_header_list(&name)) {
                        self.header_lists.push(at);
                        return;
                    }
                    id = parent;
                }
                // `['Content-Type', 'Mcp-Session-Id'].join(', ')`.
                ExprKind::Call { callee, .. } if matches!(facts.kind(*callee), ExprKind::Member { name, .. } if name.text() == "join") =>
                {
                    id = parent;
                }
                ExprKind::Call { args, .. } => {
                    let first = args.first().map(|arg| At { module: at.module, id: arg.value });
                    let listed = first.is_some_and(|first| {
                        matches!(analysis.flow.program.kind(first), ExprKind::Text(name) if is_header_list(&name.text().to_ascii_lowercase()))
                    });
                    if listed {
                        self.header_lists.push(at);
                    }
                    return;
                }
                _ => id = parent,
            }
        }
    }

    /// `capabilities: { resources: { subscribe: true } }`.
    fn capability_fields(&mut self, analysis: &Analysis<'_>, at: ExprRef) {
        let facts = analysis.flow.program.module(at.module);
        let ExprKind::Object(fields) = facts.kind(at.id) else { return };
        for field in fields {
            let Key::Name(name) = &field.key else { continue };
            if !matches!(name.text(), "subscribe" | "listChanged")
                || !matches!(facts.kind(field.value), ExprKind::Literal)
            {
                continue;
            }
            // `false` says that it is not offered.
            let span = facts.expr(field.value).span;
            let offered = span.end - span.start != 5;
            if offered && under_capabilities(facts, at.id) && !of_client(analysis, at) {
                self.capabilities.push((At { module: at.module, id: field.value }, *name));
            }
        }
    }

    /// `sessionIdGenerator: …` for a framework that passes it on.
    fn generator_field(&mut self, analysis: &Analysis<'_>, at: ExprRef) {
        let facts = analysis.flow.program.module(at.module);
        let ExprKind::Object(fields) = facts.kind(at.id) else { return };
        let Some(field) =
            fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == "sessionIdGenerator"))
        else {
            return;
        };
        let value = At { module: at.module, id: field.value };
        let values = analysis.flow.at(value);
        let generates = values.iter().any(|v| matches!(v, Value::Func(_) | Value::External(..)));
        let known = analysis.lives.transports.iter().any(|site| site.generator == Some(value));
        let to_transport = facts.expr(at.id).parent.is_some_and(|parent| {
            matches!(facts.kind(parent), ExprKind::New { .. })
                && analysis.flow.plays(At { module: at.module, id: parent }, Role::Transport)
        });
        if generates && !known && !to_transport && analysis.lives.transports.is_empty() && speaks_of_mcp(facts, at.id) {
            self.generators.push(value);
        }
    }

    fn transports(&mut self, analysis: &Analysis<'_>) {
        let flow = &analysis.flow;
        for site in &analysis.lives.transports {
            let (ExprKind::New { args, .. } | ExprKind::Call { args, .. }) = flow.program.kind(site.at) else {
                continue;
            };
            for arg in args {
                for id in flow.objects_at(At { module: site.at.module, id: arg.value }) {
                    let store = flow.field_values(id, Name::new("eventStore"));
                    if store.iter().any(|v| !matches!(v, Value::Absent)) {
                        self.event_stores.push(site.at);
                    }
                    if site.mode == Mode::Off {
                        for name in ["onsessioninitialized", "onsessionclosed"] {
                            if flow.field_values(id, Name::new(name)).iter().any(|v| matches!(v, Value::Func(_))) {
                                let written = flow.written_field(id, Name::new(name));
                                self.dead_callbacks.push(written.unwrap_or(site.at));
                            }
                        }
                    }
                }
            }
            if site.mode == Mode::Off && !site.sse {
                self.shared_by_requests(analysis, site.object, site.at);
            }
        }
    }

    /// One server connected to a transport per request, or one sessionless transport that serves all requests.
    fn shared_by_requests(&mut self, analysis: &Analysis<'_>, transport: ObjId, made: ExprRef) {
        let flow = &analysis.flow;
        let per_request = |func| {
            let contexts = analysis.lives.contexts(func);
            contexts.has(Contexts::REQUEST) || contexts.has(Contexts::SESSION)
        };
        let made_per_request = per_request(flow.program.func_of(made));
        for (call, pairs) in &flow.connects {
            for (server, connected) in pairs {
                if *connected != transport || !made_per_request || !per_request(flow.program.func_of(*call)) {
                    continue;
                }
                let shared = analysis.lives.object_per_process(flow, *server)
                    && !analysis.lives.object_per_session(flow, *server)
                    && !self.made_per_request(analysis, *server);
                if shared && !self.shared.contains(&(*call, *server)) {
                    self.shared.push((*call, *server));
                }
            }
        }
        // Only the TypeScript SDK refuses a transport that has served a request.
        let single_use =
            matches!(flow.program.module(made.module).language, Language::TypeScript | Language::JavaScript);
        if made_per_request || !single_use || !analysis.lives.object_per_process(flow, transport) {
            return;
        }
        for at in flow.program.exprs_of([Sort::Call]) {
            if per_request(flow.program.func_of(at))
                && flow.performed(at).iter().any(|p| p.op == Op::HandleRequest && p.object == Some(transport))
                && !self.shared.contains(&(at, transport))
            {
                self.shared.push((at, transport));
            }
        }
    }

    fn made_per_request(&self, analysis: &Analysis<'_>, id: ObjId) -> bool {
        let made = |at: &ExprRef| {
            let func = analysis.flow.program.func_of(*at);
            analysis.lives.contexts(func).has(Contexts::REQUEST) || called_per_request(analysis, func)
        };
        match analysis.flow.object(id).site {
            Site::Expr(at) => made(&at),
            Site::Class(class) => analysis.flow.instances.get(&class).is_some_and(|sites| sites.iter().any(made)),
            // The low-level server within another one: `server.server`.
            Site::Part(owner, _) if owner.0 != u32::MAX => self.made_per_request(analysis, owner),
            _ => false,
        }
    }

    fn registrations(&mut self, analysis: &Analysis<'_>) {
        let flow = &analysis.flow;
        for (at, registration) in &flow.registrations {
            if analysis.lives.handler_reach.contains(&flow.program.func_of(*at)) {
                self.list_changes.push(*at);
            }
            // A tool may be called `list_orders`; what lists tools is a method of the protocol.
            let lists = registration.what == Registered::Method
                && registration.name.is_some_and(|name| {
                    name.text().contains("List") || name.text().ends_with("/list") || name.text().starts_with("list_")
                });
            if lists && self.varies(analysis, registration) {
                self.varying_lists.push(*at);
            }
        }
        let switched = analysis.mutations.switched.values().flatten();
        self.list_changes.extend(switched.copied());
        self.list_changes.sort_unstable();
        self.list_changes.dedup();
        self.varying_lists.sort_unstable();
    }

    /// Whether a list handler reads a store of the session.
    fn varies(&self, analysis: &Analysis<'_>, registration: &crate::model::flow::Registration) -> bool {
        registration.handlers.iter().any(|handler| {
            let reached = crate::model::reach::reach(&analysis.flow, *handler);
            analysis.stores.iter().any(|found| {
                matches!(found.holds, Holds::AppState | Holds::Guard)
                    && found.uses.iter().any(|access| reached.contains(&access.func))
            })
        })
    }
}

/// Whether a function was handed to code that calls it for each request.
fn called_per_request(analysis: &Analysis<'_>, func: FuncRef) -> bool {
    let callers = analysis.flow.callers.get(&func);
    callers.into_iter().flatten().any(|(caller, _, edge)| {
        let contexts = analysis.lives.contexts(*caller);
        *edge == Edge::Given && (contexts.has(Contexts::REQUEST) || contexts.has(Contexts::SESSION))
    })
}

/// Whether a text names the session header, in whatever case.
fn has_session_header(text: &str) -> bool {
    const HEADER: &[u8] = b"mcp-session-id";
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'm', b'M', bytes)
        .any(|at| bytes.get(at..at + HEADER.len()).is_some_and(|found| found.eq_ignore_ascii_case(HEADER)))
}

fn is_header_list(name: &str) -> bool {
    let name = name.replace('-', "");
    name.contains("exposedheaders")
        || name.contains("exposeheaders")
        || name.contains("allowedheaders")
        || name.contains("allowheaders")
}

/// Whether an object literal stands under a field called `capabilities`.
fn under_capabilities(facts: &crate::model::facts::Module, object: ExprId) -> bool {
    let mut at = object;
    for _ in 0..4 {
        let Some(parent) = facts.expr(at).parent else { return false };
        if let ExprKind::Object(fields) = facts.kind(parent)
            && let Some(field) = fields.iter().find(|field| field.value == at)
            && matches!(&field.key, Key::Name(name) if *name == "capabilities")
        {
            return !is_info(facts, parent, fields);
        }
        at = parent;
    }
    false
}

/// Whether an object literal tells a server's name and version: capabilities that stand among them are offered to nobody.
fn is_info(facts: &crate::model::facts::Module, object: ExprId, fields: &[Field]) -> bool {
    let names = |wanted: &str| fields.iter().any(|field| matches!(&field.key, Key::Name(name) if *name == wanted));
    let constructs = facts.expr(object).parent.is_some_and(
        |call| matches!(facts.kind(call), ExprKind::New { args, .. } if args.first().is_some_and(|arg| arg.value == object)),
    );
    constructs && names("name") && names("version")
}

/// Whether an object literal is part of what a client is constructed with.
fn of_client(analysis: &Analysis<'_>, object: ExprRef) -> bool {
    let facts = analysis.flow.program.module(object.module);
    let mut at = object.id;
    while let Some(parent) = facts.expr(at).parent {
        at = parent;
        if matches!(facts.kind(at), ExprKind::New { .. }) {
            return analysis.flow.plays(At { module: object.module, id: at }, Role::Client);
        }
    }
    false
}

fn shared_upstreams(analysis: &Analysis<'_>) -> Vec<ExprRef> {
    let flow = &analysis.flow;
    if analysis.lives.servers.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for id in flow.object_ids() {
        let object = flow.object(id);
        if object.role != Some(Role::Client)
            || !analysis.lives.object_per_process(flow, id)
            || analysis.lives.object_per_session(flow, id)
        {
            continue;
        }
        if let Site::Expr(at) = object.site {
            out.push(at);
        }
    }
    out
}
