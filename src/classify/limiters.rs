//! What code does with numbers and times that it keeps for a session: whether it lets calls through by them, answers them, or locks out
//! who has failed too often.

use rustc_hash::FxHashSet;

use super::access::{Keyed, Kind};
use super::guards::refuses;
use super::spend::is_bounded;
use super::stores::Analysis;
use crate::model::facts::{ExprId, ExprKind, SymbolId};
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::flow::{Flow, Root};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Role;

/// Calls that answer the present time.
const CLOCK: [&str; 5] = ["now", "time", "monotonic", "perf_counter", "Date"];

/// Calls that answer a number.
const NUMBERS: [&str; 8] = ["min", "max", "floor", "ceil", "round", "trunc", "abs", "Number"];

/// Whether a value is a point in time.
pub(super) fn is_time(analysis: &Analysis<'_>, value: Value) -> bool {
    let Value::Object(id) = value else { return false };
    analysis.flow.object(id).role == Some(Role::Date) || is_answer_of(analysis, id, &CLOCK)
}

/// Whether an object that a call answered is a number.
pub(super) fn is_number(analysis: &Analysis<'_>, id: ObjId) -> bool {
    is_answer_of(analysis, id, &NUMBERS)
}

fn is_answer_of(analysis: &Analysis<'_>, id: ObjId, names: &[&str]) -> bool {
    let flow = &analysis.flow;
    let Site::Expr(at) = flow.object(id).site else { return false };
    matches!(flow.program.kind(at), ExprKind::Call { .. } | ExprKind::New { .. })
        && flow.callee_name(at).is_some_and(|name| names.iter().any(|known| name == *known))
}

/// The expressions that stand for what is kept: reads of the store, and uses of the variables that they go to.
pub(super) fn reads(analysis: &Analysis<'_>, keyed: &Keyed) -> Vec<ExprRef> {
    let mut out = Vec::new();
    for access in keyed.accesses.iter().filter(|access| matches!(access.kind, Kind::Read | Kind::GetOrCreate)) {
        out.push(access.at);
        if let Some(kept) = variable_of(analysis, access.at) {
            out.extend(analysis.flow.uses(At { module: access.at.module, id: kept }));
        }
    }
    out
}

/// The variable that what was read goes to, made where it was absent or not: `const mine = (table[id] ||= { count: 0 })`.
fn variable_of(analysis: &Analysis<'_>, read: ExprRef) -> Option<SymbolId> {
    let facts = analysis.flow.program.module(read.module);
    let mut id = read.id;
    loop {
        let parent = facts.expr(id).parent?;
        match facts.kind(parent) {
            ExprKind::Assign { target, value, .. } if *value == id => match facts.kind(*target) {
                ExprKind::Symbol(symbol) => return Some(*symbol),
                _ => id = parent,
            },
            ExprKind::Assign { .. } | ExprKind::Either { .. } | ExprKind::Opaque(_) => id = parent,
            _ => return None,
        }
    }
}

/// Whether what is kept is compared with a bound: `count > LIMIT`, `entry.count >= 30`, `recent.length > 10`.
pub(super) fn is_measured(analysis: &Analysis<'_>, keyed: &Keyed, objects: &[ObjId]) -> bool {
    let ordered = analysis.ordered.get_or_init(|| Ordered::of(&analysis.flow));
    objects.iter().any(|id| ordered.objects.contains(id))
        || reads(analysis, keyed).into_iter().any(|read| {
            let facts = analysis.flow.program.module(read.module);
            std::iter::successors(Some(read.id), |id| facts.expr(*id).parent)
                .any(|id| ordered.comparisons.contains(&At { module: read.module, id }))
        })
}

/// What the code asks to be more or less than something else.
pub(super) struct Ordered {
    /// The comparisons that ask so.
    comparisons: FxHashSet<ExprRef>,
    /// Objects of which something is part of such a comparison.
    objects: FxHashSet<ObjId>,
}

