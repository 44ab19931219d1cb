//! An object that is made where the server is started, and handed to the code that registers its tools: what belongs to it can be
//! found wherever it is.

use super::carriers::HandlerUse;
use super::registry::End;
use super::wrapped;
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, TOP};
use crate::model::flow::value::{ObjId, Value};
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::plan::{Site, site};
use crate::rules::detect::{Context, Spot};

/// The object with the containers.
#[derive(Clone, Debug)]
pub struct Injected {
    /// Its class.
    pub class: Site,
    /// How the code that registers the tools names it: `registry`, `deps.store`.
    pub expression: String,
    /// What the calls at the end of a session are made on: the object.
    pub receivers: Vec<Site>,
}

/// The object of stores that are fields of one class, where all that needs it has it.
pub(super) fn of(
    context: &Context<'_, '_>,
    stores: &[&Found],
    handlers: &[HandlerUse],
    ends: &[(End, ExprRef)],
) -> Option<Injected> {
    let flow = &context.analysis.flow;
    let class = wrapped::class_of(context, stores.first()?)?;
    let alone = flow.program.class(class).bases.is_empty() && !flow.derived.contains_key(&class);
    let made: Vec<ExprRef> = flow.instances.get(&class)?.iter().copied().collect();
    let [made] = made.as_slice() else { return None };
    let objects: Vec<ObjId> = flow.objects_at(*made).collect();
    let [object] = objects.as_slice() else { return None };
    if !alone || !stores.iter().all(|found| wrapped::class_of(context, found) == Some(class)) {
        return None;
    }
    let mut expression: Option<String> = None;
    for handler in handlers {
        let named = named(context, *object, flow.program.func_of(handler.registration))?;
        if expression.as_ref().is_some_and(|known| *known != named) {
            return None;
        }
        expression = Some(named);
    }
    let mut receivers = Vec::new();
    for (_, at) in ends {
        let ExprKind::Call { callee, .. } = flow.program.kind(*at) else { return None };
        let ExprKind::Member { object: of, .. } = flow.program.kind(At { module: at.module, id: *callee }) else {
            return None;
        };
        let of = At { module: at.module, id: *of };
        let own = flow.at(of).iter().all(|value| *value == Value::Object(*object));
        (own && !flow.at(of).is_empty()).then(|| receivers.push(site(context, context.spot(of))))?;
    }
    Some(Injected {
        class: site(context, Spot { module: class.module, span: flow.program.class(class).span }),
        expression: expression?,
        receivers,
    })
}

/// How a parameter of the functions around a place leads to the object.
fn named(context: &Context<'_, '_>, object: ObjId, mut func: FuncRef) -> Option<String> {
    let program = context.analysis.flow.program;
    loop {
        let facts = program.function(func);
        let own = |symbol| At { module: func.module, id: symbol };
        let bound = facts.params.iter().find_map(|param| leads(context, object, own(param.symbol)));
        if bound.is_some() {
            return bound;
        }
        match facts.parent {
            Some(parent) if parent != TOP => func = At { module: func.module, id: parent },
            _ => return None,
        }
    }
}

fn leads(context: &Context<'_, '_>, object: ObjId, symbol: SymbolRef) -> Option<String> {
    let flow = &context.analysis.flow;
    let facts = flow.program.symbol(symbol);
    let values = flow.values(flow.symbol_node(symbol));
    let is_it = |values: &[Value]| !values.is_empty() && values.iter().all(|value| *value == Value::Object(object));
    if facts.name.text().starts_with('#') {
        return None;
    }
    if is_it(values) {
        return Some(facts.name.text().to_owned());
    }
    let [Value::Object(record)] = values else { return None };
    let (name, _) = flow.fields(*record).into_iter().find(|(_, values)| is_it(values))?;
    Some(format!("{}.{name}", facts.name))
}
