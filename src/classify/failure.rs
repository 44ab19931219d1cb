//! What becomes of a store once requests carry no session.

use rustc_hash::FxHashSet;

use super::access::{Access, Bag, Keyed, Kind};
use super::answer::{Failure, Holds};
use super::lifetime::Lasting;
use super::stores::Analysis;
use crate::model::facts::{Branch, Choice, ExprId, ExprKind};
use crate::model::flow::Root;
use crate::model::flow::value::{SourceKind, Value};
use crate::model::program::{At, ExprRef, FuncRef, Sort};
use crate::model::vocabulary::Op;

/// The key of a write whose constant fallback is one bucket for everybody.
pub fn fallback(analysis: &Analysis<'_>, keyed: &Keyed) -> Option<ExprRef> {
    fallback_among(analysis, keyed, |access| analysis.lives.handler_reach.contains(&access.func))
}

fn fallback_among(analysis: &Analysis<'_>, keyed: &Keyed, wanted: impl Fn(&Access) -> bool) -> Option<ExprRef> {
    keyed
        .accesses
        .iter()
        .filter(|access| matches!(access.kind, Kind::Write | Kind::GetOrCreate | Kind::AddId))
        .filter(|access| wanted(access))
        .find(|access| {
            let values = analysis.flow.at(access.key);
            values.iter().any(|v| matches!(v, Value::Id(_)))
                && values.iter().any(|v| match v {
                    Value::Text(_) => true,
                    Value::Object(id) => analysis.flow.is_plain_default(*id),
                    _ => false,
                })
                && !always_new(analysis, values)
                && !is_identity(analysis, values)
                && !raises(analysis, access.key.module, values)
        })
        .map(|access| access.key)
}

/// Whether a key is made up where there is no session, so that it is never the same twice.
fn always_new(analysis: &Analysis<'_>, values: &[Value]) -> bool {
    values.iter().any(|value| match value {
        Value::Random(_) => true,
        Value::Id(id) => analysis.flow.source(*id).kind == SourceKind::Fresh,
        _ => false,
    })
}

/// Whether a key is the address of an object, that another object may have later.
fn is_identity(analysis: &Analysis<'_>, values: &[Value]) -> bool {
    values.iter().any(|value| matches!(value, Value::Id(id) if analysis.flow.source(*id).kind == SourceKind::Identity))
}

/// Whether reading the id is an error where there is none, and nothing catches it.
fn raises(analysis: &Analysis<'_>, module: u32, values: &[Value]) -> bool {
    let flow = &analysis.flow;
    let strict = flow.program.tables(module).traits.absent_raises;
    let mut ids = values
        .iter()
        .filter_map(|value| match value {
            Value::Id(id) => Some((*value, flow.source(*id))),
            _ => None,
        })
        .peekable();
    ids.peek().is_some()
        && ids.all(|(value, source)| {
            let error = match source.kind {
                SourceKind::Removed => true,
                SourceKind::Header | SourceKind::ToolHeader | SourceKind::Query => {
                    strict && matches!(flow.program.kind(source.at), ExprKind::Index { .. })
                }
                _ => false,
            };
            error && !rescued(analysis, value, source.at)
        })
}

/// Whether a read that may fail has a default, or stands in a `try` whose handler gives another value.
fn rescued(analysis: &Analysis<'_>, value: Value, read: ExprRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(read.module);
    // `hasattr(x, "id")` before `x.id`.
    let asked = match facts.kind(read.id) {
        ExprKind::Member { name, .. } => {
            let func = facts.expr(read.id).func;
            flow.exprs_within(read.module, facts.function(func).span).any(|id| {
                facts.expr(id).func == func
                    && matches!(facts.kind(id), ExprKind::Contains { needle, .. } if matches!(facts.kind(*needle), ExprKind::Text(text) if text == name))
            })
        }
        _ => false,
    };
    let defaulted = facts.expr(read.id).parent.is_some_and(|parent| {
        matches!(facts.kind(parent), ExprKind::Either { arms, choice: Choice::Default, .. } if arms.first() == Some(&read.id))
    });
    asked || defaulted || rescues(analysis).iter().any(|at| flow.at(*at).contains(&value))
}

