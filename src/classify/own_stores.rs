//! Classes of the program's own that keep values by id in files or a database: `carts.get(id)`, `carts.set(id, cart)`.

use super::access::{Access, Keyed, Kind};
use super::keys::keys_session;
use super::words::words;
use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, ExprRef, FuncRef};
use crate::model::vocabulary::Role;

/// Packages that keep things on disk or in a database.
const BACKED: &[&str] = &[
    "fs",
    "fs/promises",
    "fs-extra",
    "sqlite",
    "better-sqlite3",
    "sqlite3",
    "pg",
    "mysql2",
    "mysql2/promise",
    "mongodb",
    "lowdb",
    "lowdb/node",
    "level",
    "classic-level",
    "lmdb",
];

/// What a method does with the value of an id, by the first word of its name.
pub fn operation(method: &str) -> Option<Kind> {
    match words(method).first()?.as_str() {
        "get" | "load" | "read" | "find" | "fetch" => Some(Kind::Read),
        "set" | "put" | "save" | "write" | "store" => Some(Kind::Write),
        "delete" | "remove" | "del" | "drop" | "clear" | "forget" => Some(Kind::Delete),
        "has" | "exists" => Some(Kind::Test),
        _ => None,
    }
}

/// The class of an object, where it keeps values by id outside of the program.
pub fn class(flow: &Flow<'_>, id: ObjId) -> Option<ClassRef> {
    let class = flow.object(id).class?;
    let traits = &flow.program.tables(class.module).traits;
    if traits.explicit_factories || traits.handlers_by_type {
        return None;
    }
    let methods = &flow.program.class(class).methods;
    let does = |wanted: Kind| {
        methods.iter().any(|method| {
            let facts = flow.program.function(At { module: class.module, id: *method });
            let takes = if wanted == Kind::Write { 2 } else { 1 };
            facts.name.is_some_and(|name| operation(name.text()) == Some(wanted)) && facts.params.len() == takes
        })
    };
    (does(Kind::Read) && does(Kind::Write) && is_backed(flow, class)).then_some(class)
}

/// Whether code of a class uses files or a database.
fn is_backed(flow: &Flow<'_>, class: ClassRef) -> bool {
    let facts = flow.program.module(class.module);
    facts.expr_ids().any(|id| {
        let ExprKind::Call { callee, .. } = facts.kind(id) else { return false };
        let func = facts.function(facts.expr(id).func);
        if func.class != Some(class.id) {
            return false;
        }
        let callee = At { module: class.module, id: *callee };
        let receiver = match facts.kind(callee.id) {
            ExprKind::Member { object, .. } => Some(At { module: class.module, id: *object }),
            _ => None,
        };
        let outside = |value: &Value| match value {
            Value::External(package, _) => is_known(*package),
            Value::Object(id) => {
                let object = flow.object(*id);
                matches!(object.role, Some(Role::Database | Role::Statement))
                    || object.external.is_some_and(|(package, _)| is_known(package))
            }
            _ => false,
        };
        flow.at(callee).iter().any(outside) || receiver.is_some_and(|receiver| flow.at(receiver).iter().any(outside))
    })
}

/// Where a file is called after an id as it comes: who chooses the id would choose the file.
pub fn raw_path(flow: &Flow<'_>, class: ClassRef) -> Option<ExprRef> {
    let facts = flow.program.module(class.module);
    let here = |id| At { module: class.module, id };
    let own = |id: &ExprId| facts.function(facts.expr(*id).func).class == Some(class.id);
    let files = |id: ExprId| {
        let values = flow.at(here(id)).iter();
        values.into_iter().any(|value| matches!(value, Value::External(package, _) if package.text().trim_start_matches("node:").starts_with("fs")))
    };
    let of_files = |callee: ExprId| match facts.kind(callee) {
        ExprKind::Member { object, .. } => files(callee) || files(*object),
        _ => files(callee),
    };
    let calls = || {
        facts.expr_ids().filter(own).filter_map(|id| match facts.kind(id) {
            ExprKind::Call { callee, args } => Some((id, *callee, args)),
            _ => None,
        })
    };
    if !calls().any(|(_, callee, _)| of_files(callee)) {
        return None;
    }
    let is_id = |id: ExprId| matches!(facts.kind(id), ExprKind::Symbol(_)) && flow.is_id(here(id));
    let named =
        |id: ExprId, names: &[&str]| flow.callee_name(here(id)).is_some_and(|name| names.contains(&name.text()));
    // Its form is checked before.
    if calls().any(|(id, _, args)| named(id, &["test", "match"]) && args.iter().any(|arg| is_id(arg.value))) {
        return None;
    }
    let given = calls().filter(|(id, callee, _)| named(*id, &["join", "resolve"]) || of_files(*callee));
    let mut parts: Vec<ExprId> =
        given.flat_map(|(_, _, args)| args.first().into_iter().chain(args.get(1))).map(|arg| arg.value).collect();
    parts.extend(facts.expr_ids().filter(own).flat_map(|id| match facts.kind(id) {
        ExprKind::Template(parts) => parts.clone(),
        _ => Vec::new(),
    }));
    parts.into_iter().find(|part| is_id(*part)).map(here)
}

fn is_known(package: Name) -> bool {
    BACKED.contains(&package.text().trim_start_matches("node:"))
}

/// A call of such a method with a session's id.
pub(super) fn access(flow: &Flow<'_>, at: ExprRef) -> Option<(Access, ObjId)> {
    let ExprKind::Call { callee, args } = flow.program.kind(at) else { return None };
    let ExprKind::Member { object, name } = flow.program.module(at.module).kind(*callee) else { return None };
    let receiver = At { module: at.module, id: *object };
    let key = At { module: at.module, id: args.first().filter(|arg| !arg.spread)?.value };
    // Few calls are given an id; what the words of a name say is the costlier question.
    if !keys_session(flow, key) {
        return None;
    }
    let kind = operation(name.text())?;
    let (id, own) = flow.objects_at(receiver).find_map(|id| Some((id, class(flow, id)?)))?;
    let func = flow.program.func_of(at);
    let method = flow.method_of(own, *name, false)?;
    if is_within(flow, own, func) || method == func {
        return None;
    }
    let value = args.get(1).map(|arg| At { module: at.module, id: arg.value });
    Some((Access { at, key, receiver, kind, func, value }, id))
}

fn is_within(flow: &Flow<'_>, class: ClassRef, func: FuncRef) -> bool {
    func.module == class.module && flow.program.function(func).class == Some(class.id)
}

/// Takes out what such a class keeps within itself: it is part of it.
pub(super) fn without_parts(flow: &Flow<'_>, out: &mut Vec<Keyed>) {
    let classes: Vec<ClassRef> = out.iter().filter_map(|keyed| class(flow, keyed.object?)).collect();
    out.retain(|keyed| {
        let part = |class: &ClassRef| keyed.accesses.iter().all(|access| is_within(flow, *class, access.func));
        !classes.iter().any(part)
    });
}
