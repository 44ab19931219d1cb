//! Stores that are no containers of the program: what an SDK keeps for a session, attributes planted on a session object, tables of a
//! database with a session's id in a column, labels of something remote.

use super::access::{Access, Bag, Keyed, Kind};
use super::keys::{keys_session, stands_for_session};
use crate::model::facts::{Arg, ExprId, ExprKind, Field, Key};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::lives::Lives;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::query::Holder;
use crate::model::vocabulary::{Op, Role};

/// Adds them to what is keyed by a session.
pub fn collect(flow: &Flow<'_>, lives: &Lives, out: &mut Vec<Keyed>) {
    let mut found = Vec::new();
    for at in flow.program.exprs_of([Sort::Call, Sort::Member, Sort::Index]) {
        match flow.program.kind(at) {
            ExprKind::Call { args, .. } => calls(flow, at, args, &mut found),
            ExprKind::Member { object, name } => planted(flow, lives, at, *object, *name, &mut found),
            // The attribute's name behind a constant.
            ExprKind::Index { object, key } => {
                if let Some((name, _)) = literal(flow, At { module: at.module, id: *key }) {
                    planted(flow, lives, at, *object, name, &mut found);
                }
            }
            _ => {}
        }
    }
    super::models::collect(flow, &mut found);
    super::folders::collect(flow, &mut found);
    let reached = |keyed: &Keyed, kind: Kind| {
        keyed.accesses.iter().any(|access| access.kind == kind && lives.handler_reach.contains(&access.func))
    };
    found.retain(|keyed| match keyed.bag {
        // What middleware sets and a handler reads belongs to one request.
        Some(Bag::Session | Bag::Visibility) => reached(keyed, Kind::Write) || is_set_at_start(flow, keyed),
        // A label is a store where it is looked up again.
        Some(Bag::Label) => reached(keyed, Kind::Write) && reached(keyed, Kind::Read),
        // Files are a store where tools write them; what a route writes down is its own.
        Some(Bag::Files) => reached(keyed, Kind::Write),
        None if is_set_for_each_request(flow, keyed) => false,
        Some(Bag::Table) | None => keyed.accesses.iter().any(|access| access.kind != Kind::Read),
    });
    out.extend(found);
}

/// Whether the hook of middleware that runs once, when a session begins, sets something.
fn is_set_at_start(flow: &Flow<'_>, keyed: &Keyed) -> bool {
    keyed.accesses.iter().any(|access| {
        let name = flow.program.function(access.func).name;
        access.kind == Kind::Write && name.is_some_and(|name| name == "on_initialize")
    })
}

/// Hooks of middleware that run before each call.
const EACH_REQUEST: &[&str] =
    &["on_request", "on_message", "on_call_tool", "on_read_resource", "on_get_prompt", "dispatch", "__call__"];

/// Whether an attribute is planted anew before each call, whether it is there or not: it goes from middleware to the handler.
fn is_set_for_each_request(flow: &Flow<'_>, keyed: &Keyed) -> bool {
    let mut writes = keyed.accesses.iter().filter(|access| access.kind == Kind::Write).peekable();
    writes.peek().is_some()
        && writes.all(|access| {
            let facts = flow.program.module(access.func.module);
            let hook = facts.function(access.func.id).name.is_some_and(|name| EACH_REQUEST.contains(&name.text()));
            let place = facts.expr(access.at.id).span;
            let asks = |condition: ExprId| {
                let span = facts.expr(condition).span;
                flow.exprs_within(access.func.module, span).any(|id| match facts.kind(id) {
                    ExprKind::Text(name) | ExprKind::Member { name, .. } => *name == keyed.holder.name,
                    _ => false,
                })
            };
            let mut around = flow.branches_in(access.func).filter(|branch| branch.then.contains(place));
            hook && !around.any(|branch| asks(branch.condition))
        })
}

