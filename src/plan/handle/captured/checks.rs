//! What has to be so for a captured value to become a handle.

use super::{Group, begins};
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, SymbolKind};
use crate::model::flow::Registered;
use crate::model::flow::value::{ObjId, Site as Made, Value};
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Role as Known;
use crate::plan::handle::carriers::Problem;
use crate::plan::handle::fields;
use crate::plan::site;
use crate::rules::detect::{Context, Spot};

/// Refuses what decides which tools are listed: a list can't take a handle.
pub(super) fn unlisted(context: &Context<'_, '_>, group: &Group<'_>) -> Result<(), Problem> {
    let flow = &context.analysis.flow;
    let lists = flow.registrations.values().filter(|known| known.what == Registered::Method).find(|known| {
        let named = known.name.is_some_and(|name| matches!(name.text(), "ListToolsRequestSchema" | "tools/list"));
        let reads = |handler: &FuncRef| {
            group.uses.iter().any(|(_, at)| flow.program.within(flow.program.func_of(*at), *handler))
        };
        named && known.handlers.iter().any(reads)
    });
    match lists {
        None => Ok(()),
        Some(known) => Err(Problem {
            at: site(context, context.spot(known.at)),
            why: "it decides which tools are listed, and a list is the same for everybody without sessions".to_owned(),
            todo: "list all tools always; a tool that can't be used yet says what to do first, and one that only switches others on goes"
                .to_owned(),
        }),
    }
}

/// Refuses what is more than data: it would have to be closed, or has methods that do anything.
pub(super) fn plain(context: &Context<'_, '_>, found: &Found) -> Result<(), Problem> {
    let flow = &context.analysis.flow;
    let stop = |why: &str, todo: &str| {
        let at = site(context, Spot { module: found.holder.module, span: found.holder.span });
        Err(Problem { at, why: why.to_owned(), todo: todo.to_owned() })
    };
    if found.with_auth || found.with_transport {
        return stop(
            "it holds more than state: a transport, or credentials and identities",
            "keep the state in a variable of its own first",
        );
    }
    let symbol = found.holder.symbol.map(|symbol| (symbol, &flow.program.symbol(symbol).kind));
    let Some((symbol, SymbolKind::Variable { .. })) = symbol else {
        return stop(
            "it is handed in where the server is built",
            "make it in the function that registers the tools, and run again",
        );
    };
    let values = flow.values(flow.symbol_node(symbol));
    if let Some(given) = values.iter().find_map(|value| given_server(context, value)) {
        return Err(Problem {
            at: site(context, context.spot(given)),
            why: "it is handed the server that is made with it, and kept longer it would speak to one that is gone".to_owned(),
            todo: "hand what it needs of the server to its methods, from the tool that calls them (`extra.sendNotification`, \
                   `extra.sendRequest`); then give out its handle with a tool that makes it, and keep it in a store with a `close`"
                .to_owned(),
        });
    }
    match values.iter().all(|value| is_data(context, value, DEPTH)) {
        true => Ok(()),
        false => stop(
            "it holds an object with a life of its own, and not plain data",
            "give out its handle with a tool that makes it, keep it in a store with a `close`, and drop it with another tool",
        ),
    }
}

/// The server among the arguments that an object is made with, in the function that makes the server as well.
fn given_server(context: &Context<'_, '_>, value: &Value) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    let Value::Object(id) = value else { return None };
    flow.object(*id).class?;
    let made = flow.program.exprs().filter(|at| context.here(*at)).filter_map(|at| {
        let ExprKind::New { args, .. } = flow.program.kind(at) else { return None };
        let own = flow.objects_at(at).any(|made| made == *id);
        own.then(|| args.iter().map(move |arg| At { module: at.module, id: arg.value }))
    });
    let beside = |arg: ExprRef, id: ObjId| {
        // `server.server` is a part of one.
        let site = match flow.object(id).site {
            Made::Part(owner, _) if owner.0 != u32::MAX => flow.object(owner).site,
            site => site,
        };
        flow.object(id).role == Some(Known::Server)
            && matches!(site, Made::Expr(at) if flow.program.func_of(at) == flow.program.func_of(arg))
    };
    made.flatten().find(|arg| flow.objects_at(*arg).any(|id| beside(*arg, id)))
}

/// How deep in a value to look.
pub(in crate::plan::handle) const DEPTH: u32 = 3;

/// Whether a value is plain data, as far as it can be seen.
pub(in crate::plan::handle) fn is_data(context: &Context<'_, '_>, value: &Value, depth: u32) -> bool {
    let flow = &context.analysis.flow;
    match value {
        Value::Object(id) => {
            let object = flow.object(*id);
            let known = object.class.is_none()
                && matches!(object.role, None | Some(Known::List | Known::Map | Known::Set | Known::Cell));
            let inner = || flow.fields(*id).into_iter().flat_map(|(_, values)| values).chain(flow.elements(*id));
            known && (depth == 0 || inner().all(|value| is_data(context, &value, depth - 1)))
        }
        Value::Absent | Value::Argument(_) | Value::Text(_) | Value::Random(_) => true,
        _ => false,
    }
}

/// Refuses what is not reached by tools alone.
pub(super) fn only_tools(context: &Context<'_, '_>, group: &Group<'_>) -> Result<(), Problem> {
    if let Some(problem) = group.followed.problems.first() {
        return Err(problem.clone());
    }
    let begun = begins(context, group);
    if let Some(outside) = group.followed.outside.iter().find(|outside| !begun.contains(&outside.at)) {
        return Err(Problem {
            at: outside.at.clone(),
            why: "code that no tool calls uses it through this call".to_owned(),
            todo: "take the call out, or let a tool make it".to_owned(),
        });
    }
    let program = context.analysis.flow.program;
    let inner = |func: &FuncRef| match &group.class {
        Some((class, _)) => fields::is_of(context, *class, *func),
        None => group.uses.iter().any(|(scope, _)| func != scope && program.within(*func, *scope)),
    };
    match group.followed.funcs.iter().find(|func| !inner(func)) {
        None => Ok(()),
        Some(func) => Err(Problem {
            at: site(context, Spot { module: func.module, span: program.function(*func).span }),
            why: "it is used where the server is built, and not only by its tools".to_owned(),
            todo: "let only tools and the functions that they call use it".to_owned(),
        }),
    }
}
