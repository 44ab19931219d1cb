//! Checks for requests that open a session, in whatever way a program writes them.

use rustc_hash::FxHashSet;

use super::facts::Collector;
use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Op;

impl Collector<'_, '_, '_> {
    /// A logger of the program's own, by its name and that of its method.
    pub(super) fn reads_like_log(&self, module: u32, object: ExprId, method: &str) -> bool {
        const METHODS: &[&str] = &["debug", "info", "warn", "warning", "error", "log", "trace", "notice", "verbose"];
        let name = self.flow.written_name(At { module, id: object });
        METHODS.contains(&method)
            && name.is_some_and(|name| {
                let name = name.text().to_ascii_lowercase();
                name == "log" || name.ends_with("logger")
            })
    }

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
            && !self.is_told(at)
            && !self.predicates.iter().any(|func| self.flow.program.within(self.flow.program.func_of(at), *func))
    }

    /// Whether an expression is part of what a log line says.
    fn is_told(&self, at: ExprRef) -> bool {
        let facts = self.flow.program.module(at.module);
        let mut above = facts.expr(at.id).parent;
        while let Some(id) = above {
            let call = At { module: at.module, id };
            let logs = self.flow.performed(call).iter().any(|done| matches!(done.op, Op::Log | Op::Measure));
            let reads = match facts.kind(id) {
                ExprKind::Call { callee, .. } => match facts.kind(*callee) {
                    ExprKind::Member { object, name } => self.reads_like_log(at.module, *object, name.text()),
                    _ => false,
                },
                _ => false,
            };
            if logs || reads {
                return true;
            }
            above = facts.expr(id).parent;
        }
        false
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
