//! Containers that are no stores of a session: registries of handles, tables that nothing fills, state of the process.

use super::signals::Registry;
use rustc_hash::{FxHashMap, FxHashSet};

use super::lifetime::Lasting;
use super::stores::Analysis;
use super::words;
use crate::model::facts::{AssignKind, ExprKind, TOP};
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::flow::{Owner, Registered, Root};
use crate::model::lives::Contexts;
use crate::model::name::{Name, part};
use crate::model::program::{At, ExprRef, FuncRef, Sort};
use crate::model::vocabulary::{Op, Role};

/// Containers that arguments of tools look into and whose keys are random.
pub(super) fn registries(analysis: &Analysis<'_>) -> Vec<Registry> {
    let flow = &analysis.flow;
    let mut out: Vec<Registry> = Vec::new();
    for at in flow.program.exprs_of([Sort::Call, Sort::Index]) {
        let (receiver, key) = match flow.program.kind(at) {
            ExprKind::Call { args, .. } => {
                let Some(first) = args.first() else { continue };
                let Some(performed) =
                    flow.performed(at).iter().copied().find(|p| matches!(p.op, Op::Get | Op::Remove | Op::Has))
                else {
                    continue;
                };
                (performed.receiver, At { module: at.module, id: first.value })
            }
            ExprKind::Index { object, key } => {
                (At { module: at.module, id: *object }, At { module: at.module, id: *key })
            }
            _ => continue,
        };
        if !flow.at(key).iter().any(|v| matches!(v, Value::Argument(_))) {
            continue;
        }
        for id in flow.objects_at(receiver) {
            let random = flow.field_values(id, part::keys()).iter().any(|v| matches!(v, Value::Random(_)));
            let holder = flow.holder(id);
            let auth = holder.as_ref().is_some_and(|holder| words::is_auth(holder.name.text()));
            if random && !auth && !out.iter().any(|known| known.object == id) {
                out.push(Registry { object: id, lookup: at, argument: argument_name(analysis, key) });
            }
        }
    }
    out
}

/// The name under which a tool takes the argument that is a key.
pub(super) fn argument_name(analysis: &Analysis<'_>, key: ExprRef) -> Option<Name> {
    let mut at = key;
    for _ in 0..4 {
        match analysis.flow.program.kind(at) {
            // A field of the program's own has a name that no tool shows.
            ExprKind::Member { object, .. } if is_own(analysis, At { module: at.module, id: *object }) => return None,
            ExprKind::Member { name, .. } => return Some(*name),
            ExprKind::Symbol(id) => {
                let symbol = analysis.flow.program.module(at.module).symbol(*id);
                let assigned = analysis.flow.program.module(at.module).exprs.iter().find_map(|expr| match &expr.kind {
                    ExprKind::Assign { target, value, kind: AssignKind::Init } if matches!(analysis.flow.program.module(at.module).kind(*target), ExprKind::Symbol(s) if s == id) => Some(*value),
                    _ => None,
                });
                let module = analysis.flow.program.module(at.module);
                match assigned {
                    // A parameter with a default is assigned itself or the default.
                    Some(value) if matches!(module.kind(value), ExprKind::Either { arms, .. } if matches!(module.kind(arms[0]), ExprKind::Symbol(own) if own == id)) =>
                    {
                        return Some(symbol.name);
                    }
                    Some(value) => at = At { module: at.module, id: value },
                    None => return Some(symbol.name),
                }
            }
            ExprKind::Either { arms, .. } => at = At { module: at.module, id: *arms.first()? },
            ExprKind::Cast { value, .. } => at = At { module: at.module, id: *value },
            _ => return None,
        }
    }
    None
}

fn is_own(analysis: &Analysis<'_>, object: ExprRef) -> bool {
    matches!(analysis.flow.program.kind(object), ExprKind::This(_))
}

