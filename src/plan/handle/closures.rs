//! Objects of functions instead of classes: `function createWizard() { let step = 0; return { next() { … } }; }`. What such a function
//! keeps in variables belongs to the object that it answers, and the handle stands for that.

use crate::classify::lifetime::Held;
use crate::classify::stores::Found;
use crate::model::facts::{AssignKind, ExprKind, SymbolKind, TOP};
use crate::model::flow::value::{ObjId, Value};
use crate::model::flow::{Edge, Root};
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::model::query::Holder;
use crate::rules::detect::Context;

/// An object, with the variables that its functions use.
pub(super) struct Closed<'c> {
    /// The variable that holds the object, as a store.
    pub(super) found: Found,
    /// What is kept in variables of the function that makes it.
    pub(super) parts: Vec<&'c Found>,
}

/// Calls by which an object would have a life of its own.
const LIVING: &[&str] = &[
    "setInterval",
    "setTimeout",
    "setImmediate",
    "spawn",
    "fork",
    "exec",
    "connect",
    "createConnection",
    "createClient",
    "createServer",
    "launch",
    "watch",
    "listen",
    "subscribe",
    "on",
    "addEventListener",
];

/// What may be made in such a function: plain data.
const DATA: &[&str] =
    &["Map", "Set", "WeakMap", "WeakSet", "Array", "Date", "Error", "TypeError", "RangeError", "URL", "RegExp"];

/// The objects that variables among these stores belong to.
pub(super) fn of<'c>(context: &Context<'_, '_>, stores: impl Iterator<Item = &'c Found>) -> Vec<Closed<'c>> {
    let mut out: Vec<(FuncRef, Closed<'c>)> = Vec::new();
    for found in stores.filter(|found| found.held == Some(Held::Variable)) {
        let Some(symbol) = found.holder.symbol else { continue };
        let maker = At { module: symbol.module, id: context.analysis.flow.program.symbol(symbol).func };
        if let Some((_, known)) = out.iter_mut().find(|(own, _)| *own == maker) {
            known.parts.push(found);
            continue;
        }
        if let Some((variable, object)) = instance(context, maker) {
            out.push((maker, Closed { found: whole(context, found, variable, object), parts: vec![found] }));
        }
    }
    out.retain(|(_, closed)| closed.parts.iter().all(|part| !part.with_auth && !part.with_transport));
    out.into_iter().map(|(_, closed)| closed).collect()
}

/// Whether an object is what a function answers of which that is known.
pub(super) fn is_made(context: &Context<'_, '_>, id: ObjId) -> bool {
    let flow = &context.analysis.flow;
    let objects = flow.program.exprs().filter(|at| {
        matches!(flow.program.kind(*at), ExprKind::Object(_)) && flow.objects_at(*at).any(|own| own == id)
    });
    objects
        .map(|at| flow.program.func_of(at))
        .any(|maker| maker.id != TOP && instance(context, maker).is_some_and(|(_, object)| object == id))
}

/// The variable that holds the only object which a function makes, and that object.
fn instance(context: &Context<'_, '_>, maker: FuncRef) -> Option<(SymbolRef, ObjId)> {
    let flow = &context.analysis.flow;
    if maker.id == TOP || flow.roots.get(&maker).is_some_and(|roots| roots.contains(&Root::Handler)) {
        return None;
    }
    let [answer] = flow.program.function(maker).returns.as_slice() else { return None };
    let object = object(context, At { module: maker.module, id: *answer })?;
    if lives(context, maker) {
        return None;
    }
    let callers: Vec<_> = flow.callers.get(&maker).into_iter().flatten().collect();
    let [(_, call, Edge::Call)] = callers.as_slice() else { return None };
    let facts = flow.program.module(call.module);
    let ExprKind::Assign { target, value, kind: AssignKind::Init } = facts.kind(facts.expr(call.id).parent?) else {
        return None;
    };
    let ExprKind::Symbol(symbol) = facts.kind(*target) else { return None };
    let symbol = At { module: call.module, id: *symbol };
    let variable = flow.program.symbol(symbol);
    let only = matches!(flow.values(flow.symbol_node(symbol)), [Value::Object(id)] if *id == object);
    (*value == call.id && only && variable.func != TOP && variable.kind == SymbolKind::Variable { mutable: false })
        .then_some((symbol, object))
}

/// The object literal with functions that an expression is.
fn object(context: &Context<'_, '_>, at: ExprRef) -> Option<ObjId> {
    let flow = &context.analysis.flow;
    let mut all = flow.objects_at(at);
    let (id, None) = (all.next()?, all.next()) else { return None };
    let plain = flow.object(id).class.is_none() && flow.object(id).role.is_none();
    let functions = flow.fields(id).into_iter().any(|(_, values)| values.iter().any(|v| matches!(v, Value::Func(_))));
    (plain && functions).then_some(id)
}

/// Whether a function registers something, or starts what would have to be ended.
fn lives(context: &Context<'_, '_>, maker: FuncRef) -> bool {
    let flow = &context.analysis.flow;
    let registers = flow.registrations.values().any(|known| flow.program.within(flow.program.func_of(known.at), maker));
    let own = flow.program.exprs().filter(|at| {
        let func = flow.program.func_of(*at);
        func == maker || func.module == maker.module && flow.program.within(func, maker)
    });
    let named = |at: ExprRef, names: &[&str]| flow.callee_name(at).is_some_and(|name| names.contains(&name.text()));
    registers
        || own.into_iter().any(|at| match flow.program.kind(at) {
            ExprKind::Call { .. } => named(at, LIVING),
            ExprKind::New { .. } => !named(at, DATA),
            _ => false,
        })
}

fn whole(context: &Context<'_, '_>, part: &Found, variable: SymbolRef, object: ObjId) -> Found {
    let symbol = context.analysis.flow.program.symbol(variable);
    let holder = Holder { name: symbol.name, module: variable.module, span: symbol.span, symbol: Some(variable) };
    Found {
        name: symbol.name,
        holder,
        container: "object".to_owned(),
        value: None,
        fields: Vec::new(),
        uses: Vec::new(),
        writers: Vec::new(),
        fallback: None,
        objects: vec![object],
        ..part.clone()
    }
}
