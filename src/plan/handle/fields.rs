//! State without a key in a class that is made for each session: fields that the tools which it registers change.

use super::captured::{DEPTH, Field, is_data};
use super::carriers::Problem;
use crate::classify::lifetime::Held;
use crate::classify::stores::Found;
use crate::model::facts::{AssignKind, ClassId, ExprKind};
use crate::model::flow::{Owner, value::Value};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef};
use crate::plan::{Site, site};
use crate::rules::detect::{Context, Spot};

/// The class that a store is a field of.
pub(super) fn class_of(context: &Context<'_, '_>, found: &Found) -> Option<ClassRef> {
    let classes = &context.analysis.flow.program.module(found.holder.module).classes;
    let id = classes.iter().position(|class| {
        let declared = class.fields.iter().find(|field| field.name == found.name && !field.is_static);
        match declared {
            Some(field) => field.span == found.holder.span,
            // The constructor assigns it.
            None => class.span.contains(found.holder.span),
        }
    })?;
    let known = found.held == Some(Held::Field) && found.holder.symbol.is_none();
    known.then_some(At { module: found.holder.module, id: ClassId(id as u32) })
}

/// Whether a function belongs to a class, and is not what makes its objects.
pub(super) fn is_of(context: &Context<'_, '_>, class: ClassRef, func: FuncRef) -> bool {
    let program = context.analysis.flow.program;
    let own = func.module == class.module && program.function(func).class == Some(class.id);
    own && program.class(class).constructor != func.id
}

/// Where a field is used: by tools, and where its first value is assigned.
pub(super) fn uses(
    context: &Context<'_, '_>,
    found: &Found,
    class: ClassRef,
) -> Result<(Vec<ExprRef>, Field), Problem> {
    let flow = &context.analysis.flow;
    let program = flow.program;
    let facts = program.class(class);
    let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
    let stop = |at: Site, why: &str, todo: &str| Err(Problem { at, why: why.to_owned(), todo: todo.to_owned() });
    let alone = facts.bases.is_empty() && !flow.derived.contains_key(&class) && flow.topmost(class) == class;
    if !alone {
        return stop(
            declared,
            "its class has a part in another class",
            "keep the state in the class that registers the tools, and run again",
        );
    }
    if found.with_auth || found.with_transport {
        return stop(
            declared,
            "it holds more than state: a transport, or credentials and identities",
            "keep the state in a field of its own first",
        );
    }
    let node = flow.known_field(Owner::Class(class), found.name);
    let values = node.map(|node| flow.values(node)).unwrap_or_default();
    if !values.iter().all(|value| is_data(context, value, DEPTH)) {
        return stop(
            declared,
            "it holds an object with a life of its own, and not plain data",
            "give out its handle with a tool that makes it, keep it in a store with a `close`, and drop it with another tool",
        );
    }
    let own: Vec<ExprRef> = flow.own_field_uses(class, found.name).collect();
    if let Some(other) = from_outside(context, class, found) {
        return stop(
            site(context, context.spot(other)),
            "the field is used here from outside of its class",
            "let only tools and the methods that they call use it",
        );
    }
    let constructor = At { module: class.module, id: facts.constructor };
    let mut field = Field { uses: Vec::new(), first: None, filled: Vec::new() };
    let mut used = Vec::new();
    for at in own {
        match first_value(context, at).filter(|_| program.func_of(at) == constructor) {
            Some(value) if facts.fields.iter().any(|field| field.init == Some(value)) => {}
            Some(_) if field.first.is_none() => field.first = Some(site(context, context.spot(at))),
            None if program.func_of(at) == constructor => field.filled.push(site(context, context.spot(at))),
            _ => used.push(at),
        }
    }
    field.uses = used.iter().map(|at| site(context, context.spot(*at))).collect();
    Ok((used, field))
}

/// The value that a statement assigns to a field.
fn first_value(context: &Context<'_, '_>, at: ExprRef) -> Option<crate::model::facts::ExprId> {
    let facts = context.analysis.flow.program.module(at.module);
    match facts.kind(facts.expr(at.id).parent?) {
        ExprKind::Assign { target, value, kind: AssignKind::Set | AssignKind::Init } if *target == at.id => {
            Some(*value)
        }
        _ => None,
    }
}

/// A use of the field that does not go by `this`.
fn from_outside(context: &Context<'_, '_>, class: ClassRef, found: &Found) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    flow.program.exprs().find(|at| match flow.program.kind(*at) {
        ExprKind::Member { object: of, name } if *name == found.name => {
            let of = At { module: at.module, id: *of };
            let own = matches!(flow.program.kind(of), ExprKind::This(Some(id)) if *id == class.id && at.module == class.module);
            !own && flow.at(of).iter().any(|value| matches!(value, Value::Object(id) if flow.object(*id).class == Some(class)))
        }
        _ => false,
    })
}
