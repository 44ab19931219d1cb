//! The tool that sets a choice: exactly one, which does nothing else.

use super::does::Looked;
use super::slots::{Slot, Written, stop};
use super::{Link, Setter};
use crate::model::facts::{ExprKind, Span, TOP};
use crate::model::flow::value::Value;
use crate::model::flow::{Edge, Registered, Root};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::plan::handle::{Problem, Role, ToolUse, entry_of, home};
use crate::plan::site;
use crate::rules::detect::{Context, Spot};

/// A tool, and the way from its handler to a place.
#[derive(Clone, Debug)]
pub struct Way {
    /// The tool's name.
    pub tool: Name,
    /// The call that registers it.
    pub registration: ExprRef,
    /// It is dispatched by name.
    pub dispatched: bool,
    /// From the handler on: a function, and the place in it that leads on.
    pub links: Vec<(FuncRef, ExprRef)>,
}

/// How long a way may be.
const DEPTH: usize = 8;

/// The ways from tools to a place.
pub fn ways(context: &Context<'_, '_>, at: ExprRef) -> Vec<Way> {
    let mut out = Vec::new();
    up(context, at, Vec::new(), &mut out);
    out
}

fn up(context: &Context<'_, '_>, at: ExprRef, below: Vec<(FuncRef, ExprRef)>, out: &mut Vec<Way>) {
    let analysis = context.analysis;
    let func = home(&analysis.flow, analysis.flow.program.func_of(at));
    if below.len() > DEPTH || below.iter().any(|(known, _)| *known == func) {
        return;
    }
    let links: Vec<(FuncRef, ExprRef)> = std::iter::once((func, at)).chain(below).collect();
    if analysis.flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::Handler)) {
        let mut own: Vec<_> =
            analysis.flow.registrations.values().filter(|entry| entry.handlers.contains(&func)).collect();
        own.sort_by_key(|entry| entry.at);
        for entry in own {
            let (tools, dispatched) = match entry.what {
                Registered::Method if analysis.dispatcher(func).is_some() => (Vec::new(), false),
                Registered::Tool => (entry.name.into_iter().collect(), false),
                Registered::Method => (analysis.tool_names(func, at), true),
                _ => (Vec::new(), false),
            };
            let registration = entry.at;
            out.extend(tools.into_iter().map(|tool| Way { tool, registration, dispatched, links: links.clone() }));
        }
        return;
    }
    let mut callers: Vec<_> = analysis.flow.callers.get(&func).into_iter().flatten().copied().collect();
    callers.sort_unstable();
    for (_, call, _) in callers.into_iter().filter(|(_, _, edge)| *edge == Edge::Call) {
        up(context, call, links.clone(), out);
    }
}

/// The tool at the beginning of a way.
pub fn tool_of(context: &Context<'_, '_>, way: &Way) -> Result<ToolUse, Problem> {
    let registration = site(context, context.spot(way.registration));
    let entry = match way.dispatched {
        true => Some(entry_of(context, way.tool).ok_or_else(|| Problem {
            at: registration.clone(),
            why: format!("the entry of `{}` in the list of tools was not found", way.tool),
            todo: "let its schema take the id by hand".to_owned(),
        })?),
        false => None,
    };
    let handler = way.links[0].0;
    let span = context.analysis.flow.program.function(handler).span;
    Ok(ToolUse {
        name: way.tool.text().to_owned(),
        registration,
        handler: site(context, Spot { module: handler.module, span }),
        entry: entry.map(|at| site(context, context.spot(at))),
        body: None,
        role: Role::Uses,
    })
}

/// The code of a handler that runs for the tool at the beginning of a way.
pub fn region(context: &Context<'_, '_>, way: &Way) -> Span {
    let program = context.analysis.flow.program;
    let handler = way.links[0].0;
    let facts = program.module(handler.module);
    let names = |side| matches!(facts.kind(side), ExprKind::Text(text) if *text == way.tool);
    let own = facts.branches.iter().find(|branch| {
        branch.func == handler.id
            && matches!(facts.kind(branch.condition), ExprKind::Compare { left, right, .. } if names(*left) || names(*right))
    });
    match own {
        Some(branch) if way.dispatched => branch.then,
        _ => program.function(handler).span,
    }
}

