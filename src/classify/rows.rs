//! Lists of records that say to which session they belong: what a session has is found by comparing, not by looking up.
//!
//! `rows.append({"session": id, "sku": sku})`, `[row for row in rows if row["session"] == id]`. A table whose records merely say who made
//! them has a key of its own; it is asked for that.

use rustc_hash::FxHashSet;

use super::access::{self, Access, Keyed, Kind};
use super::keys::{keys_session, session_part};
use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::{Op, Role};

/// Adds the lists whose records are told apart by a session id, as far as no id indexes them otherwise.
pub(super) fn collect(flow: &Flow<'_>, out: &mut Vec<Keyed>) {
    let known: FxHashSet<ObjId> = out.iter().filter_map(|keyed| keyed.object).collect();
    let mut lists: FxHashSet<ObjId> = FxHashSet::default();
    for at in flow.program.exprs_of([Sort::Compare]) {
        for (access, record) in compared(flow, at) {
            let holds = |value: &Value| matches!(value, Value::Object(id) if *id == record);
            for list in flow.object_ids().filter(|id| flow.object(*id).role == Some(Role::List)) {
                if !known.contains(&list) && flow.elements(list).iter().any(holds) {
                    access::add(flow, out, searched(flow, access, list), Some(list));
                    lists.insert(list);
                }
            }
        }
    }
    if lists.is_empty() {
        return;
    }
    for at in flow.program.exprs_of([Sort::Call]) {
        for (access, list) in added(flow, at).into_iter().filter(|(_, list)| lists.contains(list)) {
            access::add(flow, out, access, Some(list));
        }
    }
}

/// `row.session == id`: the comparison as an access to what the record is in, with the record.
fn compared(flow: &Flow<'_>, at: ExprRef) -> Vec<(Access, ObjId)> {
    let ExprKind::Compare { operator, left, right } = flow.program.kind(at) else { return Vec::new() };
    if !matches!(operator.text(), "==" | "===" | "!=" | "!==") {
        return Vec::new();
    }
    let sides = [left, right].map(|id| At { module: at.module, id: *id });
    if !sides.iter().all(|side| keys_session(flow, *side)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (field, key) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        let Some(receiver) = record(flow, field) else { continue };
        let func = flow.program.func_of(at);
        let access = Access { at, key, receiver, kind: Kind::Read, func, value: None };
        out.extend(flow.objects_at(receiver).map(|id| (access, id)));
    }
    out
}

/// `list.filter(row => row.session === id)`: the call that goes through the list, where the comparison is its callback's.
fn searched(flow: &Flow<'_>, access: Access, list: ObjId) -> Access {
    let facts = flow.program.module(access.at.module);
    let callback = |id: &ExprId| matches!(facts.kind(*id), ExprKind::Function(func) if *func == access.func.id);
    let call = facts.expr_ids().find(callback).and_then(|id| facts.expr(id).parent);
    let Some(at) = call.map(|id| At { module: access.at.module, id }) else { return access };
    let own = flow.performed(at).iter().find(|performed| performed.object == Some(list)).map(|own| own.receiver);
    own.map_or(access, |receiver| Access { at, receiver, func: flow.program.func_of(at), ..access })
}

/// The record of which an expression is a field: `row.session`, `row["session"]`, `row.get("session")`.
fn record(flow: &Flow<'_>, field: ExprRef) -> Option<ExprRef> {
    let facts = flow.program.module(field.module);
    let object = match facts.kind(field.id) {
        ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => *object,
        ExprKind::Call { callee, .. } if flow.performed(field).iter().any(|performed| performed.op == Op::Get) => {
            match facts.kind(*callee) {
                ExprKind::Member { object, .. } => *object,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(At { module: field.module, id: object })
}

/// `rows.append({"session": id})`: a record that is put into a list with the id that it has.
fn added(flow: &Flow<'_>, at: ExprRef) -> Vec<(Access, ObjId)> {
    let Some(record) = flow.argument(at, 0) else { return Vec::new() };
    let mut out = Vec::new();
    for performed in flow.performed(at).iter().filter(|performed| performed.op == Op::Add) {
        let (Some(list), Some(key)) = (performed.object, id_of(flow, record)) else { continue };
        let func = flow.program.func_of(at);
        let receiver = performed.receiver;
        out.push((Access { at, key, receiver, kind: Kind::Write, func, value: Some(record) }, list));
    }
    out
}

/// The session id among the fields of a record.
fn id_of(flow: &Flow<'_>, record: ExprRef) -> Option<ExprRef> {
    let field = flow.objects_at(record).find_map(|id| {
        let Site::Expr(made) = flow.object(id).site else { return None };
        let ExprKind::Object(fields) = flow.program.kind(made) else { return None };
        let values = fields.iter().map(|field| At { module: made.module, id: field.value });
        values.into_iter().find(|value| keys_session(flow, *value))
    });
    field.or_else(|| Some(session_part(flow, record)).filter(|part| keys_session(flow, *part)))
}
