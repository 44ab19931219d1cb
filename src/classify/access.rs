//! Accesses by session id: what does an id index, and where.

use super::keys::{key_text, keys_session, session_part, stands_for_session};
use super::scratch::{is_fixed, is_of_one_call, is_scratch, kept};
use crate::model::facts::{AssignKind, ExprKind, Key};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::lives::Lives;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, Sort};
use crate::model::query::Holder;
use crate::model::vocabulary::{Op, Role};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Reads the value.
    Read,
    /// Writes the value.
    Write,
    /// Reads, creating where absent.
    GetOrCreate,
    /// Asks whether it is there.
    Test,
    /// Removes it.
    Delete,
    /// Puts the id itself in as an element.
    AddId,
}

/// One access to something that a session id (or a session object) indexes.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The index expression or call.
    pub at: ExprRef,
    /// The key.
    pub key: ExprRef,
    /// What is indexed.
    pub receiver: ExprRef,
    /// What it does.
    pub kind: Kind,
    /// The function it stands in.
    pub func: FuncRef,
    /// What is written.
    pub value: Option<ExprRef>,
}

/// Accesses to one container.
#[derive(Clone, Debug)]
pub struct Keyed {
    /// The container: its object, or for an external store none.
    pub object: Option<ObjId>,
    /// What holds it.
    pub holder: Holder,
    /// For an external store, the literal part of its key.
    pub key_text: Option<Name>,
    /// The accesses.
    pub accesses: Vec<Access>,
    /// Keyed by an object that stands for the session.
    pub by_object: bool,
    /// Where the SDK or something outside keeps it.
    pub bag: Option<Bag>,
}

/// A store that is no container of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bag {
    /// What the SDK keeps for a session.
    Session,
    /// What the SDK shows to one session.
    Visibility,
    /// A table of a database.
    Table,
    /// Files or folders.
    Files,
    /// A label or filter of something remote.
    Label,
}

const NOT_STORES: &[Role] = &[
    Role::Headers,
    Role::ContextHeaders,
    Role::StrippedHeaders,
    Role::Query,
    Role::PathParameters,
    Role::Request,
    Role::RequestScope,
    Role::MessageMeta,
    Role::Response,
    Role::FetchResponse,
    Role::HttpClient,
    Role::Database,
    Role::Statement,
    Role::Server,
    Role::Transport,
    Role::SseTransport,
    Role::Router,
    Role::Logger,
    Role::Telemetry,
    Role::HandlerContext,
    Role::SessionContext,
    Role::SessionObject,
    Role::AsyncContext,
    Role::Registration,
];

/// Collects all containers that are indexed by a session.
pub fn collect(flow: &Flow<'_>, lives: &Lives) -> Vec<Keyed> {
    let mut out: Vec<Keyed> = Vec::new();
    for at in flow.program.exprs_of([Sort::Index, Sort::Object, Sort::Contains, Sort::Call]) {
        for (access, object) in accesses_at(flow, lives, at) {
            add(flow, &mut out, access, object);
        }
    }
    super::bags::collect(flow, lives, &mut out);
    super::own_stores::without_parts(flow, &mut out);
    super::rows::collect(flow, &mut out);
    let of_one_call = |keyed: &Keyed| keyed.object.filter(|id| is_of_one_call(flow, lives, *id, &keyed.accesses));
    let kept = kept(flow, lives, &out.iter().filter_map(of_one_call).collect());
    out.retain(|keyed| {
        let call_only = |id| of_one_call(keyed).is_some() && !kept.contains(&id);
        let only_asked = keyed.accesses.iter().all(|access| matches!(access.kind, Kind::Test | Kind::Read));
        !keyed.object.is_some_and(|id| call_only(id) || (only_asked && is_fixed(flow, id)))
    });
    out.retain(|keyed| {
        let asked = |access: &Access| access.kind == Kind::Test && is_scratch(flow, keyed.object, access.func);
        !keyed.accesses.iter().all(asked)
    });
    out.retain(|keyed| {
        keyed.accesses.iter().any(|access| access.kind != Kind::Test)
            || keyed.accesses.len() > 1
            || keyed.object.is_some()
    });
    out
}