/// Containers of transports into which nothing is ever put.
pub(super) fn dead_maps(analysis: &Analysis<'_>) -> Vec<ObjId> {
    let flow = &analysis.flow;
    let mut filled: FxHashSet<ObjId> = FxHashSet::default();
    for at in flow.program.exprs_of([Sort::Assign, Sort::Call]) {
        match flow.program.kind(at) {
            ExprKind::Assign { target, .. } => {
                if let ExprKind::Index { object, .. } = flow.program.module(at.module).kind(*target) {
                    filled.extend(flow.objects_at(At { module: at.module, id: *object }));
                }
            }
            ExprKind::Call { .. } => {
                filled.extend(
                    flow.performed(at)
                        .iter()
                        .filter(|p| matches!(p.op, Op::Put | Op::Add | Op::GetOrInsert))
                        .filter_map(|p| p.object),
                );
            }
            _ => {}
        }
    }
    let stores: FxHashSet<ObjId> = analysis.stores.iter().flat_map(|found| found.objects.iter().copied()).collect();
    flow.object_ids()
        .filter(|id| {
            let object = flow.object(*id);
            let container = matches!(object.role, Some(Role::Map | Role::List | Role::Set)) || flow.program_literal(*id);
            let declared = match object.site {
                Site::Expr(at) => !matches!(flow.program.kind(at), ExprKind::Call { .. }),
                // A parameter of a function that nothing calls any more.
                Site::Symbol(symbol) => {
                    let func = At { module: symbol.module, id: flow.program.symbol(symbol).func };
                    func.id != TOP && analysis.lives.contexts(func) == Contexts::UNKNOWN
                }
                _ => false,
            };
            container
                && declared
                && !filled.contains(id)
                && !stores.contains(id)
                && flow.known_field(Owner::Object(*id), part::elements()).is_some_and(|node| {
                    flow.values(node).iter().any(|v| matches!(v, Value::Object(inner) if matches!(flow.object(*inner).role, Some(Role::Transport | Role::SseTransport)) && matches!(flow.object(*inner).site, Site::Part(..))))
                })
                && flow.fields(*id).is_empty()
        })
        .collect()
}

/// Process state that belongs to nobody: variables and lists that handlers change. What is keyed by an argument or a user is a
/// collection of the domain, what is only filled where absent is a cache.
pub(super) fn process_state(analysis: &Analysis<'_>, registries: &[Registry]) -> Vec<Lasting> {
    let flow = &analysis.flow;
    let plain = |at: &ExprRef| match flow.program.kind(*at) {
        ExprKind::Assign { target, value, kind } => {
            let value = At { module: at.module, id: *value };
            let facts = flow.program.module(at.module);
            // Under a key that the call chooses it is a table; under one that is written out it is a variable.
            !matches!(facts.kind(*target), ExprKind::Index { key, .. } if !matches!(facts.kind(*key), ExprKind::Text(_)))
                && matches!(kind, AssignKind::Set | AssignKind::Update)
                && flow.at(value) != [Value::Absent]
                && !analysis.mutations.is_memo(&analysis.flow, *at)
        }
        ExprKind::Call { .. } => flow.performed(*at).iter().any(|p| matches!(p.op, Op::Add | Op::Take | Op::Clear)),
        _ => false,
    };
    let owning = owning(analysis, registries);
    analysis
        .process
        .iter()
        .filter(|lasting| {
            let name = lasting.holder.name.text();
            let owns_registry =
                lasting.values.iter().any(|value| matches!(value, Value::Object(id) if owning.contains(id)));
            // An object of a class may keep what it likes for itself; what calls give it to keep is state.
            let of_class =
                lasting.values.iter().any(|v| matches!(v, Value::Object(id) if flow.object(*id).class.is_some()));
            let nobodys = owns_registry || words::is_telemetry(name) || (of_class && is_own_business(name));
            !nobodys && lasting.writers.iter().any(|at| plain(at) && (!of_class || keeps_argument(analysis, *at)))
        })
        .cloned()
        .collect()
}

