//! What calls do to what they are made on. Asked of the same call by many, so found once.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::model::facts::ExprKind;
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Value};
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Op;

/// An operation that a call performs on a receiver.
#[derive(Clone, Copy, Debug)]
pub struct Performed {
    /// What it does.
    pub op: Op,
    /// The receiver's expression.
    pub receiver: ExprRef,
    /// The receiver's object, if known.
    pub object: Option<ObjId>,
}

/// What was found of calls so far. Most do nothing that has a name: those share one answer.
#[derive(Default)]
pub struct PerformedAt {
    known: RefCell<FxHashMap<ExprRef, Rc<[Performed]>>>,
    nothing: Rc<[Performed]>,
}

impl Flow<'_> {
    /// What a call does to its receiver, by the receiver's role or (where that is unknown) by the name alone.
    pub fn performed(&self, call: ExprRef) -> Rc<[Performed]> {
        let PerformedAt { known, nothing } = &self.performed_at;
        if let Some(found) = known.borrow().get(&call) {
            return Rc::clone(found);
        }
        if !matches!(self.program.kind(call), ExprKind::Call { .. }) {
            return Rc::clone(nothing);
        }
        let found = self.find_performed(call);
        let found = if found.is_empty() { Rc::clone(nothing) } else { found.into() };
        known.borrow_mut().insert(call, Rc::clone(&found));
        found
    }

    fn find_performed(&self, call: ExprRef) -> Vec<Performed> {
        let ExprKind::Call { callee, .. } = self.program.kind(call) else { return Vec::new() };
        let ExprKind::Member { object, name } = self.program.module(call.module).kind(*callee) else {
            return self.performed_by_value(call, At { module: call.module, id: *callee });
        };
        let receiver = At { module: call.module, id: *object };
        let tables = self.program.tables(call.module);
        let mut out = Vec::new();
        let mut known = false;
        for id in self.objects_at(receiver) {
            let object = self.object(id);
            if let Some(class) = object.class
                && self.method_of(class, *name, false).is_some()
            {
                known = true;
                continue;
            }
            match self.acts_as(id) {
                Some(role) => {
                    known = true;
                    if let Some(op) = tables.member(role, name.text()).and_then(|row| row.does) {
                        out.push(Performed { op, receiver, object: Some(id) });
                    }
                }
                None => {
                    if let Some(op) = tables.anywhere(name.text())
                        && !self.field_values(id, *name).iter().any(|v| matches!(v, Value::Func(_)))
                    {
                        out.push(Performed { op, receiver, object: Some(id) });
                    }
                }
            }
        }
        if out.is_empty() && !known {
            for value in self.at(receiver) {
                if let Value::External(package, path) = value {
                    let full = crate::model::flow::join_path(*path, *name);
                    let given = tables.export(package.text(), path.text()).and_then(|row| row.gives);
                    let by_name = tables.export(package.text(), full.text()).and_then(|row| row.does);
                    // An instance that the package exports: `cache.set(…)`.
                    let by_role = || given.and_then(|role| tables.member(role, name.text())).and_then(|row| row.does);
                    if let Some(op) = by_name.or_else(by_role) {
                        out.push(Performed { op, receiver, object: None });
                        known = true;
                    }
                }
            }
            if !known && let Some(op) = tables.anywhere(name.text()) {
                out.push(Performed { op, receiver, object: None });
            }
        }
        out
    }

    fn performed_by_value(&self, call: ExprRef, callee: ExprRef) -> Vec<Performed> {
        let mut out = Vec::new();
        for value in self.at(callee) {
            match value {
                Value::External(package, path) => {
                    let row = self.program.tables(call.module).export(package.text(), path.text());
                    if let Some(op) = row.and_then(|row| row.does) {
                        out.push(Performed { op, receiver: callee, object: None });
                    }
                }
                Value::Method(id, name) => {
                    if let Some(role) = self.object(*id).role
                        && let Some(op) =
                            self.program.tables(call.module).member(role, name.text()).and_then(|row| row.does)
                    {
                        out.push(Performed { op, receiver: callee, object: Some(*id) });
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// Whether a call performs an operation.
    pub fn performs(&self, call: ExprRef, op: Op) -> bool {
        self.performed(call).iter().any(|performed| performed.op == op)
    }
}