/// Expressions in a `try` whose handler gives another value.
fn rescues<'a>(analysis: &'a Analysis<'_>) -> &'a [ExprRef] {
    analysis.rescues.get_or_init(|| {
        let program = analysis.flow.program;
        let first = |at: ExprRef| match program.kind(at) {
            ExprKind::Either { arms, choice: Choice::Rescue, .. } => {
                arms.first().map(|arm| At { module: at.module, id: *arm })
            }
            _ => None,
        };
        program.exprs_of([Sort::Either]).filter_map(first).collect()
    })
}

/// The failure of a store that a session id or object keys.
pub fn keyed(analysis: &Analysis<'_>, keyed: &Keyed, holds: Holds) -> Failure {
    if matches!(holds, Holds::Transport | Holds::Upstream) {
        return transport(analysis, keyed);
    }
    match keyed.bag {
        Some(Bag::Session) => return Failure::Lost,
        Some(Bag::Visibility) => return Failure::Refused,
        Some(Bag::Table | Bag::Label | Bag::Files) | None => {}
    }
    if keyed.by_object {
        return Failure::Lost;
    }
    // A protocol spoken by hand has no handlers that are known as such.
    let by_hand = analysis.lives.handler_reach.is_empty();
    let by_tools: Vec<&Access> = keyed
        .accesses
        .iter()
        .filter(|access| by_hand || analysis.lives.handler_reach.contains(&access.func))
        .filter(|access| access.kind != Kind::Delete)
        .collect();
    if by_tools.is_empty() {
        // What a middleware looks up and hands on to the tools.
        let shared = holds == Holds::AppState && fallback_among(analysis, keyed, |_| true).is_some();
        return if shared { Failure::Collapsed } else { Failure::Refused };
    }
    let values: Vec<Value> = by_tools.iter().flat_map(|access| analysis.flow.at(access.key).iter().copied()).collect();
    if always_new(analysis, &values) {
        return Failure::Lost;
    }
    if is_identity(analysis, &values) {
        return Failure::Collapsed;
    }
    if raises(analysis, keyed.accesses[0].key.module, &values) {
        return Failure::Refused;
    }
    if fallback(analysis, keyed).is_some() {
        return Failure::Collapsed;
    }
    let raw = values
        .iter()
        .any(|value| matches!(value, Value::Id(id) if analysis.flow.source(*id).kind == SourceKind::ToolHeader));
    // A check that the id is there stops nobody who writes the header himself.
    if raw && analysis.flow.program.tables(keyed.holder.module).traits.raw_header {
        return Failure::Spoofed;
    }
    let created = by_tools.iter().any(|access| {
        matches!(access.kind, Kind::Write | Kind::GetOrCreate | Kind::AddId) || is_found_again(analysis, keyed, access)
    });
    let guards: Vec<Option<Guarded>> = by_tools.iter().map(|access| guard_of(analysis, access)).collect();
    if guards.iter().all(Option::is_some) {
        let throws = guards.iter().flatten().any(|guard| *guard == Guarded::Refuses);
        return if throws { Failure::Refused } else { Failure::Lost };
    }
    if raw {
        return Failure::Spoofed;
    }
    // A key that is put together is never missing: it says "undefined" for everybody.
    if keyed.key_text.is_some() {
        return Failure::Collapsed;
    }
    if !created {
        let refuses = by_tools.iter().any(|access| missing_is_refused(analysis, access));
        return if refuses { Failure::Refused } else { Failure::Lost };
    }
    Failure::Collapsed
}

/// Whether an access searches a list that handlers add to: an absent id finds the entry whose id is absent.
fn is_found_again(analysis: &Analysis<'_>, keyed: &Keyed, access: &Access) -> bool {
    analysis.flow.performs(access.at, Op::Find)
        && keyed.object.is_some_and(|id| {
            let changes = analysis.mutations.objects.get(&id);
            changes.into_iter().flatten().any(|at| analysis.flow.performs(*at, Op::Add))
        })
}

