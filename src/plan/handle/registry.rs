//! State that stays in the containers that it is in: how its values are made, kept and dropped is the code's own business, and what
//! changes is only whose they are. A store of handles beside them knows which handles there are; each tool asks it first, and what was
//! keyed by the session is keyed by the handle from there on.

use rustc_hash::FxHashSet;

use super::carriers::{Followed, Problem, follow_keyed};
use super::dropped::{Endings, endings};
use super::names::{Names, Source};
use super::nouns;
use super::planner::{RULE, Words, handler_tools, lifetime};
use super::stops::unreached;
use super::{Container, Handle, Place, Role, Store, composite, facts, injected, limits, listing, roles};
use crate::classify::access::{Access, Kind};
use crate::classify::answer::{Principal, Server};
use crate::classify::stores::Found;
use crate::classify::words::words;
use crate::model::facts::ExprKind;
use crate::model::flow::{Edge, Flow};
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role as Known};
use crate::plan::{Claim, Level, PlanSettings, Site, Step, StepKind, site};
use crate::rules::detect::{Context, Spot};
use crate::rules::session_fallback_bucket;

/// Stores that the same tools use, taken together.
pub(super) fn together<'s>(stores: &[&'s Found]) -> Vec<Vec<&'s Found>> {
    let mut out: Vec<Vec<&Found>> = Vec::new();
    for found in stores {
        let shares = |other: &&Found| other.tools.iter().any(|tool| found.tools.contains(tool));
        let (mut own, others): (Vec<_>, Vec<_>) = out.into_iter().partition(|group| group.iter().any(shares));
        out = others;
        let mut group: Vec<&Found> = own.drain(..).flatten().collect();
        group.push(found);
        group.sort_by_key(|found| (found.holder.module, found.holder.span));
        out.push(group);
    }
    out.sort_by_key(|group| group.first().map(|found| (found.holder.module, found.holder.span)));
    out
}

/// Whether what was planned as several handles is one thing in parts: one tool would ask for several of them, and all but one name no
/// more than a number, a text or a mark.
pub(super) fn are_parts(context: &Context<'_, '_>, planned: &[(Vec<&Found>, Step)]) -> bool {
    let plain = |stores: &[&Found]| stores.iter().all(|found| facts::is_plain(context.analysis, found));
    let (small, large): (Vec<_>, Vec<_>) = planned.iter().partition(|(stores, _)| plain(stores));
    let tools = |stores: &[&Found]| stores.iter().flat_map(|found| found.tools.clone()).collect::<FxHashSet<_>>();
    let shared = planned.iter().enumerate().any(|(index, (stores, _))| {
        let own = tools(stores);
        planned[..index].iter().any(|(other, _)| tools(other).intersection(&own).next().is_some())
    });
    !small.is_empty() && large.len() <= 1 && shared
}

