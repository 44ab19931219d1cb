//! A class of the program's own around a container: `decks.for(id)`, `decks.reset(id)`. Where all that it does is to keep values by id
//! and to forget them, its object is the store, and its methods are the accesses.

use super::trace::{Origin, origin};
use crate::classify::access::{Access, Kind};
use crate::classify::stores::Found;
use crate::model::facts::{AssignKind, ClassId, ExprId, ExprKind, Module, TOP};
use crate::model::flow::Edge;
use crate::model::flow::value::Value;
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, ExprRef, FuncRef, SymbolRef};
use crate::model::query::Holder;
use crate::rules::detect::Context;

/// A store with a class around its container.
pub struct Wrapped {
    /// The store as its users see it.
    pub found: Found,
    /// What makes the object.
    pub made: ExprRef,
    /// The container in it.
    pub container: Holder,
    /// What a first value is, where the class is given that.
    pub first: Option<ExprRef>,
    /// How many milliseconds a value lives without use.
    pub idle: Option<ExprRef>,
}

/// The wrapped store that a field of a class is the container of.
pub fn of(context: &Context<'_, '_>, found: &Found) -> Option<Wrapped> {
    let class = class_of(context, found)?;
    let flow = &context.analysis.flow;
    let made: Vec<ExprRef> = flow.instances.get(&class)?.iter().copied().collect();
    let [made] = made.as_slice() else { return None };
    let symbol = variable(context, *made)?;
    let others = context
        .analysis
        .stores
        .iter()
        .any(|other| other.holder.span != found.holder.span && class_of(context, other) == Some(class));
    if others || !only_keeps(context, class) {
        return None;
    }
    let mut uses = Vec::new();
    for method in &flow.program.class(class).methods {
        let method = At { module: class.module, id: *method };
        let Some((index, kind, value)) = operation(context, found, method)? else { continue };
        for (caller, at, edge) in flow.callers.get(&method).into_iter().flatten() {
            if flow.program.function(*caller).class == Some(class.id) && caller.module == class.module {
                continue;
            }
            uses.push(access(context, *at, *edge, *caller, (index, kind, value))?);
        }
    }
    uses.sort_by_key(|access| access.at);
    let facts = flow.program.symbol(symbol);
    let holder = Holder { name: facts.name, module: symbol.module, span: facts.span, symbol: Some(symbol) };
    let objects = flow.objects_at(*made).collect();
    let first = first_value(context, *made);
    // A type parameter is no name of a thing.
    let value = found.value.clone().filter(|value| first.is_none() && value.len() > 1);
    let outer = Found { name: facts.name, holder, uses, objects, value, ..found.clone() };
    if first.is_none() && !is_plain(context, found, class) {
        return None;
    }
    Some(Wrapped {
        container: found.holder.clone(),
        found: outer,
        made: *made,
        first,
        idle: idle(context, class, *made),
    })
}

/// The name of the variable that has the only object whose field a container is.
pub(super) fn object(context: &Context<'_, '_>, found: &Found) -> Option<Name> {
    let flow = &context.analysis.flow;
    let made: Vec<ExprRef> = flow.instances.get(&class_of(context, found)?)?.iter().copied().collect();
    let [made] = made.as_slice() else { return None };
    Some(flow.program.symbol(variable(context, *made)?).name)
}

/// The class that a container is an own field of.
pub(super) fn class_of(context: &Context<'_, '_>, found: &Found) -> Option<ClassRef> {
    let facts = context.analysis.flow.program.module(found.holder.module);
    let own = |class: &&ClassId| {
        facts.classes[class.index()].fields.iter().any(|field| !field.is_static && field.span == found.holder.span)
    };
    let all: Vec<ClassId> = (0..facts.classes.len() as u32).map(ClassId).collect();
    all.iter().find(own).map(|id| At { module: found.holder.module, id: *id })
}

/// The variable of a module that an object is the value of.
fn variable(context: &Context<'_, '_>, made: ExprRef) -> Option<SymbolRef> {
    let program = context.analysis.flow.program;
    let facts = program.module(made.module);
    let parent = facts.expr(made.id).parent?;
    let ExprKind::Assign { target, value, kind: AssignKind::Init, .. } = facts.kind(parent) else { return None };
    let ExprKind::Symbol(symbol) = facts.kind(*target) else { return None };
    let symbol = At { module: made.module, id: *symbol };
    (*value == made.id && program.symbol(symbol).func == TOP).then_some(symbol)
}

/// Whether the methods of a class call nothing but the container, each other, the clock and what makes a first value.
fn only_keeps(context: &Context<'_, '_>, class: ClassRef) -> bool {
    const KNOWN: &[&str] = &[
        "get",
        "set",
        "has",
        "delete",
        "entries",
        "keys",
        "values",
        "now",
        "min",
        "max",
        "setInterval",
        "unref",
        "clear",
    ];
    let flow = &context.analysis.flow;
    let facts = flow.program.module(class.module);
    let own_func = |id| flow.program.function(At { module: class.module, id }).class == Some(class.id);
    facts.expr_ids().filter(|id| own_func(facts.expr(*id).func)).all(|id| {
        let ExprKind::Call { callee, .. } = facts.kind(id) else { return true };
        match facts.kind(*callee) {
            ExprKind::Member { object, name } => {
                KNOWN.contains(&name.text()) || matches!(facts.kind(*object), ExprKind::This(_) | ExprKind::Class(_))
            }
            ExprKind::Global(name) => KNOWN.contains(&name.text()),
            ExprKind::Symbol(_) => false,
            _ => false,
        }
    })
}