/// Puts an access to those to the same container.
pub(super) fn add(flow: &Flow<'_>, out: &mut Vec<Keyed>, access: Access, object: Option<ObjId>) {
    let by_object = !flow.is_id(access.key);
    let key_text = if object.is_none_or(|id| is_external(flow, id)) { key_text(flow, access.key) } else { None };
    let Some(holder) = holder(flow, access, object) else { return };
    let same = |keyed: &&mut Keyed| {
        if keyed.key_text.is_some() || key_text.is_some() {
            // `plan:1` and `plan:1:seen` are parts of one thing.
            keyed.key_text == key_text && keyed.holder.name == holder.name
        } else {
            let unknown = keyed.object.is_none() && object.is_none() && holder.symbol.is_none();
            (keyed.object.is_some() && keyed.object == object)
                || (keyed.holder.module == holder.module
                    && (keyed.holder.span == holder.span || (unknown && keyed.holder.name == holder.name)))
        }
    };
    match out.iter_mut().find(same) {
        Some(keyed) => {
            keyed.by_object &= by_object;
            // Those of one expression come one after the other.
            let mut known = keyed.accesses.iter().rev().take_while(|known| known.at == access.at);
            if !known.any(|known| known.kind == access.kind) {
                keyed.accesses.push(access);
            }
        }
        None => out.push(Keyed { object, holder, key_text, accesses: vec![access], by_object, bag: None }),
    }
}

fn is_external(flow: &Flow<'_>, id: ObjId) -> bool {
    let object = flow.object(id);
    object.role == Some(Role::External)
        || (object.role.is_none()
            && object.class.is_none()
            && (object.external.is_some() || matches!(object.site, Site::Symbol(_) | Site::Decl(_)))
            && !flow.program_literal(id))
}

fn holder(flow: &Flow<'_>, access: Access, object: Option<ObjId>) -> Option<Holder> {
    // A class of the program's own is known by the variable that has its object.
    let own = object.is_some_and(|id| super::own_stores::class(flow, id).is_some());
    if let Some(holder) = object.filter(|_| !own).and_then(|id| flow.holder(id)) {
        return Some(holder);
    }
    let receiver = if object.is_some() { chained(flow, access.receiver) } else { access.receiver };
    let span = flow.program.expr(receiver).span;
    match flow.program.kind(receiver) {
        ExprKind::Symbol(id) => Some(flow.symbol_holder(At { module: receiver.module, id: *id })),
        ExprKind::Member { name, .. } | ExprKind::Global(name) => {
            Some(Holder { name: *name, module: receiver.module, span, symbol: None })
        }
        _ => None,
    }
}

/// What a chain of calls begins with: `this.redis`, for `this.redis.multi().rpush(…)`.
pub fn chained(flow: &Flow<'_>, mut receiver: ExprRef) -> ExprRef {
    while let ExprKind::Call { callee, .. } = flow.program.kind(receiver) {
        let callee = At { module: receiver.module, id: *callee };
        match flow.program.kind(callee) {
            ExprKind::Member { object, .. } => receiver = At { module: callee.module, id: *object },
            _ => break,
        }
    }
    receiver
}