/// Notes an access under a name.
pub(super) fn note(found: &mut Vec<Keyed>, holder: Holder, bag: Option<Bag>, access: Access) {
    let same = |keyed: &&mut Keyed| keyed.bag == bag && keyed.holder.name == holder.name;
    match found.iter_mut().find(same) {
        Some(keyed) => keyed.accesses.push(access),
        None => {
            let key_text = bag.is_some().then_some(holder.name);
            let by_object = bag.is_none();
            found.push(Keyed { object: None, holder, key_text, accesses: vec![access], by_object, bag });
        }
    }
}

fn calls(flow: &Flow<'_>, at: ExprRef, args: &[Arg], found: &mut Vec<Keyed>) {
    for &performed in flow.performed(at).iter() {
        let access = |kind, key: ExprRef, value| Access {
            at,
            key,
            receiver: performed.receiver,
            kind,
            func: flow.program.func_of(at),
            value,
        };
        match performed.op {
            Op::StateGet | Op::StateSet => {
                let mut given =
                    args.iter().filter(|arg| !arg.spread).map(|arg| At { module: at.module, id: arg.value });
                let Some(key) = given.next() else { continue };
                let Some((name, written)) = literal(flow, key) else { continue };
                if for_the_request(flow, at, args, performed.object) {
                    continue;
                }
                let value = given.next();
                let kind = match performed.op {
                    Op::StateGet => Kind::Read,
                    _ if value.is_some() => Kind::Write,
                    _ => Kind::Delete,
                };
                let span = flow.program.expr(written).span;
                let holder = Holder { name, module: written.module, span, symbol: None };
                note(found, holder, Some(Bag::Session), access(kind, key, value));
            }
            Op::SessionVisibility => {
                let Some(name) = flow.callee_name(at) else { continue };
                let span = flow.program.expr(at).span;
                let holder = Holder { name, module: at.module, span, symbol: None };
                note(found, holder, Some(Bag::Visibility), access(Kind::Write, at, None));
            }
            Op::Query => {
                let prepared = performed.object.and_then(|id| prepared_text(flow, id));
                let Some((text, values)) = prepared.map(|text| (text, args)).or_else(|| given_text(at, args)) else {
                    continue;
                };
                let Some((name, kind)) = statement_text(flow, text).and_then(|text| statement(text.text())) else {
                    continue;
                };
                let mut ids = Vec::new();
                if prepared.is_none() {
                    // `{ text, values }`: all in one.
                    ids_within(flow, text, 0, &mut ids);
                }
                for value in values {
                    ids_within(flow, At { module: at.module, id: value.value }, 0, &mut ids);
                }
                let Some(key) = ids.first().copied() else { continue };
                let span = flow.program.expr(text).span;
                let holder = Holder { name: Name::new(&name), module: at.module, span, symbol: None };
                note(found, holder, Some(Bag::Table), access(kind, key, None));
            }
            Op::Send | Op::Fetch => {
                let kind = if performed.op == Op::Send { Kind::Write } else { Kind::Read };
                for arg in args {
                    if arg.name.is_some_and(|name| name.text().contains("header")) {
                        continue;
                    }
                    let value = At { module: at.module, id: arg.value };
                    for (label, key) in labels(flow, value) {
                        let span = flow.program.expr(key).span;
                        let holder = Holder { name: label, module: key.module, span, symbol: None };
                        label_access(found, holder, access(kind, key, None));
                    }
                }
            }
            _ => {}
        }
    }
}

/// A filter names a label as it likes; what is looked up by the session belongs to what was labelled with it.
fn label_access(found: &mut Vec<Keyed>, holder: Holder, access: Access) {
    if access.kind == Kind::Write {
        let read = found.iter().position(|keyed| {
            keyed.bag == Some(Bag::Label) && keyed.accesses.iter().all(|access| access.kind == Kind::Read)
        });
        if let Some(read) = read {
            found[read].holder = holder.clone();
            found[read].key_text = Some(holder.name);
        }
        note(found, holder, Some(Bag::Label), access);
        return;
    }
    match found.iter_mut().find(|keyed| keyed.bag == Some(Bag::Label)) {
        Some(keyed) => keyed.accesses.push(access),
        None => note(found, holder, Some(Bag::Label), access),
    }
}