/// Plans one handle for stores that stay as they are.
pub(super) fn step(
    context: &Context<'_, '_>,
    server: &Server,
    stores: &[&Found],
    words: &Words,
    settings: &PlanSettings,
) -> Result<Step, Problem> {
    // What only says when a session was used last gives no name.
    let (times, mut ordered): (Vec<&Found>, Vec<&Found>) =
        stores.iter().copied().partition(|found| limits::keeps_last_use(context, found));
    ordered.extend(times);
    let stores = ordered.as_slice();
    let Some((&main, others)) = stores.split_first() else { unreachable!("stores of one group") };
    let declared = place_of(context, main);
    let stop = |why: &str, todo: &str| Problem { at: declared.clone(), why: why.to_owned(), todo: todo.to_owned() };
    if server.principal == Principal::User {
        return Err(stop("the server knows its users, and who owns a handle has to be asked", "do so by hand"));
    }
    for found in stores {
        stays(context, found)?;
    }
    composite::check(context, stores)?;
    let followed = follow_keyed(context, stores);
    if let Some(problem) = followed.problems.first() {
        return Err(problem.clone());
    }
    let mut tools = handler_tools(context, main, others, &followed)?;
    if tools.is_empty() {
        return Err(unreached(context, main, &followed));
    }
    if let Some(tool) = tools.iter().find(|tool| tool.entry.is_some()) {
        return Err(Problem {
            at: tool.registration.clone(),
            why: "one handler serves all tools, and none of them has a place where it could ask for the handle"
                .to_owned(),
            todo: "give each tool a function of its own".to_owned(),
        });
    }
    let lazy = stores.iter().any(|found| roles::is_lazy(context.analysis, found));
    let creates = !lazy && tools.iter().any(|tool| tool.role == Role::Creates);
    tools.iter_mut().for_each(|tool| tool.role = Role::Uses);
    let Endings { ends, drops, sweeps, notes, forgotten } = endings(context, stores)?;
    if let Some(times) = stores.iter().find(|found| limits::keeps_last_use(context, found)).filter(|_| creates) {
        return Err(stop(
            &format!("`{}` says when a session was used last, and values go by that", times.name),
            "take it out together with the code that drops what is too old, and run again",
        ));
    }
    elsewhere(context, stores, &followed)?;
    let called = super::planner::called(context, main, others);
    let chosen = settings.names_of(&called);
    let stem = stem(&declared.path);
    let only = others.is_empty();
    let store = if only { self::called(context, main) } else { stem.unwrap_or_else(|| main.name.text()) };
    let value = main.value.as_deref().filter(|_| only || stem.is_none());
    // What only says how things are kept says less than the class that keeps them, or the tools that use them.
    let kept = kept_by(context, main);
    let others = nouns::instead(context, &tools, super::wrapped::class_of(context, main), words);
    let instead: Vec<String> = kept.into_iter().chain(others).collect();
    let names = Names::of(&Source {
        store,
        value,
        list: only && facts::is_list(context.analysis, main),
        tools: &words.tools,
        arguments: &words.arguments,
        instead: &instead,
        chosen: &chosen,
    });
    let carriers = followed.carriers_of(context, &tools);
    let remains = |found: &&&Found| !forgotten.contains(&place_of(context, found));
    let mut all: Vec<&str> = stores.iter().filter(remains).map(|found| found.name.text()).collect();
    all.dedup();
    let stem = names.variable.strip_suffix("Id").unwrap_or(&names.variable).to_owned();
    let strays = followed.strays(context);
    let place = |at| site(context, context.spot(at));
    let handle = Handle {
        store: Store {
            declared: declared.clone(),
            made: declared.clone(),
            name: format!("{stem}Handles"),
            place: Place::Module,
            container: Container::Map,
        },
        stores: all.iter().map(|name| (*name).to_owned()).collect(),
        lifetime: lifetime(settings, &called),
        owner: false,
        servers: facts::servers(context),
        registry: true,
        otherwise: None,
        functions: if sweeps.is_empty() {
            Vec::new()
        } else {
            stores.iter().flat_map(|found| facts::called(context, found)).collect()
        },
        companions: drops,
        sweeps,
        last_use: notes,
        forgotten: forgotten.clone(),
        injected: injected::of(context, stores, &followed.handlers, &ends),
        ends: ends.into_iter().map(|(end, _)| end).collect(),
        touches: followed.touches,
        outside: Vec::new(),
        strays,
        sheds: followed.sheds,
        carried: followed.carried,
        loose: stores.iter().flat_map(|found| facts::loose(context, found)).map(place).collect(),
        lazy: true,
        plain: false,
        first: None,
        wrapped: false,
        value: None,
        idle: None,
        choices: Vec::new(),
        transition: settings.transition,
        shared: None,
        loss: "it is lost".to_owned(),
        reasons: vec![
            format!("{} is new: a session began without a word", names.create),
            format!(
                "{} stay where they are, and are keyed by the handle: each tool asks first whether there is such a one",
                all.join(", ")
            ),
        ],
        names,
        carriers,
        tools,
    };
    let mut claims = Vec::new();
    for found in stores {
        claims.push(Claim { rule: RULE, at: place_of(context, found) });
        if let Some(key) = found.fallback {
            claims.push(Claim { rule: session_fallback_bucket::RULE.name, at: site(context, context.spot(key)) });
        }
    }
    Ok(Step {
        id: format!("handle:{}#{}", declared.path, main.name),
        rule: RULE,
        title: handle.title(),
        level: Level::Review,
        requires: Vec::new(),
        claims,
        notes: handle.reasons.clone(),
        kind: StepKind::Handle(Box::new(handle)),
    })
}

