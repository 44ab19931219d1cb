//! State that came from the client by a question of the server, or that marks a question: a request answers it for itself.

use super::access::{Access, Kind};
use super::answer::Holds;
use super::stores::{Analysis, Found};
use crate::model::facts::{AssignKind, ExprKind};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role};

impl Analysis<'_> {
    /// Whether a store keeps what the client answered (`roots.set(id, (await server.listRoots()).roots)`), or the mark that it was
    /// asked, set by a tool that asks.
    pub(super) fn was_asked(&self, found: &Found) -> bool {
        let writes = |kinds: &[Kind]| -> Vec<&Access> {
            found.uses.iter().filter(|access| kinds.contains(&access.kind)).collect()
        };
        let written = writes(&[Kind::Write]);
        if !written.is_empty() {
            return written.iter().all(|access| access.value.is_some_and(|value| self.is_answer(value, 0)));
        }
        let marks = writes(&[Kind::AddId]);
        !marks.is_empty() && self.only_marks(found) && marks.iter().all(|access| self.asks_in(access.func))
    }

    /// Whether a store is a set that says of a session no more than that it is in there.
    fn only_marks(&self, found: &Found) -> bool {
        let set = |id| self.flow.object(id).role == Some(Role::Set);
        !found.objects.is_empty()
            && found.objects.iter().all(|id| set(*id))
            && found.uses.iter().all(|access| matches!(access.kind, Kind::AddId | Kind::Test | Kind::Delete))
    }

    /// Whether a value is what the client answered, or a part of it.
    fn is_answer(&self, at: ExprRef, depth: u32) -> bool {
        let facts = self.flow.program.module(at.module);
        let inner = |id| At { module: at.module, id };
        if depth > 8 {
            return false;
        }
        match facts.kind(at.id) {
            ExprKind::Call { .. } => self.asks(at),
            ExprKind::Member { object, .. } => self.is_answer(inner(*object), depth + 1),
            ExprKind::Cast { value, .. } => self.is_answer(inner(*value), depth + 1),
            ExprKind::Symbol(symbol) => {
                let mut given = facts.expr_ids().filter_map(|id| match facts.kind(id) {
                    ExprKind::Assign { target, value, kind: AssignKind::Init } => {
                        matches!(facts.kind(*target), ExprKind::Symbol(known) if known == symbol).then_some(*value)
                    }
                    _ => None,
                });
                given.next().is_some_and(|value| self.is_answer(inner(value), depth + 1))
            }
            _ => false,
        }
    }

    fn asks(&self, call: ExprRef) -> bool {
        self.flow.performed(call).iter().any(|performed| performed.op == Op::AskClient)
    }

    /// Whether a function asks the client something.
    fn asks_in(&self, func: FuncRef) -> bool {
        let facts = self.flow.program.module(func.module);
        facts
            .expr_ids()
            .map(|id| At { module: func.module, id })
            .any(|at| self.flow.program.func_of(at) == func && self.asks(at))
    }

    /// Sets that mark to whom something is sent belong to what is sent: the tool that starts it is the one that marks it.
    pub(super) fn pair_marks(&self, out: &mut [Found]) {
        let sent: Vec<Vec<_>> = out
            .iter()
            .filter(|found| found.holds == Holds::Subscription && !found.tools.is_empty())
            .map(|found| found.tools.clone())
            .collect();
        for found in out.iter_mut().filter(|found| found.holds == Holds::AppState && !found.tools.is_empty()) {
            let beside = sent.iter().any(|tools| found.tools.iter().all(|tool| tools.contains(tool)));
            if beside && self.only_marks(found) && self.marks_ids(found) {
                found.holds = Holds::Subscription;
                found.carrier = self.carrier(found, false);
            }
        }
    }

    /// Whether nothing but the session's id is put into a set.
    fn marks_ids(&self, found: &Found) -> bool {
        let mut added = found.uses.iter().filter(|access| access.kind == Kind::AddId);
        added.all(|access| self.flow.at(access.key).iter().any(|value| matches!(value, Value::Id(_))))
    }
}