/// Whether an option says that what is set is set for the request alone.
fn for_the_request(flow: &Flow<'_>, at: ExprRef, args: &[Arg], object: Option<ObjId>) -> bool {
    let Some(role) = object.and_then(|id| flow.object(id).role) else { return false };
    let ExprKind::Call { callee, .. } = flow.program.kind(at) else { return false };
    // The method itself, or a variable that it was put in.
    let bound = flow.at(At { module: at.module, id: *callee }).iter().filter_map(|value| match value {
        Value::Method(_, name) => Some(*name),
        _ => None,
    });
    let methods: Vec<Name> = flow.callee_name(at).into_iter().chain(bound).collect();
    args.iter().any(|arg| {
        let Some(option) = arg.name else { return false };
        let switches = methods.iter().any(|method| {
            let row = flow.program.tables(at.module).member(role, &format!("{method}.{option}"));
            row.is_some_and(|row| row.does == Some(Op::RequestOnly))
        });
        // Such an option is switched off where it is true.
        let said = flow.at(At { module: at.module, id: arg.value });
        let kept = |value: &Value| matches!(value, Value::External(package, name) if *package == "" && name.text().eq_ignore_ascii_case("true"));
        switches && (said.is_empty() || !said.iter().all(kept))
    })
}

/// The literal text that an expression is, and where it is written.
fn literal(flow: &Flow<'_>, at: ExprRef) -> Option<(Name, ExprRef)> {
    match flow.program.kind(at) {
        ExprKind::Text(text) => Some((*text, at)),
        ExprKind::Template(parts) => {
            let first = At { module: at.module, id: *parts.first()? };
            literal(flow, first).map(|(text, _)| (text, at))
        }
        _ => flow.at(at).iter().find_map(|value| match value {
            Value::Text(text) => Some((*text, at)),
            _ => None,
        }),
    }
}

fn given_text(at: ExprRef, args: &[Arg]) -> Option<(ExprRef, &[Arg])> {
    let (text, values) = args.split_first()?;
    Some((At { module: at.module, id: text.value }, values))
}

/// The text of a statement where it is handed over: by itself, or in a record with its values.
fn statement_text(flow: &Flow<'_>, at: ExprRef) -> Option<Name> {
    if let ExprKind::Object(fields) = flow.program.kind(at) {
        let text = fields.iter().find(
            |field| matches!(&field.key, Key::Name(name) if matches!(name.text(), "text" | "sql" | "query" | "stmt")),
        )?;
        return literal(flow, At { module: at.module, id: text.value }).map(|(text, _)| text);
    }
    literal(flow, at).map(|(text, _)| text)
}

/// Where the text of a prepared statement is given: to the call that prepared it, before the values that were bound since.
fn prepared_text(flow: &Flow<'_>, statement: ObjId) -> Option<ExprRef> {
    let mut object = statement;
    for _ in 0..8 {
        if flow.object(object).role != Some(Role::Statement) {
            return None;
        }
        let Site::Expr(at) = flow.object(object).site else { return None };
        let ExprKind::Call { callee, args } = flow.program.kind(at) else { return None };
        let receiver = match flow.program.module(at.module).kind(*callee) {
            ExprKind::Member { object, .. } => flow.objects_at(At { module: at.module, id: *object }).next(),
            _ => None,
        };
        match receiver.filter(|id| flow.object(*id).role == Some(Role::Statement)) {
            Some(bound) => object = bound,
            None => return args.first().map(|arg| At { module: at.module, id: arg.value }),
        }
    }
    None
}

/// The table that a statement is about, and whether it reads, writes or deletes.
fn statement(text: &str) -> Option<(String, Kind)> {
    let mut words =
        text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '`'))).filter(|w| !w.is_empty());
    let verb = words.next()?.to_ascii_lowercase();
    let (kind, before) = match verb.as_str() {
        "insert" | "replace" => (Kind::Write, "into"),
        "update" => (Kind::Write, ""),
        "delete" => (Kind::Delete, "from"),
        "select" | "with" => (Kind::Read, "from"),
        _ => return None,
    };
    let table = if before.is_empty() {
        words.next()?
    } else {
        words.skip_while(|word| !word.eq_ignore_ascii_case(before)).nth(1)?
    };
    Some((table.trim_matches(['"', '`']).to_owned(), kind))
}