pub(super) fn place_of(context: &Context<'_, '_>, found: &Found) -> Site {
    site(context, Spot { module: found.holder.module, span: found.holder.span })
}

/// Refuses what is no state of a business object, or does not live as long as the process.
fn stays(context: &Context<'_, '_>, found: &Found) -> Result<(), Problem> {
    let stop = |why: &str, todo: &str| {
        Err(Problem { at: place_of(context, found), why: why.to_owned(), todo: todo.to_owned() })
    };
    listing::check(context, found)?;
    if found.with_auth || found.with_transport {
        return stop("its records hold more than state", "keep the state in a store of its own");
    }
    if limits::keeps_times(context, found) {
        return stop("it keeps times of calls, and a limit is no handle", "key it by who is calling");
    }
    if found.objects.len() != 1 {
        return stop("it is not one container", "keep it in one");
    }
    if !matches!(facts::place(context, found), Some(Place::Module | Place::Field)) {
        return stop("it does not live as long as the process", "keep it where one process has it once");
    }
    Ok(())
}

/// All accesses of a store: those of a list by its own methods as well (`some`, `filter`, `push` of a record with the id).
pub(super) fn uses(context: &Context<'_, '_>, found: &Found) -> Vec<Access> {
    let flow = &context.analysis.flow;
    let mut out = found.uses.clone();
    let lists: Vec<_> = found.objects.iter().filter(|id| flow.object(**id).role == Some(Known::List)).collect();
    if lists.is_empty() {
        return out;
    }
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::Call { args, .. } = flow.program.kind(at) else { continue };
        let own = flow
            .performed(at)
            .iter()
            .copied()
            .find(|performed| performed.object.is_some_and(|id| lists.contains(&&id)));
        let Some(own) = own.filter(|_| !out.iter().any(|known| known.at == at)) else { continue };
        let kind = match own.op {
            Op::Add => Kind::Write,
            Op::Each | Op::Same | Op::Find => Kind::Read,
            _ => continue,
        };
        let facts = flow.program.module(at.module);
        let inside = |id: &_| args.iter().any(|arg| facts.expr(arg.value).span.contains(facts.expr(*id).span));
        let mut ids = facts.expr_ids().filter(inside).map(|id| At { module: at.module, id });
        // The other side of the comparison is a part of an element.
        let key = ids.find(|id| flow.is_id(*id) && !is_of_element(flow, *id, at));
        let func = flow.program.func_of(at);
        out.extend(key.map(|key| Access { at, key, receiver: own.receiver, kind, func, value: None }));
    }
    out
}

/// Whether an expression in a callback of a list is a part of what the callback is handed.
fn is_of_element(flow: &Flow<'_>, at: ExprRef, call: ExprRef) -> bool {
    let facts = flow.program.module(at.module);
    let outer = flow.program.func_of(call);
    let mut at = at;
    loop {
        match facts.kind(at.id) {
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => {
                at = At { module: at.module, id: *object }
            }
            ExprKind::Symbol(symbol) => {
                let own = At { module: at.module, id: facts.symbol(*symbol).func };
                let params = &flow.program.function(own).params;
                return own != outer && params.iter().any(|param| param.symbol == *symbol);
            }
            _ => return false,
        }
    }
}

/// Code that ran where a session ended, and runs where a handle does.
#[derive(Clone, Debug)]
pub struct End {
    /// The access, or the call of what makes it.
    pub at: Site,
    /// The id in it.
    pub key: Site,
}