/// What a method does with the entry of an id, and which of its parameters that is: `None` where it takes no id, nothing where it does
/// something else.
#[allow(clippy::option_option)]
fn operation(
    context: &Context<'_, '_>,
    found: &Found,
    method: FuncRef,
) -> Option<Option<(usize, Kind, Option<usize>)>> {
    let flow = &context.analysis.flow;
    let mut index = None;
    let mut kinds = Vec::new();
    for access in found.uses.iter().filter(|access| flow.program.within(access.func, method)) {
        match origin(flow, access.key) {
            Origin::Parameter { func, index: at, whole: true } if func == method => {
                if index.is_some_and(|known| known != at) {
                    return None;
                }
                index = Some(at);
                kinds.push(access.kind);
            }
            // The key of an entry that a loop goes through.
            _ => {}
        }
    }
    let Some(index) = index else { return Some(None) };
    let has = |kind| kinds.contains(&kind);
    let params = flow.program.function(method).params.len();
    if let Some(value) = put_in(context, found, method, index) {
        return (params == 2 && kinds == [Kind::Write]).then_some(Some((index, Kind::Write, Some(value))));
    }
    let kind = match (has(Kind::GetOrCreate) || has(Kind::Write), has(Kind::Delete), has(Kind::Read)) {
        (true, false, _) => Kind::GetOrCreate,
        (false, true, false) => Kind::Delete,
        (false, false, true) => Kind::Read,
        (false, false, false) => Kind::Test,
        _ => return None,
    };
    (params == 1).then_some(Some((index, kind, None)))
}

/// The parameter that a method does nothing but to put in under the id: `set(id, value)`.
fn put_in(context: &Context<'_, '_>, found: &Found, method: FuncRef, id: usize) -> Option<usize> {
    let flow = &context.analysis.flow;
    let func = flow.program.function(method);
    let mut own = found.uses.iter().filter(|access| flow.program.within(access.func, method));
    let write = own.find(|access| access.kind == Kind::Write)?;
    let facts = flow.program.module(method.module);
    let ExprKind::Symbol(given) = facts.kind(write.value?.id) else { return None };
    let value = func.params.iter().position(|param| param.symbol == *given)?;
    (value != id && func.returns.is_empty()).then_some(value)
}

/// Whether all that the methods of a class answer of a container is what is in it: no first value of their own, and no part of it.
fn is_plain(context: &Context<'_, '_>, found: &Found, class: ClassRef) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(class.module);
    let reads = found.uses.iter().filter(|access| matches!(access.kind, Kind::Read | Kind::GetOrCreate));
    let mut reads = reads.filter(|access| flow.program.function(access.func).class == Some(class.id));
    reads.all(|access| {
        let is_read = |at: &ExprId| *at == access.at.id || settled(facts, *at) == Some(access.at.id);
        access.kind == Kind::Read && flow.program.function(access.func).returns.iter().all(is_read)
    })
}

/// What a constant was given, casts aside.
fn settled(facts: &Module, at: ExprId) -> Option<ExprId> {
    match facts.kind(at) {
        ExprKind::Symbol(symbol) => {
            let init = facts.symbol(*symbol).init?;
            Some(settled(facts, init).unwrap_or(init))
        }
        ExprKind::Cast { value, .. } => Some(settled(facts, *value).unwrap_or(*value)),
        _ => None,
    }
}

fn access(
    context: &Context<'_, '_>,
    at: ExprRef,
    edge: Edge,
    caller: FuncRef,
    (index, kind, value): (usize, Kind, Option<usize>),
) -> Option<Access> {
    let facts = context.analysis.flow.program.module(at.module);
    let ExprKind::Call { callee, args } = facts.kind(at.id) else { return None };
    let ExprKind::Member { object, .. } = facts.kind(*callee) else { return None };
    let key = args.get(index).filter(|arg| !arg.spread)?;
    let inner = |id| At { module: at.module, id };
    (edge == Edge::Call).then(|| Access {
        at,
        key: inner(key.value),
        receiver: inner(*object),
        kind,
        func: caller,
        value: value.and_then(|value| args.get(value)).map(|arg| inner(arg.value)),
    })
}

/// What a function makes that the constructor is given.
fn first_value(context: &Context<'_, '_>, made: ExprRef) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    let ExprKind::New { args, .. } = flow.program.kind(made) else { return None };
    let func = args.iter().find_map(|arg| {
        flow.at(At { module: made.module, id: arg.value }).iter().find_map(|value| match value {
            Value::Func(func) => Some(*func),
            _ => None,
        })
    });
    let func = func?;
    let [only] = flow.program.function(func).returns.as_slice() else { return None };
    Some(At { module: func.module, id: *only })
}

/// The argument of the constructor that says how long a value lives, in milliseconds.
fn idle(context: &Context<'_, '_>, class: ClassRef, made: ExprRef) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    let ExprKind::New { args, .. } = flow.program.kind(made) else { return None };
    let constructor = At { module: class.module, id: flow.program.class(class).constructor };
    let params = &flow.program.function(constructor).params;
    let index = params.iter().position(|param| {
        let name = flow.program.symbol(At { module: class.module, id: param.symbol }).name.text().to_lowercase();
        let speaks = ["ttl", "idle", "maxage", "expir", "timeout", "lifetime"].iter().any(|word| name.contains(word));
        speaks && !name.contains("sec")
    })?;
    args.get(index).map(|arg| At { module: made.module, id: arg.value })
}