/// The session ids in what is passed to a statement.
fn ids_within(flow: &Flow<'_>, at: ExprRef, depth: u32, out: &mut Vec<ExprRef>) {
    if keys_session(flow, at) {
        out.push(at);
        return;
    }
    if depth > 3 {
        return;
    }
    let inner: Vec<ExprId> = match flow.program.kind(at) {
        ExprKind::Sequence(items) => items.clone(),
        ExprKind::Object(fields) => fields.iter().map(|field| field.value).collect(),
        _ => return,
    };
    for id in inner {
        ids_within(flow, At { module: at.module, id }, depth + 1, out);
    }
}

/// The session ids in what is sent elsewhere, each under the nearest name that is written out.
fn labels(flow: &Flow<'_>, at: ExprRef) -> Vec<(Name, ExprRef)> {
    let mut out = Vec::new();
    let mut open: Vec<(ExprRef, Option<Name>, u32)> = vec![(at, None, 0)];
    while let Some((at, label, depth)) = open.pop() {
        if let Some(label) = label
            && keys_session(flow, at)
        {
            out.push((label, at));
            continue;
        }
        if depth > 4 {
            continue;
        }
        let here = |id: ExprId| At { module: at.module, id };
        match flow.program.kind(at) {
            ExprKind::Object(fields) => {
                for Field { key, value, .. } in fields {
                    let name = match key {
                        Key::Name(name) if crate::model::flow::is_session_header(name.text()) => continue,
                        Key::Name(name) => Some(*name),
                        Key::Computed(_) | Key::Spread => label,
                    };
                    open.push((here(*value), name, depth + 1));
                }
            }
            ExprKind::Sequence(items) => open.extend(items.iter().map(|item| (here(*item), label, depth + 1))),
            _ => {}
        }
    }
    out
}

/// `session._notes = …`, `server._notes ??= …`: an object that stands for the session carries the state.
fn planted(flow: &Flow<'_>, lives: &Lives, at: ExprRef, object: ExprId, name: Name, found: &mut Vec<Keyed>) {
    let receiver = At { module: at.module, id: object };
    let Some(role) = carries(flow, lives, at, receiver) else { return };
    let facts = flow.program.module(at.module);
    let assigned = facts.expr(at.id).parent.and_then(|parent| match facts.kind(parent) {
        ExprKind::Assign { target, value, .. } if *target == at.id => Some(At { module: at.module, id: *value }),
        _ => None,
    });
    let kind = if assigned.is_some() { Kind::Write } else { Kind::Read };
    if kind == Kind::Read && flow.program.tables(at.module).member(role, name.text()).is_some() {
        return;
    }
    let func = flow.program.func_of(at);
    let access = Access { at, key: receiver, receiver, kind, func, value: assigned };
    let holder = Holder { name, module: at.module, span: facts.expr(at.id).span, symbol: None };
    note(found, holder, None, access);
}

/// What an object is to the SDK, where a tool may plant an attribute on it. The SDK's own servers have hooks and settings that programs
/// set: what counts there is an attribute that looks private.
fn carries(flow: &Flow<'_>, lives: &Lives, at: ExprRef, receiver: ExprRef) -> Option<Role> {
    if flow.plays(receiver, Role::SessionObject) {
        return Some(Role::SessionObject);
    }
    let ExprKind::Member { name, .. } = flow.program.kind(at) else { return None };
    let private = name.text().starts_with('_') && lives.handler_reach.contains(&flow.program.func_of(at));
    if !private || !stands_for_session(flow, lives, receiver) {
        return None;
    }
    flow.objects_at(receiver).find_map(|id| match flow.object(id) {
        object if object.class.is_some() => None,
        object => object.role,
    })
}
