//! What a Python program says of sessions where it sets up its server: keywords, settings, the environment, or nothing at all.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::defaults;
use crate::model::facts::{Arg, ExprKind, Key, Language};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::lives::Mode;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::{Role, SetupNames};

/// A place that decides whether there are sessions.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The value that says so, or the call that serves without a word.
    pub at: ExprRef,
    /// Whether sessions are opened.
    pub mode: Mode,
    /// It is written down; else the SDK's default holds.
    pub stated: bool,
}

/// The set-up of a program's servers.
#[derive(Default)]
pub struct Setups {
    /// Where it is decided whether there are sessions.
    pub sites: Vec<Setup>,
    /// Where the HTTP+SSE transport is served.
    pub sse: Vec<ExprRef>,
    /// Where event stores are given.
    pub event_stores: Vec<ExprRef>,
    /// Where sessions of the SDK's manager are counted or listed.
    pub counted: Vec<ExprRef>,
    /// Where entry points of releases for the newest revision are used.
    pub modern: Vec<ExprRef>,
}

/// A setting, and the servers it belongs to; none where that is not known.
struct Setting {
    value: ExprRef,
    servers: Vec<ObjId>,
}

/// A call that serves over HTTP without saying anything of sessions.
struct Serves {
    at: ExprRef,
    servers: Vec<ObjId>,
}