/// The failure of state that lives as long as a session. What only the session's start fills in, and whose absence every use
/// refuses, is refused: no start comes before a call any more.
pub fn lasting(analysis: &Analysis<'_>, lasting: &Lasting) -> Failure {
    let filled = !lasting.fills.is_empty() && lasting.fills.iter().all(|at| at_start_only(analysis, *at));
    let guarded = |at: &ExprRef| is_required(analysis, *at);
    let mut uses = lasting.uses.iter().filter(|at| !at_start_only(analysis, **at)).peekable();
    if filled && uses.peek().is_some() && uses.all(guarded) { Failure::Refused } else { Failure::Lost }
}

/// Whether code runs when a session opens, and for no call of a tool.
fn at_start_only(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let func = analysis.flow.program.func_of(at);
    let starts =
        |handler: &FuncRef| analysis.flow.roots.get(handler).is_some_and(|roots| roots.contains(&Root::SessionStart));
    let handlers = analysis.lives.handlers_of.get(&func);
    handlers.is_some_and(|handlers| !handlers.is_empty() && handlers.iter().all(starts))
}

/// Whether a value is required where it is read: the function leaves with an error without it.
fn is_required(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let func = facts.expr(at.id).func;
    let span = facts.expr(at.id).span;
    analysis.flow.branches_in(At { module: at.module, id: func }).any(|branch| {
        branch.then_leaves
            && matches!(facts.kind(branch.condition), ExprKind::Opaque(_))
            && facts.expr(branch.condition).span.contains(span)
            && facts.function(func).throws.iter().any(|throw| branch.then.contains(facts.expr(*throw).span))
    })
}

/// The failure of a table of transports or upstreams: never filled, or (where the SDK negotiates down for the streamable transport)
/// as alive as before.
fn transport(analysis: &Analysis<'_>, keyed: &Keyed) -> Failure {
    let flow = &analysis.flow;
    let works = flow.program.tables(keyed.holder.module).traits.transport_table_works;
    let by_header = |access: &Access| flow.ids_at(access.key).any(|source| source.kind != SourceKind::Query);
    if works && keyed.accesses.iter().any(by_header) { Failure::Works } else { Failure::Refused }
}

/// What happens before an access where the id is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// An error.
    Refuses,
    /// The access is left out.
    Skips,
}

/// The guard on the id of an access: in its own function, in what made the key, or in its callers that pass the key on.
pub fn guard_of(analysis: &Analysis<'_>, access: &Access) -> Option<Guarded> {
    let mut seen = FxHashSet::default();
    guard_at(analysis, access.at, access.key, &mut seen, 0)
}

fn guard_at(
    analysis: &Analysis<'_>,
    at: ExprRef,
    key: ExprRef,
    seen: &mut FxHashSet<FuncRef>,
    depth: u32,
) -> Option<Guarded> {
    let flow = &analysis.flow;
    let func = flow.program.func_of(at);
    if let Some(guard) = guard_in(analysis, func, Some(at)) {
        return Some(guard);
    }
    for maker in makers(analysis, key, 0) {
        if let Some(guard) = guard_in(analysis, maker, None) {
            return Some(guard);
        }
    }
    if depth >= 3 || !seen.insert(func) {
        return None;
    }
    // The key came in as a parameter: every caller that handlers reach must have looked.
    let callers: Vec<ExprRef> = flow
        .callers
        .get(&func)
        .into_iter()
        .flatten()
        .filter(|(caller, _, _)| analysis.lives.handler_reach.contains(caller))
        .map(|(_, at, _)| *at)
        .collect();
    let mut out = None;
    for call in callers {
        let (ExprKind::Call { args, .. } | ExprKind::New { args, .. }) = flow.program.kind(call) else { continue };
        let Some(arg) = args.iter().find(|arg| flow.is_id(At { module: call.module, id: arg.value })) else { continue };
        let passed = At { module: call.module, id: arg.value };
        match guard_at(analysis, call, passed, seen, depth + 1) {
            Some(Guarded::Skips) if out.is_none() => out = Some(Guarded::Skips),
            Some(guard) => out = Some(guard),
            None => return None,
        }
    }
    out
}

