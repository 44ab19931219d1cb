//! What the planner asks of the model: how a container is made, what its values look like, how the server names things.

use super::{Called, Container, Place};
use crate::classify::stores::{Analysis, Found};
use crate::model::facts::{AssignKind, ExprKind, FuncId, Key, TOP, Type};
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::flow::{Edge, Registered, Root};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, TypeRef};
use crate::model::reach::reach;
use crate::model::vocabulary::{Op, Role};
use crate::plan::site;
use crate::rules::detect::{Context, Spot};

/// The expression that makes a container, where there is one.
pub fn made(analysis: &Analysis<'_>, found: &Found) -> Option<ExprRef> {
    let [object] = found.objects.as_slice() else { return None };
    match analysis.flow.object(*object).site {
        Site::Expr(at) => Some(at),
        _ => None,
    }
}

/// How a container is written, if in a way that handles can take the place of.
pub fn container(analysis: &Analysis<'_>, made: ExprRef) -> Option<Container> {
    match analysis.flow.program.kind(made) {
        ExprKind::Object(fields) if fields.is_empty() => Some(Container::Record),
        ExprKind::Call { args, .. } if is_bare_object(analysis, made, args.len()) => Some(Container::Record),
        ExprKind::New { args, .. } => {
            let map = analysis.flow.callee_name(made).is_some_and(|name| name == "Map" || name == "WeakMap");
            if args.is_empty() && analysis.flow.callee_name(made).is_some_and(|name| name == "Set") {
                return Some(Container::Set);
            }
            let cache = analysis.flow.objects_at(made).any(|id| analysis.flow.object(id).role == Some(Role::Cache));
            ((map && args.is_empty()) || cache || is_cache(analysis, made)).then_some(Container::Map)
        }
        _ => None,
    }
}

fn is_cache(analysis: &Analysis<'_>, made: ExprRef) -> bool {
    analysis.flow.callee_name(made).is_some_and(|name| matches!(name.text(), "LRUCache" | "LRU" | "TTLCache"))
}

/// Whether a container is made with an option: `new LRUCache({ ttl: … })`.
pub fn has_option(analysis: &Analysis<'_>, made: ExprRef, option: &str) -> bool {
    let ExprKind::New { args, .. } = analysis.flow.program.kind(made) else { return false };
    let facts = analysis.flow.program.module(made.module);
    let first = args.first().map(|first| facts.kind(first.value));
    matches!(first, Some(ExprKind::Object(fields)) if fields.iter().any(|field| matches!(&field.key, Key::Name(name) if *name == option)))
}

/// `Object.create(null)`.
fn is_bare_object(analysis: &Analysis<'_>, made: ExprRef, args: usize) -> bool {
    args == 1 && analysis.flow.callee_name(made).is_some_and(|name| name == "create")
}

/// Whether a timer runs code that uses a store: that code may say how long its values live.
pub fn is_timed(analysis: &Analysis<'_>, found: &Found) -> bool {
    let flow = &analysis.flow;
    let timed = |(callee, at, edge): &(FuncRef, ExprRef, Edge)| {
        let starts = *edge == Edge::Callback && flow.performed(*at).iter().any(|done| done.op == Op::StartTimer);
        starts.then_some(*callee)
    };
    let mut run = flow.edges.values().flatten().filter_map(timed).flat_map(|callee| reach(flow, callee));
    run.any(|func| found.uses.iter().any(|access| access.func == func))
}

/// The constructions of servers.
pub fn servers(context: &Context<'_, '_>) -> Vec<crate::plan::Site> {
    context.analysis.lives.servers.iter().map(|at| crate::plan::site(context, context.spot(*at))).collect()
}

/// Where a container lives.
pub fn place(context: &Context<'_, '_>, found: &Found) -> Option<Place> {
    let analysis = context.analysis;
    let object = *found.objects.first()?;
    match found.holder.symbol {
        Some(symbol) if analysis.flow.program.symbol(symbol).func == TOP => Some(Place::Module),
        Some(_) => Some(Place::Local),
        None => {
            let facts = analysis.flow.program.module(found.holder.module);
            let fields = facts.classes.iter().flat_map(|class| &class.fields);
            let field = fields.into_iter().find(|field| field.span == found.holder.span)?;
            let lasting = field.is_static
                || (analysis.lives.object_per_process(&analysis.flow, object)
                    && !analysis.lives.object_per_session(&analysis.flow, object));
            lasting.then_some(Place::Field)
        }
    }
}

/// The objects that a store's values are.
pub fn values(analysis: &Analysis<'_>, found: &Found) -> Vec<ObjId> {
    found.objects.iter().flat_map(|id| analysis.element_objects(*id)).collect()
}

