//! Stores: everything that is kept per session, with what it holds, where it belongs and what becomes of it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::access::{Access, Bag, Keyed, Kind};
use super::answer::{Carrier, Failure, Holds, KeyedBy};
use super::bodies::Body;
use super::by_hand;
use super::dispatch::Dispatch;
use super::failure;
use super::holds;
use super::lifetime::{Finder, Held, Lasting};
use super::mutations::Mutations;
use super::stand_ins;
use super::unfilled;
use crate::model::facts::ExprKind;
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, SourceKind, Value};
use crate::model::lives::{Contexts, Lives, Mode};
use crate::model::name::Name;
use crate::model::program::{ExprRef, FuncRef};
use crate::model::query::Holder;
use crate::model::vocabulary::{Op, Role};

/// A store, still in terms of the model.
#[derive(Clone, Debug)]
pub struct Found {
    /// What holds it.
    pub holder: Holder,
    /// Its name: variable, field, or the literal part of an external key.
    pub name: Name,
    /// Its container as the code names it.
    pub container: String,
    /// What keys it.
    pub keyed_by: KeyedBy,
    /// The value's type as written.
    pub value: Option<String>,
    /// What it holds.
    pub holds: Holds,
    /// It holds transports besides.
    pub with_transport: bool,
    /// It holds credentials or identities besides.
    pub with_auth: bool,
    /// Where it belongs.
    pub carrier: Carrier,
    /// What becomes of it.
    pub failure: Failure,
    /// Tools that reach it.
    pub tools: Vec<Name>,
    /// Fields of the value: name, readers, writers.
    pub fields: Vec<(Name, Vec<ExprRef>, Vec<ExprRef>)>,
    /// Where it is read and written, in source order.
    pub uses: Vec<Access>,
    /// Where handlers write state that has no key.
    pub writers: Vec<ExprRef>,
    /// The key that is one bucket for all: a constant stands in for the id, or nothing does.
    pub fallback: Option<ExprRef>,
    /// Its objects.
    pub objects: Vec<ObjId>,
    /// Captured or a field, where its lifetime is what makes it a store.
    pub held: Option<Held>,
}

/// All that the classification asks of a program.
pub struct Analysis<'p> {
    /// The solved program.
    pub flow: Flow<'p>,
    /// Lifetimes.
    pub lives: Lives,
    /// What handlers change.
    pub mutations: Mutations,
    /// What is written for one tool of several that are registered alike.
    pub bodies: Vec<Body>,
    /// Stores of the session.
    pub stores: Vec<Found>,
    /// State of the process that handlers change.
    pub process: Vec<Lasting>,
    /// Left over from sessions: tables of transports by an id that nobody is ever given, and tables that nothing ever fills.
    pub dead: Vec<Found>,
    /// Member expressions by the object that they are of, once somebody asks.
    pub(super) members: OnceCell<FxHashMap<ObjId, Vec<ExprRef>>>,
    /// What is asked to be more or less than something else, once somebody asks.
    pub(super) ordered: OnceCell<super::limiters::Ordered>,
    /// Calls that change an object, once somebody asks.
    pub(super) mutating: OnceCell<FxHashSet<ExprRef>>,
    /// Expressions for whose failure another value stands in, once somebody asks.
    pub(super) rescues: OnceCell<Vec<ExprRef>>,
    /// What handlers are registered by, once somebody asks.
    pub(super) registered: OnceCell<FxHashMap<FuncRef, Vec<ExprRef>>>,
    /// What the handlers of all tools run, for each that was asked about.
    pub(super) dispatches: RefCell<FxHashMap<FuncRef, Rc<Dispatch>>>,
}

impl<'p> Analysis<'p> {
    /// Analyses a solved program.
    pub fn new(flow: Flow<'p>) -> Self {
        let lives = Lives::new(&flow);
        Self::with(flow, lives)
    }

    /// The same where lifetimes were computed before.
    pub fn with(flow: Flow<'p>, lives: Lives) -> Self {
        let mutations = Mutations::of(&flow, &lives.handler_reach);
        let bodies = super::bodies::find(&flow);
        let mut analysis = Self {
            flow,
            lives,
            mutations,
            bodies,
            stores: Vec::new(),
            process: Vec::new(),
            dead: Vec::new(),
            members: OnceCell::new(),
            ordered: OnceCell::new(),
            mutating: OnceCell::new(),
            rescues: OnceCell::new(),
            registered: OnceCell::new(),
            dispatches: RefCell::default(),
        };
        analysis.stores = analysis.find_stores();
        let sessionless = analysis.never_opens_sessions();
        let dead = |found: &Found| found.failure == Failure::Dead || (sessionless && found.holds == Holds::Transport);
        (analysis.dead, analysis.stores) = std::mem::take(&mut analysis.stores).into_iter().partition(dead);
        analysis.process = analysis.find_process_state();
        analysis
    }