impl Ordered {
    fn of(flow: &Flow<'_>) -> Self {
        let (mut comparisons, mut objects) = (FxHashSet::default(), FxHashSet::default());
        for at in flow.program.exprs_of([Sort::Compare]) {
            let ExprKind::Compare { operator, .. } = flow.program.kind(at) else { continue };
            if !matches!(operator.text(), "<" | ">" | "<=" | ">=") {
                continue;
            }
            comparisons.insert(at);
            let facts = flow.program.module(at.module);
            for id in flow.exprs_within(at.module, facts.expr(at.id).span) {
                if let ExprKind::Member { object, .. } = facts.kind(id) {
                    objects.extend(flow.objects_at(At { module: at.module, id: *object }));
                }
            }
        }
        Self { comparisons, objects }
    }
}

/// Whether a field of a record is a number, since something asks whether it is more or less than another.
pub(super) fn is_ordered(analysis: &Analysis<'_>, record: ObjId, field: Name) -> bool {
    let flow = &analysis.flow;
    flow.program.exprs_of([Sort::Compare]).any(|at| {
        let ExprKind::Compare { operator, left, right } = flow.program.kind(at) else { return false };
        matches!(operator.text(), "<" | ">" | "<=" | ">=")
            && [*left, *right].into_iter().any(|side| match flow.program.module(at.module).kind(side) {
                ExprKind::Member { object, name } => {
                    *name == field && flow.objects_at(At { module: at.module, id: *object }).any(|id| id == record)
                }
                _ => false,
            })
    })
}

/// Whether a tool answers what is kept: the count is what it is about.
pub(super) fn is_told(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    // What a helper returns may go anywhere.
    let answers = |at: &ExprRef| {
        let func = analysis.flow.program.func_of(*at);
        analysis.flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::Handler))
            || analysis.bodies.iter().any(|body| body.func == func)
    };
    reads(analysis, keyed).into_iter().filter(answers).any(|at| is_answered(analysis, keyed, at))
}

fn is_answered(analysis: &Analysis<'_>, keyed: &Keyed, at: ExprRef) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let mut id: ExprId = at.id;
    while let Some(parent) = facts.expr(id).parent {
        match facts.kind(parent) {
            ExprKind::Return(_) => return true,
            ExprKind::Compare { .. } | ExprKind::Assign { .. } | ExprKind::Throw(_) => return false,
            ExprKind::Call { .. }
                if keyed.accesses.iter().any(|access| {
                    access.at == At { module: at.module, id: parent }
                        && !matches!(access.kind, Kind::Read | Kind::GetOrCreate)
                }) =>
            {
                return false;
            }
            _ => id = parent,
        }
    }
    false
}

/// Whether failures are counted to lock out who made too many: a call is counted where it is refused for another reason, and refused
/// where the count is above a bound.
pub(super) fn is_lockout(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    let by_tools = |at: ExprRef| analysis.lives.handler_reach.contains(&analysis.flow.program.func_of(at));
    let read = reads(analysis, keyed);
    let counted =
        keyed.accesses.iter().filter(|access| access.kind == Kind::Write && by_tools(access.at)).any(|access| {
            let facts = analysis.flow.program.module(access.at.module);
            let span = facts.expr(access.at.id).span;
            analysis.flow.branches_about(access.at).any(|branch| {
                let condition = facts.expr(branch.condition).span;
                branch.then.contains(span)
                    && refuses(analysis, access.at.module, branch)
                    && !read
                        .iter()
                        .any(|at| at.module == access.at.module && condition.contains(facts.expr(at.id).span))
            })
        });
    counted
        && keyed
            .accesses
            .iter()
            .filter(|access| matches!(access.kind, Kind::Read | Kind::GetOrCreate) && by_tools(access.at))
            .any(|access| is_bounded(analysis, access.at))
}
