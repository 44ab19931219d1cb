//! What only tells of a value: log lines and measurements, also those of a program's own loggers, known by their names.

use crate::model::facts::ExprKind;
use crate::model::flow::Flow;
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Op;

/// Methods of loggers.
pub const LEVELS: &[&str] = &["debug", "info", "warn", "warning", "error", "log", "trace", "notice", "verbose"];

/// Whether a call is that of a logger: `log.info(…)`, `this.logger.debug(…)`, `console.error(…)`.
pub(super) fn is_logger(flow: &Flow<'_>, call: ExprRef) -> bool {
    let facts = flow.program.module(call.module);
    let ExprKind::Call { callee, .. } = facts.kind(call.id) else { return false };
    let ExprKind::Member { object, name } = facts.kind(*callee) else { return false };
    let receiver = flow.written_name(At { module: call.module, id: *object });
    if name.text() == "write" && receiver.is_some_and(|name| name.text() == "stderr") {
        return true;
    }
    LEVELS.contains(&name.text()) && receiver.is_some_and(|name| names_logger(name.text()))
}

/// Whether a name is that of something that writes log lines.
pub fn names_logger(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "log" || name == "console" || name.ends_with("logger")
}

/// Whether a call writes a log line or a measurement.
pub(super) fn tells(flow: &Flow<'_>, call: ExprRef) -> bool {
    flow.performed(call).iter().any(|done| matches!(done.op, Op::Log | Op::Measure)) || is_logger(flow, call)
}

/// Whether an expression is part of what a log line or a measurement says.
pub(super) fn is_told(flow: &Flow<'_>, at: ExprRef) -> bool {
    let facts = flow.program.module(at.module);
    let mut above = facts.expr(at.id).parent;
    while let Some(id) = above {
        if tells(flow, At { module: at.module, id }) {
            return true;
        }
        above = facts.expr(id).parent;
    }
    false
}