/// Whether a store's values are lists of things.
pub fn is_list(analysis: &Analysis<'_>, found: &Found) -> bool {
    let values = values(analysis, found);
    let written = found.value.as_deref().is_some_and(|value| value.ends_with("[]") || value.starts_with("Array<"));
    written
        || !values.is_empty()
            && values.iter().all(|id| matches!(analysis.flow.object(*id).role, Some(Role::List | Role::Set)))
}

/// Whether values are plain ones that may be falsy: numbers, texts, flags, or nothing that is known.
pub fn is_plain(analysis: &Analysis<'_>, found: &Found) -> bool {
    match found.value.as_deref() {
        Some(value) => {
            value.split(" | ").any(|arm| matches!(arm, "number" | "string" | "boolean" | "bigint" | "unknown" | "any"))
        }
        None => values(analysis, found).is_empty(),
    }
}

/// The fields of the initial value that hold a text which nothing changes: a caller may choose it.
pub fn choices(analysis: &Analysis<'_>, found: &Found) -> Vec<String> {
    let mut out: Vec<Name> = Vec::new();
    for id in values(analysis, found) {
        let Site::Expr(at) = analysis.flow.object(id).site else { continue };
        let ExprKind::Object(fields) = analysis.flow.program.kind(at) else { continue };
        for field in fields {
            let Key::Name(name) = &field.key else { continue };
            let text = matches!(analysis.flow.program.module(at.module).kind(field.value), ExprKind::Text(text) if !text.text().is_empty());
            if text && !is_changed(found, *name) && is_text(analysis, found, *name) && !out.contains(name) {
                out.push(*name);
            }
        }
    }
    out.iter().map(|name| name.text().to_owned()).collect()
}

fn is_changed(found: &Found, name: Name) -> bool {
    let known = found.fields.iter().find(|(field, ..)| *field == name);
    known.is_none_or(|(_, readers, writers)| !writers.is_empty() || readers.is_empty())
}

/// Whether the written type of a field is any text (or nothing is written).
fn is_text(analysis: &Analysis<'_>, found: &Found, name: Name) -> bool {
    let Some(value) = found.value.as_deref() else { return true };
    let declared = (0u32..).zip(&analysis.flow.program.modules).find_map(|(module, facts)| {
        let decl = facts.type_decls.iter().find(|decl| decl.name == value)?;
        Some((facts, TypeRef { module, id: decl.ty }))
    });
    let Some((facts, ty)) = declared else { return false };
    let Type::Object { fields, .. } = analysis.flow.program.ty(ty) else { return false };
    let written = fields.iter().find(|(field, _)| *field == name);
    written.is_some_and(|(_, ty)| matches!(facts.ty(*ty), Type::Named { path, .. } if *path == "string"))
}

/// What goes with a value.
#[derive(Debug, Default)]
pub struct Kept {
    /// Names of what holds several things.
    pub lists: Vec<String>,
    /// It has something else, which is no mere count and no time.
    pub more: bool,
}

impl Kept {
    /// Sees to what has a name.
    pub fn add(&mut self, name: &str, is_list: bool) {
        if name.starts_with(['_', '#']) || self.lists.iter().any(|known| known == name) {
            return;
        }
        match is_list {
            true => self.lists.push(name.to_owned()),
            false => self.more |= !counts(name),
        }
    }
}

/// Whether a name says that something only counts, or when something was.
fn counts(name: &str) -> bool {
    const COUNTS: &[&str] =
        &["next", "id", "ids", "count", "counter", "seq", "sequence", "version", "size", "total", "number"];
    let words = crate::classify::words::words(name);
    let is = |word: &String| COUNTS.contains(&word.as_str());
    words.iter().all(is)
        || words
            .last()
            .is_some_and(|last| matches!(last.as_str(), "at" | "count" | "seen" | "used" | "time" | "timestamp"))
}

/// What a store's values have: that is lost when one of them goes.
pub fn kept(analysis: &Analysis<'_>, found: &Found) -> Kept {
    let is_list = |value: &Value| matches!(value, Value::Object(id) if matches!(analysis.flow.object(*id).role, Some(Role::List | Role::Map | Role::Set)));
    let mut fields: Vec<(String, bool)> = Vec::new();
    for id in values(analysis, found) {
        let own = analysis.flow.fields(id).into_iter();
        fields.extend(own.map(|(name, values)| (name.text().to_owned(), values.iter().any(is_list))));
    }
    fields.extend(found.fields.iter().map(|(name, ..)| (name.text().to_owned(), false)));
    // Lists first: what reads a field knows nothing of its value.
    fields.sort_by(|(a, a_list), (b, b_list)| (!a_list, a).cmp(&(!b_list, b)));
    let mut out = Kept::default();
    fields.iter().for_each(|(name, list)| out.add(name, *list));
    out
}