/// The functions of the program that make a key.
fn makers(analysis: &Analysis<'_>, key: ExprRef, depth: u32) -> Vec<FuncRef> {
    if depth > 3 {
        return Vec::new();
    }
    let flow = &analysis.flow;
    match flow.program.kind(key) {
        ExprKind::Call { .. } => flow.callees(key),
        ExprKind::Symbol(id) => match flow.program.module(key.module).symbol(*id).init {
            Some(init) => makers(analysis, At { module: key.module, id: init }, depth + 1),
            None => Vec::new(),
        },
        ExprKind::Cast { value, .. } => makers(analysis, At { module: key.module, id: *value }, depth + 1),
        _ => Vec::new(),
    }
}

/// A branch of a function that leaves where the id is absent (before an access, if one is given).
fn guard_in(analysis: &Analysis<'_>, func: FuncRef, before: Option<ExprRef>) -> Option<Guarded> {
    let facts = analysis.flow.program.module(func.module);
    let place = before.map(|at| analysis.flow.program.expr(at).span);
    for branch in analysis.flow.branches_in(func) {
        let Some(absent_first) = tests_presence(analysis, func.module, branch.condition) else { continue };
        if absent_first {
            let earlier = place
                .is_none_or(|span| branch.span.end <= span.start || branch.otherwise.is_some_and(|o| o.contains(span)));
            if branch.then_leaves && earlier {
                return Some(leaving(facts, branch, func.id.index()));
            }
        } else if let Some(span) = place
            && branch.then.contains(span)
        {
            return Some(Guarded::Skips);
        }
    }
    None
}

fn leaving(facts: &crate::model::facts::Module, branch: &Branch, func: usize) -> Guarded {
    let throws = facts.functions[func].throws.iter().any(|throw| branch.then.contains(facts.expr(*throw).span));
    if throws { Guarded::Refuses } else { Guarded::Skips }
}

/// Whether a condition asks for the presence of a session id: `Some(true)` where it holds for an absent one.
fn tests_presence(analysis: &Analysis<'_>, module: u32, condition: ExprId) -> Option<bool> {
    let flow = &analysis.flow;
    let at = |id| At { module, id };
    match flow.program.module(module).kind(condition) {
        ExprKind::Opaque(children) => {
            // `!x`
            let [child] = children.as_slice() else { return None };
            if flow.is_id(at(*child)) {
                return Some(true);
            }
            tests_presence(analysis, module, *child).map(|absent| !absent)
        }
        ExprKind::Compare { operator, left, right } => {
            let (left, right) = (at(*left), at(*right));
            let absent = |side: ExprRef| matches!(flow.program.kind(side), ExprKind::Absent);
            let typeof_string = |side: ExprRef| matches!(flow.program.kind(side), ExprKind::Text(t) if matches!(t.text(), "string" | "undefined"));
            if (flow.is_id(left) && absent(right)) || (flow.is_id(right) && absent(left)) {
                return Some(!is_negated(operator.text()));
            }
            if flow.is_id(left) && *operator == "instanceof" {
                return Some(false);
            }
            if let ExprKind::Opaque(children) = flow.program.kind(left)
                && typeof_string(right)
                && children.iter().any(|child| flow.is_id(at(*child)))
            {
                return Some(is_negated(operator.text()));
            }
            None
        }
        ExprKind::Either { condition, arms, .. } => {
            let parts = condition.iter().chain(arms);
            parts.copied().find_map(|part| tests_presence(analysis, module, part))
        }
        _ if flow.is_id(at(condition)) => Some(false),
        _ => None,
    }
}

/// Whether an operator asks for the opposite: `!=`, `!==`, `is not`.
fn is_negated(operator: &str) -> bool {
    operator.starts_with('!') || operator.ends_with(" not")
}

/// Whether what a read yields is refused where it is missing.
fn missing_is_refused(analysis: &Analysis<'_>, access: &Access) -> bool {
    let facts = analysis.flow.program.module(access.func.module);
    let function = facts.function(access.func.id);
    let span = facts.expr(access.at.id).span;
    analysis.flow.branches_in(access.func).any(|branch| {
        branch.span.end > span.start
            && branch.then_leaves
            && function.throws.iter().any(|throw| branch.then.contains(facts.expr(*throw).span))
    })
}