/// The one tool that sets the choice.
pub fn of(context: &Context<'_, '_>, slot: &Slot<'_>) -> Result<Setter, Problem> {
    let mut found: Vec<(Written, Way)> = Vec::new();
    for written in &slot.writes {
        found.extend(ways(context, written.at).into_iter().map(|way| (*written, way)));
    }
    let mut names: Vec<&str> = found.iter().map(|(_, way)| way.tool.text()).collect();
    names.sort_unstable();
    names.dedup();
    let ((written, way), rest) = match (names.as_slice(), found.as_slice()) {
        ([], _) | (_, []) => return Err(stop(context, slot.found, "no tool was seen to set it")),
        ([_], [first, rest @ ..]) => (first, rest),
        (several, _) => {
            let why = format!("several tools set it: {}", several.join(", "));
            return Err(stop(context, slot.found, &why));
        }
    };
    let at = |at: ExprRef, why: &str, todo: &str| Problem {
        at: site(context, context.spot(at)),
        why: why.to_owned(),
        todo: todo.to_owned(),
    };
    if let Some((other, _)) = rest.first() {
        return Err(at(other.at, "it is set in two places", "set it in one place, and run again"));
    }
    let flow = &context.analysis.flow;
    let argument = || flow.at(written.value).iter().any(|value| matches!(value, Value::Argument(_)));
    if flow.at(written.value).iter().any(|value| matches!(value, Value::Random(_))) {
        return Err(at(
            written.value,
            "the server makes the id up itself, so the model can't name it before",
            "return it from the tool that makes it, and let the other tools take it as a required argument",
        ));
    }
    let given = given(context, way, written.value).filter(|_| argument()).ok_or_else(|| {
        at(
            written.value,
            "what is remembered is not an argument of the tool as it was passed",
            "let the tools that read it take the id as a required argument, and look up what belongs to it",
        )
    })?;
    for (index, (func, own)) in way.links.iter().enumerate() {
        let own: Vec<ExprRef> = slot.records.iter().copied().chain([*own]).collect();
        let looked = match index {
            0 => Looked::in_region(context, *func, region(context, way), &own),
            _ => Looked::at(context, *func, &own),
        };
        if let Some(more) = looked.more() {
            return Err(at(
                more,
                &format!("{} does more than to remember the choice", way.tool),
                "move that into the tools that need it, or keep it as a tool of its own that remembers nothing",
            ));
        }
    }
    let looked = Looked::in_region(context, way.links[0].0, region(context, way), &[way.links[0].1]);
    let program = context.analysis.flow.program;
    let ids = |func: &FuncRef| {
        let facts = program.module(func.module);
        let within = program.function(*func).span;
        let all = facts.expr_ids().map(|id| At { module: func.module, id });
        let own = all.filter(|at| within.contains(program.expr(*at).span) && flow.is_id(*at));
        own.map(|at| site(context, context.spot(at))).collect()
    };
    let link = |(func, own): &(FuncRef, ExprRef)| Link {
        function: site(context, Spot { module: func.module, span: program.function(*func).span }),
        at: site(context, context.spot(*own)),
        ids: ids(func),
    };
    Ok(Setter {
        tool: tool_of(context, way)?,
        given: given.text().to_owned(),
        links: way.links.iter().map(link).collect(),
        value: site(context, context.spot(written.value)),
        tells: looked.tells().map(|data| site(context, context.spot(data))),
    })
}

/// The name of the tool's argument that a value is, followed back along the way.
fn given(context: &Context<'_, '_>, way: &Way, value: ExprRef) -> Option<Name> {
    trace(context, &way.links, value, DEPTH * 2)
}

fn trace(context: &Context<'_, '_>, links: &[(FuncRef, ExprRef)], at: ExprRef, depth: usize) -> Option<Name> {
    let depth = depth.checked_sub(1)?;
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    let inner = |id| At { module: at.module, id };
    match facts.kind(at.id) {
        ExprKind::Cast { value, .. } => trace(context, links, inner(*value), depth),
        ExprKind::Call { args, .. } if flow.callee_name(at).is_some_and(|name| name == "String") => {
            trace(context, links, inner(args.first()?.value), depth)
        }
        ExprKind::Member { object, name } => {
            let whole = match facts.kind(*object) {
                ExprKind::Symbol(_) => true,
                ExprKind::Member { name, .. } => *name == "arguments",
                ExprKind::Cast { .. } => true,
                _ => false,
            };
            let passed = flow.at(inner(*object)).iter().any(|value| matches!(value, Value::Argument(_)));
            (whole && passed).then_some(*name)
        }
        ExprKind::Symbol(id) => {
            let symbol = facts.symbol(*id);
            let func = At { module: at.module, id: symbol.func };
            let params = &flow.program.function(func).params;
            if let Some(index) = params.iter().position(|param| param.symbol == *id) {
                let own = links.iter().position(|(known, _)| *known == func)?;
                let (_, call) = *links.get(own.checked_sub(1)?)?;
                let ExprKind::Call { args, .. } = flow.program.kind(call) else { return None };
                let argument = args.get(index).filter(|_| args[..=index].iter().all(|arg| !arg.spread))?;
                return trace(context, links, At { module: call.module, id: argument.value }, depth);
            }
            if symbol.func == TOP {
                return None;
            }
            let values: Vec<ExprRef> = facts
                .expr_ids()
                .filter_map(|assign| match facts.kind(assign) {
                    ExprKind::Assign { target, value, .. }
                        if matches!(facts.kind(*target), ExprKind::Symbol(known) if known == id) =>
                    {
                        Some(inner(*value))
                    }
                    _ => None,
                })
                .collect();
            let [only] = values.as_slice() else { return None };
            trace(context, links, *only, depth)
        }
        _ => None,
    }
}