/// Refuses where tools use the id in functions that the handle does not come to: half of what a session was would be left.
fn elsewhere(context: &Context<'_, '_>, stores: &[&Found], followed: &Followed) -> Result<(), Problem> {
    let flow = &context.analysis.flow;
    let reach = &context.analysis.lives.handler_reach;
    let carriers: FxHashSet<FuncRef> = followed.funcs.iter().copied().collect();
    let own: Vec<_> = stores.iter().map(|found| found.holder.span).collect();
    let keys: FxHashSet<ExprRef> = context
        .analysis
        .stores
        .iter()
        .filter(|other| !own.contains(&other.holder.span))
        .flat_map(|other| other.uses.iter().map(|access| access.key))
        .collect();
    let carried = |func: FuncRef| carriers.iter().any(|carrier| flow.program.within(func, *carrier));
    for at in flow.program.exprs().filter(|at| context.here(*at) && flow.is_id(*at)) {
        let func = super::home(flow, flow.program.func_of(at));
        if !reach.contains(&func) || carried(func) || keys.contains(&at) || is_source(flow, func, &carried) {
            continue;
        }
        // What says no more than that there is none, or that it is handed on, is settled where it comes to.
        if !is_put_in(flow, at) {
            continue;
        }
        return Err(Problem {
            at: site(context, context.spot(at)),
            why: "the session id is put into something here, and by a tool that the handle does not come to".to_owned(),
            todo: "keep what belongs to a session in one container by its id".to_owned(),
        });
    }
    Ok(())
}

/// Whether a function does nothing but tell the id, to what has the handle in its place.
fn is_source(flow: &Flow<'_>, func: FuncRef, carried: &dyn Fn(FuncRef) -> bool) -> bool {
    let mut calls = flow.callers.get(&func).into_iter().flatten().peekable();
    calls.peek().is_some() && calls.all(|(caller, at, edge)| *edge == Edge::Call && flow.is_id(*at) && carried(*caller))
}

/// Whether an id becomes a part of a value, or is handed to something outside of the program.
fn is_put_in(flow: &Flow<'_>, at: ExprRef) -> bool {
    let facts = flow.program.module(at.module);
    let Some(parent) = facts.expr(at.id).parent else { return false };
    match facts.kind(parent) {
        ExprKind::Object(_) => true,
        ExprKind::Call { args, .. } => {
            let whole = At { module: at.module, id: parent };
            let logs = matches!(facts.kind(parent), ExprKind::Call { callee, .. }
                if matches!(facts.kind(*callee), ExprKind::Member { object, .. }
                    if flow.objects_at(At { module: at.module, id: *object }).any(|id| flow.object(id).role == Some(Known::Logger))));
            args.iter().any(|arg| arg.value == at.id) && flow.callees(whole).into_iter().next().is_none() && !logs
        }
        ExprKind::Index { .. } => true,
        ExprKind::Compare { left, right, .. } => [left, right]
            .iter()
            .all(|side| !matches!(facts.kind(**side), ExprKind::Absent | ExprKind::Text(_) | ExprKind::Literal)),
        _ => false,
    }
}

/// What a store is called: by the variable that has its object, where its own name says nothing of what is in it.
pub(super) fn called<'a>(context: &'a Context<'_, '_>, found: &'a Found) -> &'a str {
    const PLAIN: &[&str] = &["items", "entries", "data", "map", "store", "values", "records", "rows", "inner", "byId"];
    let own = found.name.text();
    if !PLAIN.contains(&own.trim_start_matches(['#', '_'])) {
        return own;
    }
    super::wrapped::object(context, found).map_or(own, |name| name.text())
}

/// What a class keeps, by its name: `TreeRegistry`.
fn kept_by(context: &Context<'_, '_>, found: &Found) -> Option<String> {
    const KEEPERS: &[&str] = &["registry", "store", "manager", "cache", "repository", "keeper", "pool", "service"];
    let class = super::wrapped::class_of(context, found)?;
    let mut words = words(context.analysis.flow.program.class(class).name?.text());
    words.pop().filter(|last| KEEPERS.contains(&last.as_str()))?;
    (!words.is_empty()).then(|| words.join(" "))
}

/// What a file is named after, where that is a thing: `game.ts`.
fn stem(path: &str) -> Option<&str> {
    const ROOMS: &[&str] = &[
        "index", "server", "app", "main", "mcp", "state", "store", "stores", "tools", "tool", "utils", "util", "lib",
        "helpers", "session", "sessions", "context", "storage", "memory", "http", "serve", "start", "service",
        "services", "data", "db",
    ];
    let name = path.rsplit('/').next()?.split('.').next()?;
    let plain = words(name).iter().all(|word| !ROOMS.contains(&word.as_str()));
    (plain && name.len() > 2).then_some(name)
}