fn accesses_at(flow: &Flow<'_>, lives: &Lives, at: ExprRef) -> Vec<(Access, Option<ObjId>)> {
    let func = flow.program.func_of(at);
    let facts = flow.program.module(at.module);
    let in_module = |id| At { module: at.module, id };
    match facts.kind(at.id) {
        ExprKind::Index { object, key } => {
            let (receiver, key) = (in_module(*object), session_part(flow, in_module(*key)));
            let by_id = keys_session(flow, key);
            if !by_id && !stands_for_session(flow, lives, key) {
                return Vec::new();
            }
            let (kind, value) = index_use(flow, at);
            let access = |object: Option<ObjId>| {
                let creates = kind == Kind::Read && object.is_some_and(|id| flow.creates_on_read(id));
                Access { at, key, receiver, kind: if creates { Kind::GetOrCreate } else { kind }, func, value }
            };
            let found = containers(flow, receiver).into_iter();
            found.filter(|object| by_id || object.is_some_and(|id| is_map(flow, id))).map(|o| (access(o), o)).collect()
        }
        ExprKind::Object(fields) => {
            let Some((target, held)) = copied_into(flow, at) else { return Vec::new() };
            let mut out = Vec::new();
            for field in fields {
                let Key::Computed(key) = field.key else { continue };
                let key = in_module(key);
                if keys_session(flow, key) {
                    let value = Some(in_module(field.value));
                    let access = Access { at, key, receiver: target, kind: Kind::Write, func, value };
                    out.extend(held.iter().map(|object| (access, Some(*object))));
                }
            }
            out
        }
        ExprKind::Contains { haystack, needle } => {
            let (receiver, key) = (in_module(*haystack), session_part(flow, in_module(*needle)));
            let by_id = keys_session(flow, key);
            if !by_id && !stands_for_session(flow, lives, key) {
                return Vec::new();
            }
            let access = Access { at, key, receiver, kind: Kind::Test, func, value: None };
            let found = containers(flow, receiver).into_iter();
            found.filter(|object| by_id || object.is_some_and(|id| is_map(flow, id))).map(|o| (access, o)).collect()
        }
        ExprKind::Call { args, .. } => {
            let Some(first) = args.first() else { return Vec::new() };
            if let Some((access, object)) = super::own_stores::access(flow, at) {
                return vec![(access, Some(object))];
            }
            let key = in_module(first.value);
            let keyed = session_part(flow, key);
            let value = args.get(1).map(|arg| in_module(arg.value));
            let mut out = Vec::new();
            for &performed in flow.performed(at).iter() {
                let weak = performed.object.is_some_and(|id| flow.object(id).role == Some(Role::WeakMap));
                let mapped = performed.object.is_some_and(|id| is_map(flow, id));
                // What is added to a list may have the id as a part; that makes it no key.
                let key = if performed.op == Op::Add { key } else { keyed };
                let session = keys_session(flow, key) || (mapped && stands_for_session(flow, lives, key));
                if performed.op == Op::Find {
                    out.extend(found_by_id(flow, at, performed.receiver, performed.object));
                    continue;
                }
                if !session || (weak && !stands_for_session(flow, lives, key)) {
                    continue;
                }
                let kind = match performed.op {
                    Op::Get => Kind::Read,
                    Op::Put => Kind::Write,
                    Op::Has => Kind::Test,
                    Op::Remove | Op::Extract => Kind::Delete,
                    Op::GetOrInsert => Kind::GetOrCreate,
                    // A text that mentions the id is not the id.
                    Op::Add if matches!(flow.program.kind(key), ExprKind::Template(_)) => continue,
                    Op::Add => Kind::AddId,
                    _ => continue,
                };
                if performed
                    .object
                    .is_some_and(|id| flow.object(id).role.is_some_and(|role| NOT_STORES.contains(&role)))
                {
                    continue;
                }
                if kind == Kind::AddId && is_scratch(flow, performed.object, func) {
                    continue;
                }
                if performed.object.is_none() && !plausible_external(flow, performed.receiver, key, kind) {
                    continue;
                }
                let access = Access { at, key, receiver: performed.receiver, kind, func, value };
                out.push((access, performed.object));
            }
            out
        }
        _ => Vec::new(),
    }
}

/// Whether an object may be indexed by another object.
fn is_map(flow: &Flow<'_>, id: ObjId) -> bool {
    matches!(flow.acts_as(id), Some(Role::Map | Role::WeakMap | Role::Set | Role::Cache))
}

