//! Tables that nobody reads: entries are put in and taken out, and that is all.

use super::access::{Keyed, Kind};
use super::stores::Analysis;
use crate::model::facts::{AssignKind, ExprId, ExprKind, FuncKind, Imported, Module};
use crate::model::flow::value::ObjId;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Op;

/// Whether nothing that runs ever reads a table of the program.
pub fn is_unread(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    let Some(table) = keyed.object.filter(|id| keyed.bag.is_none() && is_plain(analysis, *id)) else { return false };
    keyed.accesses.iter().all(|access| matches!(access.kind, Kind::Write | Kind::Delete))
        && analysis
            .flow
            .program
            .exprs()
            .filter(|at| analysis.flow.objects_at(*at).any(|id| id == table))
            .all(|at| !is_read(analysis, at) || is_uncalled(analysis, analysis.flow.program.func_of(at)))
}

/// Whether an object is a container that the program makes.
fn is_plain(analysis: &Analysis<'_>, id: ObjId) -> bool {
    analysis.flow.object(id).class.is_none() && analysis.flow.holder(id).is_some()
}

/// Whether what holds the table stands where something may be taken from it.
fn is_read(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let Some(parent) = facts.expr(at.id).parent else { return false };
    match facts.kind(parent) {
        // Where it is declared, or named to be assigned.
        ExprKind::Assign { target, value, kind } => {
            *target != at.id
                && !(*value == at.id
                    && (*kind == AssignKind::Init
                        || matches!(
                            facts.kind(at.id),
                            ExprKind::Object(_) | ExprKind::New { .. } | ExprKind::Call { .. }
                        )))
        }
        ExprKind::Cast { .. } => is_read(analysis, At { module: at.module, id: parent }),
        ExprKind::Index { object, .. } if *object == at.id => !is_changed(facts, parent),
        ExprKind::Member { object, .. } if *object == at.id => {
            let Some(call) = facts.expr(parent).parent else { return true };
            let changes = |op: Op| matches!(op, Op::Put | Op::Remove | Op::Extract | Op::Clear);
            let at = At { module: at.module, id: call };
            let performed = analysis.flow.performed(at);
            let drops = facts.expr(call).parent.is_none();
            performed.is_empty() || !drops || !performed.iter().all(|performed| changes(performed.op))
        }
        _ => true,
    }
}

/// Whether an element is assigned or deleted.
fn is_changed(facts: &Module, element: ExprId) -> bool {
    facts.expr(element).parent.is_some_and(|parent| match facts.kind(parent) {
        ExprKind::Assign { target, .. } | ExprKind::Delete { target } => *target == element,
        _ => false,
    })
}

/// Whether a function is named nowhere but where it is written.
fn is_uncalled(analysis: &Analysis<'_>, func: FuncRef) -> bool {
    let flow = &analysis.flow;
    let function = flow.program.function(func);
    let Some(name) = function.name.filter(|_| matches!(function.kind, FuncKind::Named | FuncKind::Method)) else {
        return false;
    };
    let rooted = flow.roots.contains_key(&func) || !function.decorators.is_empty();
    !rooted && !flow.program.modules.iter().any(|module| is_named(module, name))
}

/// Whether a module uses a name.
fn is_named(module: &Module, name: Name) -> bool {
    module.imports.iter().any(|import| matches!(&import.imported, Imported::Named(named) if *named == name))
        || module.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Member { name: used, .. } | ExprKind::Global(used) | ExprKind::Text(used) => *used == name,
            ExprKind::Symbol(id) => module.symbol(*id).name == name,
            _ => false,
        })
}
