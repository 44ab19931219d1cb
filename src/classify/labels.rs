//! Where a session id labels log lines, spans and metrics.

use super::stores::Analysis;
use crate::model::facts::{AssignKind, ExprId, ExprKind};
use crate::model::flow::value::{SourceKind, Value};
use crate::model::program::{At, ExprRef, SymbolRef};
use crate::model::vocabulary::Op;

/// How many records a label may be put into on its way.
const RECORDS: u32 = 2;

/// Where an id labels telemetry. Log lines of a transport map's own life (opened, closed) go away with the map and are no labels.
pub fn find(analysis: &Analysis<'_>) -> Vec<ExprRef> {
    // Where no id enters there is none anywhere.
    if analysis.flow.sources().is_empty() || analysis.never_opens_sessions() {
        return Vec::new();
    }
    let has_map = analysis.stores.iter().any(|found| found.with_transport);
    let flow = &analysis.flow;
    let mut out = Vec::new();
    for at in flow.program.exprs() {
        let is_id = flow.at(at).iter().any(|value| matches!(value, Value::Id(_)));
        if !is_id || matches!(flow.program.kind(at), ExprKind::Assign { .. } | ExprKind::Return(_)) {
            continue;
        }
        if flow.ids_at(at).all(|source| source.kind == SourceKind::Query) && !flow.serves_sse() {
            continue;
        }
        let by_tools = analysis.lives.handler_reach.contains(&flow.program.func_of(at));
        let labels = match reaches(analysis, at, RECORDS) {
            Some(Label::Measured) => true,
            Some(Label::Logged) => by_tools || !has_map,
            None => false,
        };
        if labels {
            out.push(at);
        }
    }
    out.dedup();
    out
}

/// What a label is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Measured,
    Logged,
}

/// What an expression labels, by itself or as a part of what is handed over.
fn reaches(analysis: &Analysis<'_>, at: ExprRef, records: u32) -> Option<Label> {
    let flow = &analysis.flow;
    let facts = flow.program.module(at.module);
    let mut id = at.id;
    for _ in 0..8 {
        let parent = facts.expr(id).parent?;
        match facts.kind(parent) {
            ExprKind::Call { args, .. } if args.iter().any(|arg| arg.value == id) => {
                let performed = flow.performed(At { module: at.module, id: parent });
                if performed.iter().any(|p| p.op == Op::Measure) {
                    return Some(Label::Measured);
                }
                if performed.iter().any(|p| p.op == Op::Log) {
                    return Some(Label::Logged);
                }
                id = parent;
            }
            ExprKind::Assign { target, value, kind } if *value == id => {
                let record = record(analysis, at.module, *target, *kind, id)?;
                return labelled_with(analysis, record, records);
            }
            ExprKind::Template(_)
            | ExprKind::Object(_)
            | ExprKind::Either { .. }
            | ExprKind::Opaque(_)
            | ExprKind::Call { .. }
            | ExprKind::Member { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Sequence(_) => id = parent,
            _ => return None,
        }
    }
    None
}

/// The variable of a record that an assignment puts a label into: `fields['session'] = id`, `const fields = { session: id }`.
fn record(analysis: &Analysis<'_>, module: u32, target: ExprId, kind: AssignKind, value: ExprId) -> Option<SymbolRef> {
    let flow = &analysis.flow;
    match flow.program.module(module).kind(target) {
        ExprKind::Index { object, key } => {
            let named = matches!(flow.program.module(module).kind(*key), ExprKind::Text(_));
            flow.symbol_at(At { module, id: *object }).filter(|_| named)
        }
        ExprKind::Member { object, .. } => flow.symbol_at(At { module, id: *object }),
        ExprKind::Symbol(_) => {
            let literal = matches!(flow.program.module(module).kind(value), ExprKind::Object(_));
            flow.symbol_at(At { module, id: target }).filter(|_| kind == AssignKind::Init && literal)
        }
        _ => None,
    }
}

/// What a local record is handed over to as a whole.
fn labelled_with(analysis: &Analysis<'_>, record: SymbolRef, records: u32) -> Option<Label> {
    let records = records.checked_sub(1)?;
    let flow = &analysis.flow;
    let facts = flow.program.module(record.module);
    flow.uses(record).filter(|used| used.module == record.module).find_map(|used| {
        let whole = facts.expr(used.id).parent.is_some_and(|parent| {
            matches!(facts.kind(parent), ExprKind::Call { args, .. } if args.iter().any(|arg| arg.value == used.id))
                || matches!(facts.kind(parent), ExprKind::Object(_) | ExprKind::Either { .. } | ExprKind::Cast { .. })
        });
        if whole { reaches(analysis, used, records) } else { None }
    })
}