/// Whether a change is one that a tool makes of a field of an object, with what it was given: `this.moves.push(move)`.
fn keeps_argument(analysis: &Analysis<'_>, change: ExprRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(change.module);
    let own_field = |id| match facts.kind(id) {
        ExprKind::Member { object, name } => {
            matches!(facts.kind(*object), ExprKind::This(Some(_))) && !is_own_business(name.text())
        }
        _ => false,
    };
    let given = |id| flow.at(At { module: change.module, id }).iter().any(|value| is_given(analysis, *value));
    let kept = match facts.kind(change.id) {
        ExprKind::Assign { target, value, .. } => own_field(*target) && given(*value),
        ExprKind::Call { args, .. } => {
            flow.performed(change).iter().any(|p| p.op == Op::Add && own_field(p.receiver.id))
                && args.iter().any(|arg| given(arg.value))
        }
        _ => false,
    };
    kept && is_called_by_tools(analysis, flow.program.func_of(change))
}

/// What an object keeps for itself, whoever calls it.
fn is_own_business(field: &str) -> bool {
    words::is_auth(field) || words::is_cache(field) || words::is_telemetry(field) || words::is_log(field)
}

/// Whether a value is an argument of a tool, or a record or list of some.
fn is_given(analysis: &Analysis<'_>, value: Value) -> bool {
    let flow = &analysis.flow;
    match value {
        Value::Argument(_) => true,
        Value::Object(id) if flow.object(id).class.is_none() => {
            let fields = flow.fields(id).into_iter().flat_map(|(_, values)| values);
            fields.chain(flow.elements(id)).any(|value| matches!(value, Value::Argument(_)))
        }
        _ => false,
    }
}

/// Whether a tool calls a function itself: what is further away serves the program rather than the caller. What one handler of all calls
/// are dispatched by hands on is called by the tool.
fn is_called_by_tools(analysis: &Analysis<'_>, func: FuncRef) -> bool {
    let flow = &analysis.flow;
    let handles = |func: &FuncRef| flow.roots.get(func).is_some_and(|roots| roots.contains(&Root::Handler));
    let dispatches = |func: &FuncRef| {
        handles(func) && analysis.registrations_of(*func).any(|registration| registration.what == Registered::Method)
    };
    let callers = |func: FuncRef| flow.callers.get(&func).into_iter().flatten().map(|(caller, _, _)| *caller);
    callers(func).any(|caller| handles(&caller) || callers(caller).any(|above| dispatches(&above)))
}

/// How many fields away from what holds it a registry is still its own.
const OWNED_WITHIN: u32 = 3;

/// Objects that are registries or hold one, found from the registries outwards: once for all objects, not once for each.
fn owning(analysis: &Analysis<'_>, registries: &[Registry]) -> FxHashSet<ObjId> {
    let flow = &analysis.flow;
    let mut owning: FxHashSet<ObjId> = registries.iter().map(|registry| registry.object).collect();
    if owning.is_empty() {
        return owning;
    }
    // Many objects may have their fields in common: those of a class, those of a role.
    let mut members: FxHashMap<Owner, Vec<ObjId>> = FxHashMap::default();
    for id in flow.object_ids() {
        members.entry(flow.owner(id)).or_default().push(id);
    }
    let mut holders: FxHashMap<ObjId, Vec<Owner>> = FxHashMap::default();
    for (owner, objects) in &members {
        for inner in flow.fields_of(objects[0]) {
            holders.entry(inner).or_default().push(*owner);
        }
    }
    let mut outermost: Vec<ObjId> = owning.iter().copied().collect();
    for _ in 0..OWNED_WITHIN {
        let around = outermost.iter().filter_map(|id| holders.get(id)).flatten();
        let around = around.filter_map(|owner| members.get(owner)).flatten().copied();
        outermost = around.collect::<FxHashSet<ObjId>>().into_iter().filter(|id| owning.insert(*id)).collect();
    }
    owning
}