    fn find_stores(&self) -> Vec<Found> {
        let keyed = super::access::collect(&self.flow, &self.lives);
        let mut out: Vec<Found> = keyed.iter().filter_map(|keyed| self.keyed_store(keyed)).collect();
        let owned = FxHashSet::default();
        let finder = Finder {
            flow: &self.flow,
            lives: &self.lives,
            mutations: &self.mutations,
            context: Contexts::SESSION,
            owned: &owned,
        };
        for lasting in finder.find() {
            // A record that an id already leads to is one store, not two.
            let owned = lasting
                .values
                .iter()
                .any(|value| matches!(value, Value::Object(id) if out.iter().any(|found| found.objects.contains(id))));
            if owned && !lasting.credential {
                continue;
            }
            let found = self.lasting_store(&lasting);
            // What the handlers of a session are given of an upstream that a table leads to is no second one.
            let led_to = found.held == Some(Held::Variable)
                && found.holds == Holds::Upstream
                && out.iter().any(|known| known.holds == Holds::Upstream && known.held.is_none());
            if !led_to {
                out.push(found);
            }
        }
        out.extend(super::slots::find(self));
        let holders = super::holders::find(self);
        out.extend(
            holders
                .into_iter()
                .filter(|new| !out.iter().any(|found| found.objects.iter().any(|object| new.objects.contains(object))))
                .collect::<Vec<_>>(),
        );
        out.extend(super::framework_state::find(self));
        super::per_request::add(self, &mut out);
        self.add_upstreams(&mut out);
        self.pair_accounts(&mut out);
        out.iter_mut().for_each(mark_sign_in);
        self.pair_marks(&mut out);
        out.sort_by_key(|found| (found.holder.module, found.holder.span));
        out
    }

    /// Whether the program has transports and none of them opens a session, and no route makes up ids either.
    pub fn never_opens_sessions(&self) -> bool {
        let made_up = self.flow.sources().iter().any(|source| source.kind == SourceKind::Minted);
        let framework = self.flow.object_ids().any(|id| self.flow.object(id).role == Some(Role::SessionFramework));
        !self.lives.transports.is_empty()
            && self.lives.transports.iter().all(|site| !site.sse && site.mode == Mode::Off)
            && !made_up
            && !framework
    }

    fn find_process_state(&self) -> Vec<Lasting> {
        let stores: FxHashSet<ObjId> = self.stores.iter().flat_map(|found| found.objects.iter().copied()).collect();
        let finder = Finder {
            flow: &self.flow,
            lives: &self.lives,
            mutations: &self.mutations,
            context: Contexts::PROCESS,
            owned: &stores,
        };
        let spans: FxHashSet<_> = self.stores.iter().map(|found| (found.holder.module, found.holder.span)).collect();
        let mut found = finder.find();
        found.retain(|lasting| {
            !spans.contains(&(lasting.holder.module, lasting.holder.span))
                && !lasting.values.iter().any(|value| matches!(value, Value::Object(id) if stores.contains(id)))
        });
        found
    }

    fn keyed_store(&self, keyed: &Keyed) -> Option<Found> {
        let judged = holds::keyed(self, keyed)?;
        let by = self.keyed_by(keyed);
        let objects: Vec<ObjId> = keyed.object.into_iter().collect();
        let name = keyed.key_text.unwrap_or(keyed.holder.name);
        // A table of transports that is empty so far is one that is about to be written.
        let transports = judged.with_transport || judged.holds == Holds::Transport;
        let failure = if !transports && keyed.object.is_some_and(|id| unfilled::is_never_filled(&self.flow, id)) {
            Failure::Dead
        } else {
            // By hand, what a client has subscribed to is found as its transport is.
            let beside = judged.holds == Holds::Subscription && judged.with_transport && by_hand::is_spoken(self);
            failure::keyed(self, keyed, if beside { Holds::Transport } else { judged.holds })
        };
        let unasked = || stand_ins::unasked(self, keyed, failure, judged.holds);
        let fallback = failure::fallback(self, keyed).or_else(unasked);
        let mut found = Found {
            name,
            container: self.container(keyed.object, &keyed.holder),
            keyed_by: by,
            value: self.value_type(keyed.object, &keyed.holder),
            holds: judged.holds,
            with_transport: judged.with_transport,
            with_auth: judged.with_auth,
            carrier: Carrier::Manual,
            failure,
            tools: Vec::new(),
            fields: self.value_fields(keyed.object),
            uses: keyed.accesses.clone(),
            writers: Vec::new(),
            fallback,
            objects,
            held: None,
            holder: keyed.holder.clone(),
        };
        found.tools = self.tools_of(&found);
        found.carrier = match keyed.bag {
            Some(Bag::Label) => Carrier::Manual,
            _ => self.carrier(&found, self.only_choices(keyed)),
        };
        Some(found)
    }

