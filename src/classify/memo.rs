//! Caches of what the code computes: what is in them can be computed again, so no session owns it and no handle is due.

use rustc_hash::FxHashSet;

use super::access::Kind;
use super::answer::KeyedBy;
use super::stores::{Analysis, Found};
use super::words;
use crate::model::facts::{ExprKind, FuncKind};
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef};

/// Whether a store is a cache by its name, and by what the code does: each entry is only put in where it is absent, and nothing that a
/// model passed is kept in it or changed in it later.
pub fn is_memo(analysis: &Analysis<'_>, found: &Found) -> bool {
    if !words::is_cache(found.name.text()) || found.keyed_by != KeyedBy::SessionId {
        return false;
    }
    let flow = &analysis.flow;
    let records: FxHashSet<ObjId> = found.objects.iter().flat_map(|id| analysis.element_objects(*id)).collect();
    let opens = |value: ExprRef| flow.objects_at(value).any(|id| records.contains(&id));
    let opened = found.uses.iter().all(|access| match (access.kind, access.value) {
        (Kind::Write | Kind::GetOrCreate, Some(value)) => opens(value),
        (Kind::AddId, _) => false,
        _ => true,
    });
    let changes = |id: &ObjId| analysis.mutations.objects.get(id).into_iter().flatten().copied();
    let fills: Vec<ExprRef> = records.iter().flat_map(changes).collect();
    if !opened || fills.is_empty() || !fills.iter().all(|fill| is_guarded(analysis, &records, *fill)) {
        return false;
    }
    let entries: Vec<Value> = records.iter().flat_map(|id| flow.elements(*id)).collect();
    let kept: Vec<ObjId> = entries
        .iter()
        .filter_map(|value| match value {
            Value::Object(id) => Some(*id),
            _ => None,
        })
        .collect();
    let given =
        entries.iter().any(|value| matches!(value, Value::Argument(_) | Value::Random(_) | Value::Credential(_)));
    let made_in = |at: ExprRef| fills.iter().any(|fill| flow.program.func_of(*fill) == flow.program.func_of(at));
    let changed_later = kept.iter().flat_map(changes).any(|at| !made_in(at))
        || analysis.value_fields_of(&kept).iter().any(|(_, _, writers)| !writers.is_empty());
    !given && !changed_later
}

/// Whether an object that is made for each session has nothing that changes but caches, by their names: a reader of files that keeps
/// what it read.
pub fn only_caches(analysis: &Analysis<'_>, found: &Found) -> bool {
    let flow = &analysis.flow;
    let own = found.objects.iter().all(|id| flow.object(*id).class.is_some() && flow.object(*id).role.is_none());
    if found.keyed_by != KeyedBy::SessionLifetime || found.objects.is_empty() || !own {
        return false;
    }
    let fields = analysis.value_fields_of(&found.objects);
    let later = |at: &ExprRef| flow.program.function(flow.program.func_of(*at)).kind != FuncKind::Constructor;
    let mut changed = fields.iter().filter(|(.., writers)| writers.iter().any(later)).peekable();
    let given = |value: &Value| matches!(value, Value::Argument(_) | Value::Random(_) | Value::Credential(_));
    let parts = |value: Value| match value {
        Value::Object(id) => flow.fields(id).into_iter().flat_map(|(_, values)| values).chain([value]).collect(),
        _ => vec![value],
    };
    let computed = |name: &Name| {
        let own = found.objects.iter().flat_map(|id| flow.fields(*id)).filter(|(known, _)| known == name);
        let kept = own.flat_map(|(_, values)| values).filter_map(|value| match value {
            Value::Object(id) => Some(flow.elements(id)),
            _ => None,
        });
        !kept.flatten().flat_map(parts).any(|value| given(&value))
    };
    changed.peek().is_some() && changed.all(|(name, ..)| words::is_cache(name.text()) && computed(name))
}

/// Whether an entry is put in only where it was asked for and was not there.
fn is_guarded(analysis: &Analysis<'_>, records: &FxHashSet<ObjId>, fill: ExprRef) -> bool {
    let flow = &analysis.flow;
    let module = fill.module;
    let facts = flow.program.module(module);
    let func = flow.program.func_of(fill).id;
    let at = facts.expr(fill.id).span;
    let is_record = |id| flow.objects_at(At { module, id }).any(|id| records.contains(&id));
    let reads = |id| match facts.kind(id) {
        ExprKind::Index { object, .. } => is_record(*object),
        ExprKind::Call { callee, .. } => {
            matches!(facts.kind(*callee), ExprKind::Member { object, .. } if is_record(*object))
        }
        _ => false,
    };
    // Variables that hold what was found.
    let found: Vec<_> = flow
        .assignments_of(module)
        .filter_map(|id| match facts.kind(id) {
            ExprKind::Assign { target, value, .. } if reads(*value) => match facts.kind(*target) {
                ExprKind::Symbol(symbol) => Some(*symbol),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let asks = |id| reads(id) || matches!(facts.kind(id), ExprKind::Symbol(symbol) if found.contains(symbol));
    flow.branches_in(At { module, id: func }).any(|branch| {
        (branch.then.contains(at) || (branch.then_leaves && branch.span.end <= at.start))
            && flow.exprs_within(module, facts.expr(branch.condition).span).any(asks)
    })
}