/// `record = { ...record, [id]: value }`: the record that is written by being copied, as the variable and its objects.
fn copied_into(flow: &Flow<'_>, literal: ExprRef) -> Option<(ExprRef, Vec<ObjId>)> {
    let facts = flow.program.module(literal.module);
    let ExprKind::Assign { target, value, kind: AssignKind::Set } = facts.kind(facts.expr(literal.id).parent?) else {
        return None;
    };
    let ExprKind::Object(fields) = facts.kind(literal.id) else { return None };
    let target = At { module: literal.module, id: *target };
    let objects: Vec<ObjId> = flow.objects_at(target).collect();
    let copies = fields.iter().any(|field| {
        let copied = At { module: literal.module, id: field.value };
        matches!(field.key, Key::Spread) && flow.objects_at(copied).any(|id| objects.contains(&id))
    });
    (*value == literal.id && copies).then_some((target, objects))
}

/// `list.find(t => t.sessionId === wanted)`: the list is indexed by the id.
fn found_by_id(flow: &Flow<'_>, at: ExprRef, receiver: ExprRef, object: Option<ObjId>) -> Vec<(Access, Option<ObjId>)> {
    let Some(callback) = flow.argument(at, 0) else { return Vec::new() };
    let mut out = Vec::new();
    for func in flow.functions_at(callback) {
        let facts = flow.program.module(func.module);
        for id in facts.expr_ids().filter(|id| facts.expr(*id).func == func.id) {
            let ExprKind::Compare { left, right, .. } = facts.kind(id) else { continue };
            let (left, right) = (At { module: func.module, id: *left }, At { module: func.module, id: *right });
            if keys_session(flow, left) && keys_session(flow, right) {
                let access =
                    Access { at, key: right, receiver, kind: Kind::Read, func: flow.program.func_of(at), value: None };
                out.push((access, object));
            }
        }
    }
    out
}

/// A store outside the program is only believed where the key is put together, or the receiver's name says so.
fn plausible_external(flow: &Flow<'_>, receiver: ExprRef, key: ExprRef, kind: Kind) -> bool {
    if kind == Kind::AddId {
        return false;
    }
    if flow.objects_at(receiver).next().is_none()
        && flow.at(receiver).iter().any(|v| matches!(v, Value::Func(_) | Value::Namespace(_)))
    {
        return false;
    }
    let name = flow.written_name(receiver).map(|name| name.text().to_ascii_lowercase()).unwrap_or_default();
    let refused = [
        "header", "params", "res", "response", "req", "request", "url", "query", "span", "logger", "log", "app",
        "router", "cookies", "c", "ctx",
    ];
    if refused.iter().any(|word| name == *word) || name.contains("header") || name.contains("param") {
        return false;
    }
    let words =
        ["redis", "kv", "store", "cache", "map", "session", "db", "registry", "storage", "transports", "client"];
    key_text(flow, key).is_some() || words.iter().any(|word| name.contains(word))
}

/// The containers that an indexed expression may be; one unknown container where it is nothing known.
fn containers(flow: &Flow<'_>, receiver: ExprRef) -> Vec<Option<ObjId>> {
    let mut out = Vec::new();
    let mut any = false;
    for id in flow.objects_at(receiver) {
        any = true;
        if !flow.object(id).role.is_some_and(|role| NOT_STORES.contains(&role)) {
            out.push(Some(id));
        }
    }
    if !any && matches!(flow.program.kind(receiver), ExprKind::Symbol(_) | ExprKind::Member { .. }) {
        let written = flow.written_name(receiver).map(|n| n.text().to_ascii_lowercase()).unwrap_or_default();
        if !written.contains("header") && written != "params" && written != "query" {
            out.push(None);
        }
    }
    out
}

fn index_use(flow: &Flow<'_>, at: ExprRef) -> (Kind, Option<ExprRef>) {
    let facts = flow.program.module(at.module);
    let Some(parent) = facts.expr(at.id).parent else { return (Kind::Read, None) };
    match facts.kind(parent) {
        ExprKind::Assign { target, value, kind } if *target == at.id => {
            let value = Some(At { module: at.module, id: *value });
            match kind {
                AssignKind::IfAbsent => (Kind::GetOrCreate, value),
                _ => (Kind::Write, value),
            }
        }
        ExprKind::Delete { target } if *target == at.id => (Kind::Delete, None),
        _ => (Kind::Read, None),
    }
}