    fn keyed_by(&self, keyed: &Keyed) -> KeyedBy {
        let identity = |access: &Access| self.flow.ids_at(access.key).any(|source| source.kind == SourceKind::Identity);
        match keyed.bag {
            Some(Bag::Session | Bag::Visibility) => KeyedBy::SessionApi,
            _ if keyed.by_object || keyed.accesses.iter().all(identity) => KeyedBy::SessionObject,
            _ => KeyedBy::SessionId,
        }
    }

    pub(super) fn lasting_store(&self, lasting: &Lasting) -> Found {
        let holds = if lasting.credential { Holds::Auth } else { holds::lasting(self, lasting) };
        let objects: Vec<ObjId> = lasting
            .values
            .iter()
            .filter_map(|value| match value {
                Value::Object(id) => Some(*id),
                _ => None,
            })
            .collect();
        let container = match lasting.held {
            Held::Variable if objects.is_empty() => "variable".to_owned(),
            Held::Field if objects.is_empty() => "field".to_owned(),
            _ => self.container(objects.first().copied(), &lasting.holder),
        };
        let mut found = Found {
            name: lasting.holder.name,
            container,
            keyed_by: KeyedBy::SessionLifetime,
            value: self.value_type(None, &lasting.holder),
            holds,
            with_transport: false,
            with_auth: lasting.credential,
            carrier: Carrier::Manual,
            failure: if lasting.shared { Failure::Collapsed } else { failure::lasting(self, lasting) },
            tools: Vec::new(),
            fields: objects.first().map_or_else(Vec::new, |id| self.value_fields_of(&[*id])),
            uses: Vec::new(),
            writers: lasting.writers.clone(),
            fallback: None,
            objects,
            held: Some(lasting.held),
            holder: lasting.holder.clone(),
        };
        found.tools = self.tools_at(lasting.writers.iter().chain(&lasting.uses));
        let argument = lasting.values.iter().any(|v| matches!(v, Value::Argument(_)));
        let plain = found.objects.iter().all(|id| self.flow.object(*id).role == Some(Role::Cell));
        found.carrier = if lasting.switched {
            Carrier::Drop
        } else if holds == Holds::Auth && self.comes_with_each_request(lasting) {
            Carrier::Principal
        } else {
            self.carrier(&found, argument && plain)
        };
        found
    }

    /// Whether an identity is one that middleware attaches to every request: each call can read its own.
    fn comes_with_each_request(&self, lasting: &Lasting) -> bool {
        lasting.values.iter().any(|value| match value {
            Value::Credential(at) => self.flow.performed(*at).iter().any(|performed| {
                performed.op == Op::TypedGet
                    && performed.object.is_some_and(|id| self.flow.object(id).role == Some(Role::Attached))
            }),
            _ => false,
        })
    }

    /// Upstreams and child processes that live as long as a session and that no keyed store holds yet.
    fn add_upstreams(&self, out: &mut Vec<Found>) {
        if out.iter().any(|found| found.holds == Holds::Upstream) {
            return;
        }
        let mut seen: Vec<Holder> = Vec::new();
        for id in self.flow.object_ids() {
            let object = self.flow.object(id);
            if !matches!(object.role, Some(Role::Client | Role::ChildProcess)) {
                continue;
            }
            let Site::Expr(at) = object.site else { continue };
            let func = self.flow.program.func_of(at);
            // Made for one call, or for the process: no session owns it.
            if !self.opened_by_session(func) {
                continue;
            }
            let Some(holder) = self.flow.holder(id) else { continue };
            if seen.iter().any(|known| known.module == holder.module && known.span == holder.span) {
                continue;
            }
            seen.push(holder.clone());
            out.push(Found {
                name: holder.name,
                container: if object.role == Some(Role::Client) { "client" } else { "process" }.to_owned(),
                keyed_by: KeyedBy::SessionLifetime,
                value: None,
                holds: Holds::Upstream,
                with_transport: false,
                with_auth: false,
                carrier: Carrier::Manual,
                failure: Failure::Refused,
                tools: Vec::new(),
                fields: Vec::new(),
                uses: Vec::new(),
                writers: vec![at],
                fallback: None,
                objects: vec![id],
                held: Some(Held::Variable),
                holder,
            });
        }
    }

