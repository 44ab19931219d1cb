//! What calls do to what they are made on. Asked of the same call by many, so found once.

use std::cell::RefCell;
use std::rc::Rc;

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
    /// For each module and expression, one more than the place of its answer among those found; zero where nobody asked yet.
    places: RefCell<Vec<Vec<u32>>>,
    /// The answers. The first is that a call does nothing.
    found: RefCell<Vec<Rc<[Performed]>>>,
    nothing: Rc<[Performed]>,
}

impl PerformedAt {
    fn known(&self, call: ExprRef) -> Option<Rc<[Performed]>> {
        let place = *self.places.borrow().get(call.module as usize)?.get(call.id.index())?;
        Some(Rc::clone(&self.found.borrow()[place.checked_sub(1)? as usize]))
    }

    /// Remembers an answer; the module has so many expressions.
    fn remember(&self, call: ExprRef, exprs: usize, answer: &Rc<[Performed]>) {
        let (mut places, mut found) = (self.places.borrow_mut(), self.found.borrow_mut());
        if found.is_empty() {
            found.push(Rc::clone(&self.nothing));
        }
        if !answer.is_empty() {
            found.push(Rc::clone(answer));
        }
        let module = call.module as usize;
        if places.len() <= module {
            places.resize_with(module + 1, Vec::new);
        }
        places[module].resize(exprs, 0);
        places[module][call.id.index()] = if answer.is_empty() { 1 } else { found.len() as u32 };
    }
}

impl Flow<'_> {
    /// What a call does to its receiver, by the receiver's role or (where that is unknown) by the name alone.
    pub fn performed(&self, call: ExprRef) -> Rc<[Performed]> {
        if let Some(found) = self.performed_at.known(call) {
            return found;
        }
        let nothing = &self.performed_at.nothing;
        if !matches!(self.program.kind(call), ExprKind::Call { .. }) {
            return Rc::clone(nothing);
        }
        let found = self.find_performed(call);
        let found = if found.is_empty() { Rc::clone(nothing) } else { found.into() };
        self.performed_at.remember(call, self.program.module(call.module).exprs.len(), &found);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::facts::ExprId;

    #[test]
    fn answers_are_those_of_their_calls() {
        let call = |module, id| At { module, id: ExprId(id) };
        let known = PerformedAt::default();
        let does = |op| -> Rc<[Performed]> { [Performed { op, receiver: call(0, 0), object: None }].into() };
        let ops = |at| known.known(at).map(|found| found.iter().map(|performed| performed.op).collect::<Vec<_>>());
        known.remember(call(2, 3), 4, &does(Op::Get));
        known.remember(call(2, 0), 4, &Rc::clone(&known.nothing));
        known.remember(call(0, 1), 2, &does(Op::Put));
        assert_eq!(ops(call(2, 3)), Some(vec![Op::Get]));
        assert_eq!(ops(call(2, 0)), Some(Vec::new()));
        assert_eq!(ops(call(0, 1)), Some(vec![Op::Put]));
        assert_eq!(ops(call(2, 1)), None);
        assert_eq!(ops(call(1, 0)), None);
        assert_eq!(ops(call(9, 0)), None);
    }
}
