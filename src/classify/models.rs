//! Rows of a database behind classes: found, changed and made by the id of a session.

use super::access::{Access, Bag, Keyed, Kind};
use super::bags::note;
use super::keys::keys_session;
use super::words;
use crate::model::facts::{Arg, ExprId, ExprKind};
use crate::model::flow::value::Value;
use crate::model::flow::{Base, Flow, Target};
use crate::model::program::{At, ClassRef, ExprRef, Sort};
use crate::model::query::Holder;
use crate::model::vocabulary::Op;

/// How long a chain of calls is followed: `session.query(Row).filter_by(…).first()`.
const CHAIN: usize = 12;

/// Adds them to what is kept outside the program.
pub(super) fn collect(flow: &Flow<'_>, found: &mut Vec<Keyed>) {
    let rows: Vec<ClassRef> = flow.program.classes().filter(|class| is_row(flow, *class, 8)).collect();
    if rows.is_empty() {
        return;
    }
    for at in flow.program.exprs_of([Sort::Compare, Sort::Call]) {
        let here = |id: ExprId| At { module: at.module, id };
        match flow.program.kind(at) {
            // `Row.column == id`: a column of all rows, and no field of one.
            ExprKind::Compare { left, right, .. } => {
                for (column, key) in [(*left, *right), (*right, *left)] {
                    if let ExprKind::Member { object, .. } = flow.program.module(at.module).kind(column)
                        && let Some(row) = row_at(flow, &rows, here(*object))
                        && keys_session(flow, here(key))
                    {
                        add(flow, found, row, at, here(key), Kind::Read);
                    }
                }
            }
            ExprKind::Call { callee, args } => {
                let Some(key) = named_key(flow, at, args) else { continue };
                if let Some(row) = row_at(flow, &rows, here(*callee)) {
                    add(flow, found, row, at, key, Kind::Write);
                } else if let Some(row) = row_in_chain(flow, &rows, here(*callee)) {
                    add(flow, found, row, at, key, Kind::Read);
                }
            }
            _ => {}
        }
    }
}

/// Whether a table has a column of credentials or identities, or leads to one.
pub(super) fn has_auth(flow: &Flow<'_>, keyed: &Keyed) -> bool {
    keyed.bag == Some(Bag::Table)
        && flow.program.module(keyed.holder.module).classes.iter().any(|class| {
            class.name_span == keyed.holder.span && class.fields.iter().any(|field| words::is_auth(field.name.text()))
        })
}

/// Whether the instances of a class are rows of a table.
fn is_row(flow: &Flow<'_>, class: ClassRef, depth: u32) -> bool {
    let tables = flow.program.tables(class.module);
    let known = |package: &str, path: &str| tables.export(package, path).is_some_and(|row| row.does == Some(Op::Table));
    let by_name = flow.bases(class).iter().any(|base| match *base {
        Base::External(package, path) => known(package.text(), path.text()),
        Base::Class(base) => depth > 0 && base != class && is_row(flow, base, depth - 1),
    });
    by_name
        || flow
            .program
            .class(class)
            .bases
            .iter()
            .any(|base| is_made(flow, At { module: class.module, id: *base }, &known))
}

/// `Base = declarative_base()`: whether a base is a variable that holds what a call made.
fn is_made(flow: &Flow<'_>, base: ExprRef, known: &dyn Fn(&str, &str) -> bool) -> bool {
    let target = flow.symbol_at(base).and_then(|symbol| flow.target(symbol));
    let Some(Target::Symbol(symbol)) = target else { return false };
    let Some(init) = flow.program.symbol(symbol).init else { return false };
    let ExprKind::Call { callee, .. } = flow.program.module(symbol.module).kind(init) else { return false };
    let maker = flow.at(At { module: symbol.module, id: *callee });
    maker.iter().any(|value| matches!(value, Value::External(package, path) if known(package.text(), path.text())))
}

fn row_at(flow: &Flow<'_>, rows: &[ClassRef], at: ExprRef) -> Option<ClassRef> {
    flow.at(at).iter().find_map(|value| match value {
        Value::Class(class) if rows.contains(class) => Some(*class),
        _ => None,
    })
}

/// The class of rows that a chain of calls is about: what it begins with, or what one of its calls is given.
fn row_in_chain(flow: &Flow<'_>, rows: &[ClassRef], callee: ExprRef) -> Option<ClassRef> {
    let facts = flow.program.module(callee.module);
    let mut at = callee.id;
    for _ in 0..CHAIN {
        match facts.kind(at) {
            ExprKind::Member { object, .. } => at = *object,
            ExprKind::Call { callee: inner, args } => {
                let given = args.iter().map(|arg| At { module: callee.module, id: arg.value });
                if let Some(row) = given.into_iter().find_map(|arg| row_at(flow, rows, arg)) {
                    return Some(row);
                }
                at = *inner;
            }
            _ => return row_at(flow, rows, At { module: callee.module, id: at }),
        }
    }
    None
}

/// The session id among what a call is given by name.
fn named_key(flow: &Flow<'_>, call: ExprRef, args: &[Arg]) -> Option<ExprRef> {
    let named = args.iter().filter(|arg| !arg.spread && arg.name.is_some());
    named.map(|arg| At { module: call.module, id: arg.value }).find(|value| keys_session(flow, *value))
}

fn add(flow: &Flow<'_>, found: &mut Vec<Keyed>, row: ClassRef, at: ExprRef, key: ExprRef, kind: Kind) {
    let facts = flow.program.class(row);
    let Some(name) = facts.name else { return };
    let holder = Holder { name, module: row.module, span: facts.name_span, symbol: None };
    let access = Access { at, key, receiver: at, kind, func: flow.program.func_of(at), value: None };
    note(found, holder, Some(Bag::Table), access);
}