    /// Whether a function runs when a session opens, and not because a tool was called.
    fn opened_by_session(&self, func: FuncRef) -> bool {
        self.lives.contexts(func).has(Contexts::SESSION)
            && !self.lives.contexts(func).has(Contexts::PROCESS)
            && !self.lives.handler_reach.contains(&func)
    }

    /// A map of accounts beside a map of verifiers is what the verifiers were for.
    fn pair_accounts(&self, out: &mut [Found]) {
        let auth = out.iter().any(|found| found.holds == Holds::Auth);
        if !auth {
            return;
        }
        for found in out.iter_mut() {
            if found.holds == Holds::AppState
                && found.keyed_by == KeyedBy::SessionId
                && super::words::is_account(found.name.text())
            {
                found.holds = Holds::Auth;
                found.with_auth = true;
                found.carrier = Carrier::Manual;
            }
        }
    }

    pub(super) fn carrier(&self, found: &Found, argument: bool) -> Carrier {
        match found.holds {
            Holds::AppState if self.was_asked(found) => Carrier::Mrtr,
            Holds::AppState if argument && self.is_selection(found) => Carrier::Argument,
            Holds::AppState if super::memo::is_memo(self, found) => Carrier::Process,
            Holds::AppState if super::memo::only_caches(self, found) => Carrier::Process,
            Holds::AppState => Carrier::Handle,
            Holds::Transport => Carrier::Drop,
            Holds::Telemetry | Holds::ClientInfo => Carrier::Request,
            // A session kept to be told something later is told nothing any more; there are other ways to say it.
            Holds::Subscription if found.keyed_by == KeyedBy::SessionObject => Carrier::Drop,
            Holds::Guard if super::words::is_consent(found.name.text()) => Carrier::Mrtr,
            Holds::Guard | Holds::Upstream | Holds::Auth | Holds::Subscription => Carrier::Manual,
        }
    }

    /// Whether a store remembers a choice, by its own name or by those of the tools that set it.
    fn is_selection(&self, found: &Found) -> bool {
        let kinds = [Kind::Write, Kind::GetOrCreate];
        let written = found.uses.iter().filter(|access| kinds.contains(&access.kind)).map(|access| &access.at);
        let tools = self.tools_at(written.chain(&found.writers));
        super::words::is_selection(found.name.text())
            || (tools.iter().any(|tool| super::words::is_choosing(tool.text())) && !self.has_usual(found))
    }

    /// Whether one certain text stands for a choice that was not made: then it is a setting, which may be left out.
    fn has_usual(&self, found: &Found) -> bool {
        let usual = |access: &Access| {
            let facts = self.flow.program.module(access.at.module);
            let around = facts.expr(self.flow.outermost(access.at).id);
            let arms = match &around.kind {
                ExprKind::Either { arms, .. } => arms.as_slice(),
                _ => &[],
            };
            arms.iter().any(|arm| matches!(facts.kind(*arm), ExprKind::Text(text) if !text.text().is_empty()))
        };
        let symbol = found.holder.symbol.map(|symbol| self.flow.symbol_node(symbol));
        let starts = symbol.is_some_and(|node| {
            self.flow.values(node).iter().any(|value| matches!(value, Value::Text(text) if !text.text().is_empty()))
        });
        starts || found.uses.iter().filter(|access| access.kind == Kind::Read).any(usual)
    }

    /// Whether all that is ever written is an argument that the model passed, or an id that it was given.
    fn only_choices(&self, keyed: &Keyed) -> bool {
        let mut any = false;
        for access in &keyed.accesses {
            let Some(value) = access.value else { continue };
            if !matches!(access.kind, Kind::Write | Kind::GetOrCreate) {
                continue;
            }
            let values = self.flow.at(value);
            if values.iter().any(|v| matches!(v, Value::Object(_)))
                || !values.iter().any(|v| matches!(v, Value::Argument(_) | Value::Random(_)))
            {
                return false;
            }
            any = true;
        }
        any
    }
}

/// What only tools that sign somebody in use is remembered between their steps: a part of the sign-in.
fn mark_sign_in(found: &mut Found) {
    let own = !found.tools.is_empty() && found.tools.iter().all(|tool| super::words::signs_in(tool.text()));
    if own && found.holds == Holds::AppState {
        found.holds = Holds::Auth;
        found.with_auth = true;
        found.carrier = Carrier::Manual;
    }
}