/// The names of the language of an expression.
fn names(flow: &Flow<'_>, at: ExprRef) -> &'static SetupNames {
    &flow.program.tables(at.module).setup
}

impl Setups {
    /// Collects what Python modules say.
    pub fn new(flow: &Flow<'_>) -> Self {
        let mut out = Self::default();
        let (mut settings, mut serving) = (Vec::new(), Vec::new());
        let looker = Looker { flow, handed_over: OnceCell::new(), offered: OnceCell::new() };
        for at in flow.program.exprs_of([Sort::Call, Sort::Assign, Sort::Member]) {
            let facts = flow.program.module(at.module);
            let names = names(flow, at);
            if names.switches.is_empty() {
                continue;
            }
            let inner = |id| At { module: at.module, id };
            match facts.kind(at.id) {
                ExprKind::Call { callee, args } => {
                    out.call(&looker, at, inner(*callee), args, &mut settings, &mut serving);
                }
                ExprKind::Assign { target, value, .. } => match facts.kind(*target) {
                    ExprKind::Member { object, name } if names.switches.contains(&name.text()) => {
                        let servers = settings_of(flow, inner(*object));
                        // A field of one's own that is called the same is no setting.
                        if let Some(servers) = servers {
                            settings.push(Setting { value: inner(*value), servers });
                        }
                    }
                    // The environment, and options that are handed over as `**options` later.
                    ExprKind::Index { object, key }
                        if is_environment(flow, inner(*key))
                            || matches!(facts.kind(*key), ExprKind::Text(text) if names.switches.contains(&text.text())
                                && (is_own_word(text.text())
                                    || flow.objects_at(inner(*object)).any(|id| looker.is_handed_over(id)))) =>
                    {
                        settings.push(Setting { value: inner(*value), servers: Vec::new() });
                    }
                    _ => {}
                },
                ExprKind::Member { name, .. } if *name == names.counted => out.counted.push(at),
                _ => {}
            }
        }
        for setting in &settings {
            if let Some(mode) = mode(flow, setting.value) {
                out.sites.push(Setup { at: setting.value, mode, stated: true });
            }
        }
        for serves in serving {
            let said = settings.iter().any(|setting| {
                mode(flow, setting.value).is_some()
                    && (setting.servers.is_empty()
                        || serves.servers.is_empty()
                        || setting.servers.iter().any(|server| serves.servers.contains(server)))
            });
            if !said {
                out.sites.push(Setup { at: serves.at, mode: Mode::On, stated: false });
            }
        }
        out.sites.sort_unstable_by_key(|site| site.at);
        out
    }

    fn call(
        &mut self,
        looker: &Looker<'_, '_>,
        at: ExprRef,
        callee: ExprRef,
        args: &[Arg],
        settings: &mut Vec<Setting>,
        serving: &mut Vec<Serves>,
    ) {
        let flow = looker.flow;
        let names = names(flow, at);
        let inner = |id| At { module: at.module, id };
        let made = |role: Role| {
            let this = flow.objects_at(at).filter(|id| {
                flow.object(*id).role == Some(role)
                    && match flow.object(*id).site {
                        Site::Expr(site) => site == at,
                        Site::Class(class) => flow.instances.get(&class).is_some_and(|sites| sites.contains(&at)),
                        _ => false,
                    }
            });
            this.collect::<Vec<_>>()
        };
        let given = |name: &str| args.iter().find(|arg| arg.name.is_some_and(|given| given == *name));
        let stores_events = |positional: Option<&Arg>| {
            given(names.event_store).or(positional).is_some_and(|arg| flow.at(inner(arg.value)) != [Value::Absent])
        };
        let servers = made(Role::Server);
        if !servers.is_empty() {
            settings.extend(switch(flow, at, args).map(|value| Setting { value, servers: servers.clone() }));
            let modern = args.iter().any(|arg| arg.name.is_some_and(|name| name.text().starts_with(names.hook)))
                || servers.iter().any(|id| {
                    flow.object(*id)
                        .external
                        .is_some_and(|(_, path)| path.text().rsplit('.').next() == Some(names.modern))
                });
            if modern {
                self.modern.push(at);
            }
            if stores_events(None) {
                self.event_stores.push(at);
            }
            return;
        }
        if !made(Role::SessionManager).is_empty() {
            match switch(flow, at, args) {
                Some(value) => settings.push(Setting { value, servers: made(Role::SessionManager) }),
                None => serving.push(Serves { at, servers: made(Role::SessionManager) }),
            }
            let second = args.get(1).filter(|arg| arg.name.is_none() && !arg.spread);
            if stores_events(second) {
                self.event_stores.push(at);
            }
            return;
        }
        let ExprKind::Member { object, name } = flow.program.kind(callee) else { return };
        if *name == names.if_unset
            && let [key, value] = args
            && is_environment(flow, inner(key.value))
        {
            settings.push(Setting { value: inner(value.value), servers: Vec::new() });
            return;
        }
        let receiver = inner(*object);
        let servers: Vec<ObjId> =
            flow.objects_at(receiver).filter(|id| flow.object(*id).role == Some(Role::Server)).collect();
        let unknown = servers.is_empty() && !flow.objects_at(receiver).any(|id| flow.object(id).role.is_some());
        let transport = given(names.transport).or_else(|| args.first().filter(|arg| arg.name.is_none() && !arg.spread));
        let over = transport.map_or(Over::Unsaid, |arg| looker.over(inner(arg.value), arg.name.is_some()));
        let method = name.text();
        let run = names.run.contains(&method);
        let http = if run {
            matches!(over, Over::Http) && (!servers.is_empty() || (unknown && given(names.transport).is_some()))
        } else if names.run_http.contains(&method) {
            unknown || !servers.is_empty()
        } else {
            names.run_app.contains(&method) && !servers.is_empty() && !matches!(over, Over::Sse)
        };
        let run_sse = names.run_sse.contains(&method);
        let serves = run || run_sse || names.run_app.contains(&method);
        if !servers.is_empty() && (run_sse || (serves && matches!(over, Over::Sse))) {
            self.sse.push(at);
        }
        if !http && servers.is_empty() {
            return;
        }
        match switch(flow, at, args).filter(|value| mode(flow, *value).is_some()) {
            Some(value) => settings.push(Setting { value, servers }),
            None if http => serving.push(Serves { at, servers }),
            None => {}
        }
        if stores_events(None) {
            self.event_stores.push(at);
        }
    }
}

/// Whether a switch is called as nothing else is: a mere `stateless` may be a field of any record.
fn is_own_word(name: &str) -> bool {
    name.contains('_')
}

/// What is handed over as `**options` somewhere.
fn spread_objects(flow: &Flow<'_>) -> FxHashSet<ObjId> {
    let mut out = FxHashSet::default();
    for at in flow.program.exprs_of([Sort::Call, Sort::New]) {
        let (ExprKind::Call { args, .. } | ExprKind::New { args, .. }) = flow.program.kind(at) else { continue };
        for arg in args.iter().filter(|arg| arg.spread) {
            out.extend(flow.objects_at(At { module: at.module, id: arg.value }));
        }
    }
    out
}

/// How a server is told to serve.
enum Over {
    Http,
    Sse,
    Other,
    Unsaid,
}

/// What is the same for all servers of a program, found where one first asks for it.
struct Looker<'a, 'p> {
    flow: &'a Flow<'p>,
    handed_over: OnceCell<FxHashSet<ObjId>>,
    offered: OnceCell<Vec<Language>>,
}

impl Looker<'_, '_> {
    /// Whether an object is handed over as `**options` somewhere.
    fn is_handed_over(&self, id: ObjId) -> bool {
        self.handed_over.get_or_init(|| spread_objects(self.flow)).contains(&id)
    }

    /// The languages in which the program names HTTP as the SDKs do.
    fn offered(&self) -> &[Language] {
        self.offered.get_or_init(|| {
            let mut out = Vec::new();
            for at in self.flow.program.exprs_of([Sort::Text]) {
                let language = self.flow.program.module(at.module).language;
                if !out.contains(&language)
                    && let ExprKind::Text(text) = self.flow.program.kind(at)
                    && is_named_http(names(self.flow, at), text.text())
                {
                    out.push(language);
                }
            }
            out
        })
    }

    fn over(&self, at: ExprRef, named: bool) -> Over {
        let texts = || {
            self.flow.at(at).iter().filter_map(|value| match value {
                Value::Text(text) => Some(text.text()),
                _ => None,
            })
        };
        let names = names(self.flow, at);
        if texts().any(|text| names.http.contains(&text)) {
            return Over::Http;
        }
        if texts().any(|text| names.sse.contains(&text)) {
            return Over::Sse;
        }
        let written = matches!(self.flow.program.kind(at), ExprKind::Text(_));
        // Chosen elsewhere, among what the program names.
        let offered = named && !written && self.offered().contains(&self.flow.program.module(at.module).language);
        if offered { Over::Http } else { Over::Other }
    }
}

/// A text that means HTTP to an SDK and nothing else to anybody.
fn is_named_http(names: &SetupNames, text: &str) -> bool {
    text.contains('-') && names.http.contains(&text)
}

/// The keyword that says whether there are sessions, written out or within `**options`.
fn switch(flow: &Flow<'_>, at: ExprRef, args: &[Arg]) -> Option<ExprRef> {
    let inner = |id| At { module: at.module, id };
    let is_switch = |name: Name| names(flow, at).switches.contains(&name.text());
    if let Some(arg) = args.iter().find(|arg| arg.name.is_some_and(is_switch)) {
        return Some(inner(arg.value));
    }
    let spread = args.iter().filter(|arg| arg.spread).flat_map(|arg| flow.objects_at(inner(arg.value)));
    let mut options = spread.filter_map(|id| match flow.object(id).site {
        Site::Expr(site) => Some(site),
        _ => None,
    });
    options.find_map(|site| {
        let inner = |id| At { module: site.module, id };
        match flow.program.kind(site) {
            ExprKind::Object(fields) => fields
                .iter()
                .find(|field| matches!(&field.key, Key::Name(name) if is_switch(*name)))
                .map(|field| inner(field.value)),
            ExprKind::Call { args, .. } => {
                args.iter().find(|arg| arg.name.is_some_and(is_switch)).map(|arg| inner(arg.value))
            }
            _ => None,
        }
    })
}

/// The servers whose settings an expression is; `None` where it is something else.
fn settings_of(flow: &Flow<'_>, at: ExprRef) -> Option<Vec<ObjId>> {
    match flow.program.kind(at) {
        ExprKind::Member { object, name } if *name == names(flow, at).settings => {
            let owner = At { module: at.module, id: *object };
            let servers = flow.objects_at(owner).filter(|id| flow.object(*id).role == Some(Role::Server));
            Some(servers.collect())
        }
        _ => None,
    }
}

fn is_environment(flow: &Flow<'_>, at: ExprRef) -> bool {
    flow.at(at).iter().any(|value| matches!(value, Value::Text(text) if text.text() == names(flow, at).environment))
}

/// What a value says; `None` where it leaves the matter to the SDK. A setting that is sessionless unless somebody sets it is that.
fn mode(flow: &Flow<'_>, at: ExprRef) -> Option<Mode> {
    if defaults::is_true_by_default(flow, at) == Some(true) {
        return Some(Mode::Off);
    }
    let said = |text: &str| match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Mode::Off,
        "false" | "0" | "no" | "off" => Mode::On,
        _ => Mode::Either,
    };
    match flow.program.kind(at) {
        ExprKind::Absent => return None,
        ExprKind::Global(name) => return Some(said(name.text())),
        ExprKind::Text(text) => return Some(said(text.text())),
        // Others may set it: a field of settings.
        ExprKind::Member { .. } => return Some(Mode::Either),
        ExprKind::Symbol(symbol) => {
            let facts = flow.program.module(at.module);
            let scope = At { module: at.module, id: facts.symbol(*symbol).func };
            if flow.program.function(scope).params.iter().any(|param| param.symbol == *symbol) {
                return Some(Mode::Either);
            }
        }
        _ => return Some(Mode::Either),
    }
    let mut modes = flow.at(at).iter().map(|value| match value {
        Value::External(_, path) => said(path.text()),
        Value::Text(text) => said(text.text()),
        _ => Mode::Either,
    });
    let first = modes.next().unwrap_or(Mode::Either);
    Some(if modes.all(|other| other == first) { first } else { Mode::Either })
}
