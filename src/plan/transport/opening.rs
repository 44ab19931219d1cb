//! Checks for requests that open a session, in whatever way a program writes them.

use rustc_hash::FxHashSet;

use super::facts::Collector;
use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Op;
use crate::plan::loggers::is_told;

impl Collector<'_, '_, '_> {
    /// `body.some(isInitializeRequest)`.
    pub(super) fn asks_each(&self, call: ExprRef) -> bool {
        self.flow.argument(call, 0).is_some_and(|callback| {
            self.flow.at(callback).iter().any(|value| match value {
                Value::External(package, path) => {
                    let row = self.flow.program.tables(call.module).export(package.text(), path.text());
                    row.is_some_and(|row| row.does == Some(Op::IsInitialize))
                }
                _ => false,
            }) || self.flow.functions_at(callback).any(|func| self.asks(func) || self.predicates.contains(&func))
        })
    }

    /// Functions of the program that say whether a request is an `initialize` request, by what they do and by their name.
    pub(super) fn opening_predicates(&self) -> FxHashSet<FuncRef> {
        let program = self.flow.program;
        let named = |func: &FuncRef| {
            program.function(*func).name.is_some_and(|name| name.text().to_ascii_lowercase().contains("init"))
        };
        program.functions().filter(|func| named(func) && self.asks(*func)).collect()
    }

    /// Whether a function asks for an `initialize` request, and has nothing to do with transports.
    fn asks(&self, func: FuncRef) -> bool {
        let program = self.flow.program;
        let within = |at: &ExprRef| at.module == func.module && program.within(program.func_of(*at), func);
        self.context.modules[func.module as usize]
            && program.exprs().filter(within).any(|at| match program.kind(at) {
                ExprKind::Compare { left, right, operator } => {
                    operator.text().starts_with("==") && self.names_initialize(at.module, *left, *right)
                }
                ExprKind::Call { .. } => self.flow.performed(at).iter().any(|done| done.op == Op::IsInitialize),
                _ => false,
            })
            && !self.reaches_transport(func)
    }

    /// Whether a call that asks for an `initialize` request decides whether a session is opened, and is not only told to a log.
    pub(super) fn opens(&self, at: ExprRef) -> bool {
        self.decides(at)
            && !is_told(self.flow, at)
            && !self.predicates.iter().any(|func| self.flow.program.within(self.flow.program.func_of(at), *func))
    }

    /// `body.method === 'initialize'`.
    pub(super) fn names_initialize(&self, module: u32, left: ExprId, right: ExprId) -> bool {
        let facts = self.flow.program.module(module);
        let says = |id: ExprId| {
            self.flow
                .at(At { module, id })
                .iter()
                .any(|value| matches!(value, Value::Text(text) if *text == "initialize"))
                || matches!(facts.kind(id), ExprKind::Text(text) if *text == "initialize")
        };
        let reads = |id: ExprId| match facts.kind(id) {
            ExprKind::Member { name, .. } => *name == "method",
            ExprKind::Index { key, .. } => matches!(facts.kind(*key), ExprKind::Text(text) if *text == "method"),
            _ => false,
        };
        (says(left) && reads(right)) || (says(right) && reads(left))
    }
}
