//! What is kept of callers that have to prove themselves by a secret: who has, until when, and how often somebody failed to.

use super::access::Keyed;
use super::counts::counts_only;
use super::limiters::reads;
use super::stores::Analysis;
use super::words;
use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::value::{ObjId, Value};
use crate::model::program::{At, ExprRef, FuncRef};

/// Calls that compare a secret, of the libraries that people use for it.
const COMPARES: [&str; 14] = [
    "timingSafeEqual",
    "compareSync",
    "compare_digest",
    "constant_time_compare",
    "constant_time_eq",
    "ct_eq",
    "safe_str_cmp",
    "checkpw",
    "check_password",
    "check_password_hash",
    "checkPassword",
    "verifyPassword",
    "verify_password",
    "verifyPin",
];

/// Packages whose `compare` and `verify` are of that kind.
const HASHES: [&str; 8] =
    ["bcrypt", "bcryptjs", "argon2", "@node-rs/argon2", "@node-rs/bcrypt", "scrypt-kdf", "passlib", "argonautica"];

/// Whether marks, numbers and points in time are set by code that compares a secret, and calls are judged by them later.
pub(super) fn is_by_secret(analysis: &Analysis<'_>, keyed: &Keyed, values: &[Value], objects: &[ObjId]) -> bool {
    if keyed.accesses.is_empty() || !counts_only(analysis, values) {
        return false;
    }
    let fields = analysis.value_fields_of(objects);
    let touched = keyed.accesses.iter().map(|access| access.at);
    let mut writers = fields.iter().flat_map(|(_, _, writers)| writers.iter().copied()).chain(touched);
    let mut readers = fields.iter().flat_map(|(_, readers, _)| readers.iter().copied()).chain(reads(analysis, keyed));
    writers.any(|at| asks_for_secret(analysis, analysis.flow.program.func_of(at)))
        && readers.any(|at| judges(analysis, at))
}

/// Whether a branch of a function, or a variable that one asks, compares a secret.
fn asks_for_secret(analysis: &Analysis<'_>, func: FuncRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(func.module);
    let compares = |id: ExprId| {
        flow.exprs_within(func.module, facts.expr(id).span)
            .any(|id| compares_secret(analysis, At { module: func.module, id }))
    };
    let asked = |id: ExprId| match facts.kind(id) {
        ExprKind::Symbol(symbol) => flow.assignments_in(func).iter().any(|id| match facts.kind(*id) {
            ExprKind::Assign { target, value, .. } => {
                matches!(facts.kind(*target), ExprKind::Symbol(other) if other == symbol) && compares(*value)
            }
            _ => false,
        }),
        _ => false,
    };
    flow.branches_in(func).any(|branch| {
        compares(branch.condition) || flow.exprs_within(func.module, facts.expr(branch.condition).span).any(asked)
    })
}

/// Whether an expression compares something with a secret of the server.
fn compares_secret(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let flow = &analysis.flow;
    let inner = |id| At { module: at.module, id };
    match flow.program.kind(at) {
        ExprKind::Call { callee, .. } => {
            let Some(name) = flow.callee_name(at) else { return false };
            let hashed = || {
                flow.at(inner(*callee)).iter().any(
                    |value| matches!(value, Value::External(package, _) if HASHES.iter().any(|known| *package == *known)),
                )
            };
            COMPARES.contains(&name.text()) || (matches!(name.text(), "compare" | "verify") && hashed())
        }
        ExprKind::Compare { operator, left, right } => {
            matches!(operator.text(), "==" | "===" | "!=" | "!==")
                && [*left, *right].into_iter().any(|side| is_secret_of_server(analysis, inner(side)))
        }
        _ => false,
    }
}

/// Whether an expression is a secret that the server was started with: `process.env.PIN`, `os.environ["PASSWORD"]`, or a constant of a
/// module that is named so.
fn is_secret_of_server(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(at.module);
    match facts.kind(at.id) {
        ExprKind::Symbol(symbol) => {
            let symbol = facts.symbol(*symbol);
            symbol.func == crate::model::facts::TOP && words::is_secret(symbol.name.text())
        }
        ExprKind::Member { object, name } => {
            words::is_secret(name.text())
                && flow
                    .written_name(At { module: at.module, id: *object })
                    .is_some_and(|of| of == "env" || of == "environ")
        }
        ExprKind::Index { object, key } => {
            matches!(facts.kind(*key), ExprKind::Text(text) if words::is_secret(text.text()))
                && flow
                    .written_name(At { module: at.module, id: *object })
                    .is_some_and(|of| of == "env" || of == "environ")
        }
        _ => false,
    }
}

/// Whether something goes by what was read: it is part of a comparison, or of what a branch asks.
fn judges(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(at.module);
    let span = facts.expr(at.id).span;
    let asked = flow.branches_about(at).any(|branch| facts.expr(branch.condition).span.contains(span));
    asked
        || std::iter::successors(Some(at.id), |id| facts.expr(*id).parent)
            .any(|id| matches!(facts.kind(id), ExprKind::Compare { .. }))
}