/// The names of a package's tools.
pub fn tool_names(context: &Context<'_, '_>) -> Vec<String> {
    let analysis = context.analysis;
    let mut out = Vec::new();
    for registration in analysis.flow.registrations.values().filter(|entry| context.here(entry.at)) {
        match registration.what {
            Registered::Tool => out.extend(registration.name.map(|name| name.text().to_owned())),
            Registered::Method => {
                for handler in &registration.handlers {
                    out.extend(
                        analysis.tool_names(*handler, registration.at).iter().map(|name| name.text().to_owned()),
                    );
                }
            }
            _ => {}
        }
    }
    out.sort();
    out.dedup();
    out
}

/// The names of the arguments that a package's tools take.
pub fn argument_names(context: &Context<'_, '_>) -> Vec<String> {
    let flow = &context.analysis.flow;
    let mut out = Vec::new();
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::Member { object, name } = flow.program.kind(at) else { continue };
        let object = At { module: at.module, id: *object };
        let ExprKind::Symbol(symbol) = flow.program.kind(object) else { continue };
        let func = flow.program.symbol(At { module: at.module, id: *symbol }).func;
        let handler = At { module: at.module, id: func };
        let serves = flow.roots.get(&handler).is_some_and(|roots| roots.contains(&Root::Handler))
            || context.analysis.bodies.iter().any(|body| body.func == handler);
        let whole = serves
            && flow
                .program
                .module(at.module)
                .function(func)
                .params
                .first()
                .is_some_and(|first| first.symbol == *symbol);
        if whole && flow.at(object).iter().any(|value| matches!(value, Value::Argument(_))) {
            out.push(name.text().to_owned());
        }
    }
    out.sort();
    out.dedup();
    out
}

/// The entry of a tool in a list of tools.
pub fn entry(context: &Context<'_, '_>, tool: Name) -> Option<ExprRef> {
    let program = context.analysis.flow.program;
    let mut found = program.exprs().filter(|at| context.here(*at)).filter(|at| {
        let ExprKind::Object(fields) = program.kind(*at) else { return false };
        let named = |wanted: &str| fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == wanted));
        let name = named("name").is_some_and(
            |field| matches!(program.module(at.module).kind(field.value), ExprKind::Text(text) if *text == tool),
        );
        name && (named("inputSchema").is_some() || named("description").is_some())
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Mentions of a container that are neither its declaration nor an access by key.
pub fn loose(context: &Context<'_, '_>, found: &Found) -> Vec<ExprRef> {
    let flow = &context.analysis.flow;
    let receivers: Vec<ExprRef> = found.uses.iter().map(|access| access.receiver).collect();
    let is_store = |at: ExprRef| flow.objects_at(at).any(|id| found.objects.contains(&id));
    let mut out: Vec<ExprRef> = flow
        .program
        .exprs()
        .filter(|at| matches!(flow.program.kind(*at), ExprKind::Symbol(_) | ExprKind::Member { .. }) && is_store(*at))
        .filter(|at| !receivers.contains(at))
        .filter(|at| {
            let facts = flow.program.module(at.module);
            let declares = facts.expr(at.id).parent.is_some_and(|parent| {
                matches!(facts.kind(parent), ExprKind::Assign { target, kind: AssignKind::Init, .. } if *target == at.id)
            });
            let field = facts.expr(at.id).span == found.holder.span;
            !declares && !field
        })
        .collect();
    out.sort();
    out
}

/// Functions of the files in which a container is declared or used, where nothing but calls runs them.
pub fn called(context: &Context<'_, '_>, found: &Found) -> Vec<Called> {
    let flow = &context.analysis.flow;
    let mut modules: Vec<u32> = found.uses.iter().map(|access| access.at.module).collect();
    modules.push(found.holder.module);
    modules.sort_unstable();
    modules.dedup();
    let functions = modules.into_iter().flat_map(|module| {
        let count = flow.program.module(module).functions.len() as u32;
        (0..count).map(move |id| At { module, id: FuncId(id) })
    });
    let place = |at: &ExprRef| site(context, context.spot(*at));
    functions
        .filter(|func| func.id != TOP && !flow.roots.contains_key(func))
        .filter_map(|func| {
            let callers = flow.callers.get(&func)?;
            let mut calls: Vec<ExprRef> = callers.iter().map(|(_, at, _)| *at).collect();
            calls.sort_unstable();
            let only = callers.iter().all(|(.., edge)| *edge == Edge::Call);
            let span = flow.program.function(func).span;
            let function = site(context, Spot { module: func.module, span });
            only.then(|| Called { function, calls: calls.iter().map(place).collect() })
        })
        .collect()
}
