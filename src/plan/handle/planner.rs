//! Decides, store by store: a step, or what a person has to do and why.

use super::carriers::{Followed, Problem, follow_handed};
use super::limits;
use super::names::{Names, Source};
use super::nouns;
use super::stops::{made_anew, unreached};
use super::wrapped::{self, Wrapped};
use super::{
    Container, Handle, Lifetime, Role, Store, ToolUse, chosen, clients, composite, external, facts, groups, listing,
    objects, registry, roles,
};
use crate::classify::access::Kind;
use crate::classify::answer::{Carrier, Holds, KeyedBy, Principal, Processes, Server};
use crate::classify::stores::Found;
use crate::plan::{Claim, Level, Manual, PlanSettings, ServerPlan, Step, StepKind, choice, selection, site};
use crate::rules::detect::{Context, Spot};
use crate::rules::{session_fallback_bucket, session_keyed_state};

/// Why a container does not become a store of handles itself.
const CONTAINER: &str = "its container is none that handles can take the place of";

/// What is to be done where values have to be shared.
pub(in crate::plan) const INTERFACE: &str =
    "keep the values in a store that the processes share, behind create, get, save and destroy by handle";

/// What the reader of a change for a time of transition has to know.
pub(super) const TRANSITION: &str = "schemas leave the handle optional, and a call without it is told where to get one; run fix \
     without --transition once clients have listed the tools again";

/// Plans what becomes of the stores of a server that are kept by session.
pub fn plan(context: &Context<'_, '_>, server: &Server, settings: &PlanSettings, out: &mut ServerPlan) {
    let mut names = Words::of(context, &out.steps);
    let stores: Vec<&Found> = context
        .stores()
        .filter(|found| {
            found.holds == Holds::AppState
                && choice::carrier(context, settings, found) == Carrier::Handle
                && (found.keyed_by == KeyedBy::SessionId || objects::are_keys(context, found))
                && !found.with_transport
        })
        .filter(|found| !is_split(context, found, &out.steps))
        .collect();
    let (outside, stores): (Vec<&Found>, Vec<&Found>) =
        stores.into_iter().partition(|found| external::is_outside(context, found));
    for group in clients::together(context, &outside) {
        match external::step(context, server, &group, &names, settings) {
            Ok(mut step) => {
                chosen::obey(&mut step, &names, settings, &mut out.wrong);
                step.notes.extend(settings.transition.then(|| TRANSITION.to_owned()));
                names.take(&step);
                out.steps.push(step);
            }
            Err(problem) => {
                out.manual.extend(group.iter().map(|found| manual(context, found, problem.clone())));
            }
        }
    }
    let wrapped: Vec<Wrapped> = stores.iter().filter_map(|found| wrapped::of(context, found)).collect();
    let inside = stores.clone();
    let around = |found: &&Found| wrapped.iter().find(|wrapped| wrapped.container == found.holder);
    let stores: Vec<&Found> = stores.iter().map(|found| around(found).map_or(*found, |outer| &outer.found)).collect();
    let mut failed: Vec<(&Found, Problem)> = Vec::new();
    let mut planned: Vec<(Vec<&Found>, Step)> = Vec::new();
    for (found, companions) in groups::of(context, &stores) {
        let outer = wrapped.iter().find(|wrapped| wrapped.found.holder == found.holder);
        match store(context, server, (found, outer), &companions, &names, settings) {
            Ok(mut step) => {
                chosen::obey(&mut step, &names, settings, &mut out.wrong);
                let all: Vec<&Found> = std::iter::once(found).chain(companions.iter().copied()).collect();
                let by_id = all.iter().all(|found| found.keyed_by == KeyedBy::SessionId);
                let kept = by_id
                    .then(|| registry::step(context, server, &unwrapped(&all, &inside, &wrapped), &names, settings));
                if let (StepKind::Handle(handle), Some(Ok(mut kept))) = (&mut step.kind, kept) {
                    chosen::obey(&mut kept, &names, settings, &mut Vec::new());
                    handle.otherwise = match kept.kind {
                        StepKind::Handle(kept) => Some(kept),
                        _ => None,
                    };
                }
                names.take(&step);
                planned.push((std::iter::once(found).chain(companions).collect(), step));
            }
            Err(problem) => {
                failed.extend(std::iter::once(found).chain(companions).map(|found| (found, problem.clone())))
            }
        }
    }
    let all: Vec<&Found> =
        planned.iter().flat_map(|(stores, _)| stores).copied().chain(failed.iter().map(|(found, _)| *found)).collect();
    for group in registry::together(&all) {
        let own = |found: &Found| group.iter().any(|known| known.holder == found.holder);
        let (mut steps, others): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|(stores, _)| stores.iter().any(|found| own(found)));
        planned = others;
        let stays = failed.iter().any(|(found, _)| own(found)) || registry::are_parts(context, &steps);
        let by_id = group.iter().all(|found| found.keyed_by == KeyedBy::SessionId);
        // The names of what it takes the place of are free again.
        let free = || {
            let others = out.steps.iter().chain(planned.iter().map(|(_, step)| step));
            Words::of(context, others)
        };
        let kept = (stays && by_id)
            .then(|| registry::step(context, server, &unwrapped(&group, &inside, &wrapped), &free(), settings));
        match kept {
            Some(Ok(mut step)) => {
                chosen::obey(&mut step, &free(), settings, &mut out.wrong);
                names.take(&step);
                steps = vec![(group, step)];
            }
            told => {
                // What goes by the times of another store does not become handles without them.
                if let Some(times) = group.iter().find(|found| limits::keeps_last_use(context, found)) {
                    let why = format!("`{}` says when a session was used last, and values go by that", times.name);
                    let at =
                        |found: &Found| site(context, Spot { module: found.holder.module, span: found.holder.span });
                    let problem =
                        |found: &Found| Problem { at: at(found), why: why.clone(), todo: LAST_USE.to_owned() };
                    failed.extend(steps.drain(..).flat_map(|(stores, _)| stores).map(|found| (found, problem(found))));
                }
                let better = told.and_then(Result::err);
                let left = failed.iter().filter(|(found, _)| own(found));
                out.manual.extend(left.map(|(found, problem)| {
                    // What stays would have to be seen to first, where nothing can be done about the container itself.
                    let whole =
                        problem.at == site(context, Spot { module: found.holder.module, span: found.holder.span });
                    let better = better.clone().filter(|_| whole && problem.why == CONTAINER);
                    manual(context, found, better.unwrap_or_else(|| problem.clone()))
                }));
            }
        }
        out.steps.extend(steps.into_iter().map(|(_, mut step)| {
            step.notes.extend(settings.transition.then(|| TRANSITION.to_owned()));
            step
        }));
    }
}

/// What stays keeps its class around it: the containers themselves.
fn unwrapped<'s>(group: &[&'s Found], inside: &[&'s Found], wrapped: &'s [Wrapped]) -> Vec<&'s Found> {
    let container = |found: &Found| {
        let outer = wrapped.iter().find(|wrapped| wrapped.found.holder == found.holder)?;
        inside.iter().copied().find(|own| outer.container == own.holder)
    };
    group.iter().map(|found| container(found).unwrap_or(*found)).collect()
}

/// Whether a step takes a part out of a store: what is left is looked at once it is gone.
pub(super) fn is_split(context: &Context<'_, '_>, found: &Found, steps: &[Step]) -> bool {
    selection::splits(steps, &site(context, Spot { module: found.holder.module, span: found.holder.span }))
}

/// Takes back the steps that keep values in memory, where a server turns out to run in several processes and no plan file says where
/// they are.
pub fn withhold(plans: &mut [ServerPlan], servers: &[Server], settings: &PlanSettings) {
    let in_one = |step: &Step| choice::of_step(step, settings).is_some_and(|own| own.home.is_some());
    for plan in plans {
        let server = servers.iter().find(|server| server.path == plan.server && server.language == plan.language);
        let Some(several) = server.and_then(|server| server.processes.first()) else { continue };
        let (handles, others) = std::mem::take(&mut plan.steps)
            .into_iter()
            .partition(|step| matches!(step.kind, StepKind::Handle(_) | StepKind::Captured(_)) && !in_one(step));
        plan.steps = others;
        plan.manual.extend(handles.into_iter().filter_map(|step| withheld(step, several)));
    }
}

fn withheld(step: Step, several: &Processes) -> Option<Manual> {
    let claim = step.claims.into_iter().next()?;
    Some(Manual {
        rule: claim.rule,
        at: claim.at,
        what: step.title,
        why: format!(
            "{} ({}:{}): a handle that one process keeps in memory is unknown to the others",
            several.reason, several.at.path, several.at.line
        ),
        cause: None,
        todo: vec![INTERFACE.to_owned()],
    })
}

/// The names that a server uses already, or will.
pub(super) struct Words {
    pub(super) tools: Vec<String>,
    pub(super) arguments: Vec<String>,
}

impl Words {
    pub(super) fn of<'s>(context: &Context<'_, '_>, steps: impl IntoIterator<Item = &'s Step>) -> Self {
        let mut out = Self { tools: facts::tool_names(context), arguments: facts::argument_names(context) };
        steps.into_iter().for_each(|step| out.take(step));
        out
    }

    /// What a step is to bring is there for the steps after it.
    pub(super) fn take(&mut self, step: &Step) {
        let names = match &step.kind {
            StepKind::Handle(handle) => &handle.names,
            StepKind::Captured(captured) => &captured.names,
            StepKind::External(external) => &external.names,
            _ => return,
        };
        self.tools.extend([names.create.clone(), names.destroy.clone()]);
        self.tools.extend(names.list.clone());
        self.arguments.push(names.argument.clone());
    }
}

/// What to do about a store of times.
const LAST_USE: &str = "take it out together with the code that drops what is too old: handles expire by themselves, after the time that `idle_seconds` of the plan says; then run again";

pub(super) const RULE: &str = session_keyed_state::RULE.name;

/// A store that stays, and why.
pub(in crate::plan) fn manual(context: &Context<'_, '_>, found: &Found, problem: Problem) -> Manual {
    let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
    Manual {
        rule: RULE,
        at: declared.clone(),
        what: format!("turn `{}` into handles", found.name),
        why: problem.why,
        cause: (problem.at != declared).then_some(problem.at),
        todo: vec![problem.todo],
    }
}

fn store(
    context: &Context<'_, '_>,
    server: &Server,
    (found, wrapped): (&Found, Option<&Wrapped>),
    companions: &[&Found],
    words: &Words,
    settings: &PlanSettings,
) -> Result<Step, Problem> {
    let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
    let id = format!("{}#{}", declared.path, found.name);
    let stop = |why: &str, todo: &str| Problem { at: declared.clone(), why: why.to_owned(), todo: todo.to_owned() };
    let made = wrapped.map(|outer| outer.made).or_else(|| facts::made(context.analysis, found)).ok_or_else(|| {
        stop(
            "its values are kept outside of this program",
            "let a create tool write the first value under a random id, and put that id in the key where the session id stands now",
        )
    })?;
    let known = if wrapped.is_some() { Some(Container::Map) } else { facts::container(context.analysis, made) };
    let container = known
        .filter(|kind| *kind != Container::Set)
        .ok_or_else(|| stop(CONTAINER, "keep its values in a map by handle"))?;
    listing::check(context, found)?;
    if limits::keeps_times(context, found) {
        return Err(stop(
            "it keeps lists of numbers that seem to be times of calls, by which later ones are limited: a limit is no handle",
            "where it limits calls, key it by the authenticated user or the network address; else turn it into a handle by hand",
        ));
    }
    if let Some(times) = std::iter::once(&found).chain(companions).find(|found| limits::keeps_last_use(context, found))
    {
        let why = format!("`{}` says when a session was used last, and values go by that", times.name);
        return Err(stop(&why, LAST_USE));
    }
    if found.with_auth {
        return Err(stop(
            "its records hold credentials or identities, and these never become handles",
            "take the caller from each request (`authInfo`), and keep the rest in a store of its own",
        ));
    }
    let place = facts::place(context, found).ok_or_else(|| {
        stop("the object that it is a field of is made for each session", "keep it where one process has it once")
    })?;
    composite::check(context, &[found])?;
    composite::check(context, companions)?;
    let followed = follow_handed(context, found, companions);
    if let Some(problem) = followed.problems.first() {
        return Err(problem.clone());
    }
    if let Some(at) = made_anew(&followed) {
        return Err(Problem {
            at,
            why: "the value is dropped here and made anew at once: that puts it back to its beginning, and is not its end".to_owned(),
            todo: "set its fields to what they were at the beginning, and run again".to_owned(),
        });
    }
    let mut tools = handler_tools(context, found, companions, &followed)?;
    if server.principal == Principal::User && tools.iter().any(|tool| tool.body.is_some()) {
        return Err(stop(
            "the tools' functions are not handed who is calling, and a handle belongs to one caller",
            "hand them the SDK's context, and run again",
        ));
    }
    if let Some(carried) = followed.carried.first().filter(|_| server.principal == Principal::User) {
        return Err(Problem {
            at: carried.at.clone(),
            why: "the id is handed on in an object here, without who is calling, and a handle belongs to one caller"
                .to_owned(),
            todo: "hand on the id and the caller as arguments of their own, and run again".to_owned(),
        });
    }
    if tools.is_empty() {
        return Err(unreached(context, found, &followed));
    }
    let lazy = roles::is_lazy(context.analysis, found)
        || followed
            .outside
            .iter()
            .any(|outside| !outside.companion && matches!(outside.kind, Kind::Write | Kind::GetOrCreate));
    if !lazy && !tools.iter().any(|tool| tool.role == Role::Creates) {
        return Err(stop("no place was seen where a value is created", "write a tool that creates it"));
    }
    let choices = facts::choices(context.analysis, found);
    if lazy && choices.is_empty() && wrapped.is_none() {
        tools.iter_mut().for_each(|tool| tool.role = roles::of_lazy(tool.role, &tool.name));
    }
    let list = facts::is_list(context.analysis, found);
    let value = found.value.as_deref();
    let called = called(context, found, companions);
    let chosen = settings.names_of(&called);
    let instead = nouns::instead(context, &tools, wrapped::class_of(context, found), words);
    let names = Names::of(&Source {
        store: registry::called(context, found),
        value,
        instead: &instead,
        list,
        tools: &words.tools,
        arguments: &words.arguments,
        chosen: &chosen,
    });
    let carriers = followed.carriers_of(context, &tools);
    let all: Vec<&str> = std::iter::once(&found).chain(companions).map(|found| found.name.text()).collect();
    let strays = followed.strays(context);
    let handle = Handle {
        store: Store {
            declared: declared.clone(),
            made: site(context, context.spot(made)),
            name: found.name.text().to_owned(),
            place,
            container,
        },
        stores: all.iter().map(|name| (*name).to_owned()).collect(),
        lifetime: Lifetime {
            idle_in_code: facts::has_option(context.analysis, made, "ttl")
                || std::iter::once(&found).chain(companions).any(|found| facts::is_timed(context.analysis, found)),
            limit_in_code: facts::has_option(context.analysis, made, "max"),
            ..lifetime(settings, &called)
        },
        owner: server.principal == Principal::User,
        companions: companions.iter().filter_map(|found| groups::companion(context, found)).collect(),
        touches: followed.touches,
        outside: followed.outside,
        strays,
        sheds: followed.sheds,
        carried: followed.carried,
        loose: facts::loose(context, found).into_iter().map(|at| site(context, context.spot(at))).collect(),
        lazy,
        plain: wrapped.is_none() && facts::is_plain(context.analysis, found),
        first: wrapped.and_then(|outer| outer.first).map(|at| site(context, context.spot(at))),
        wrapped: wrapped.is_some(),
        value: wrapped.and(found.value.clone()),
        idle: wrapped.and_then(|outer| outer.idle).map(|at| site(context, context.spot(at))),
        choices,
        transition: settings.transition,
        registry: false,
        ends: Vec::new(),
        otherwise: None,
        functions: facts::called(context, found),
        injected: None,
        sweeps: Vec::new(),
        last_use: Vec::new(),
        forgotten: Vec::new(),
        shared: None,
        loss: loss(&facts::kept(context.analysis, found)),
        reasons: reasons(&names, &tools, lazy),
        names,
        carriers,
        tools,
        servers: facts::servers(context),
    };
    let claimed = wrapped.map_or(&found.holder, |outer| &outer.container);
    let claimed = site(context, Spot { module: claimed.module, span: claimed.span });
    let mut claims = vec![Claim { rule: RULE, at: claimed }];
    for companion in companions {
        let spot = Spot { module: companion.holder.module, span: companion.holder.span };
        claims.push(Claim { rule: RULE, at: site(context, spot) });
    }
    for key in std::iter::once(&found).chain(companions).filter_map(|found| found.fallback) {
        claims.push(Claim { rule: session_fallback_bucket::RULE.name, at: site(context, context.spot(key)) });
    }
    Ok(Step {
        id: format!("handle:{id}"),
        rule: RULE,
        title: handle.title(),
        level: Level::Review,
        requires: Vec::new(),
        claims,
        notes: handle.reasons.clone(),
        kind: StepKind::Handle(Box::new(handle)),
    })
}

/// The tools that the handlers on the way serve.
pub(super) fn handler_tools(
    context: &Context<'_, '_>,
    found: &Found,
    companions: &[&Found],
    followed: &Followed,
) -> Result<Vec<ToolUse>, Problem> {
    let mut out = Vec::new();
    for used in &followed.handlers {
        let handler = context.analysis.flow.program.function(used.handler).span;
        let handler = site(context, Spot { module: used.handler.module, span: handler });
        let registration = site(context, context.spot(used.registration));
        for tool in &used.tools {
            let reaches = std::iter::once(&found).chain(companions).any(|found| found.tools.contains(tool));
            if used.dispatches && !reaches {
                continue;
            }
            let entry = if used.dispatches {
                let entry = facts::entry(context, *tool).ok_or_else(|| Problem {
                    at: registration.clone(),
                    why: format!("the entry of `{tool}` in the list of tools was not found"),
                    todo: "give its schema the handle by hand".to_owned(),
                })?;
                Some(site(context, context.spot(entry)))
            } else {
                None
            };
            out.push(ToolUse {
                name: tool.text().to_owned(),
                registration: registration.clone(),
                handler: handler.clone(),
                entry,
                body: used.body.clone(),
                role: roles::of(context.analysis, found, used.handler, *tool),
            });
        }
    }
    out.sort_by(|a, b| (&a.registration, &a.entry, &a.handler).cmp(&(&b.registration, &b.entry, &b.handler)));
    Ok(out)
}

/// What settings may call a store: itself first, then those that share its handle.
pub(super) fn called(context: &Context<'_, '_>, found: &Found, companions: &[&Found]) -> Vec<String> {
    let names = |found: &Found| {
        let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
        [format!("{}#{}", declared.path, found.name), found.name.text().to_owned()]
    };
    std::iter::once(found).chain(companions.iter().copied()).flat_map(names).collect()
}

pub(super) fn lifetime(settings: &PlanSettings, called: &[String]) -> Lifetime {
    let (own, general) = (settings.lifetime_of(called), settings.lifetime);
    Lifetime {
        idle_seconds: own.idle_seconds.or(general.idle_seconds).unwrap_or(1800),
        limit: own.limit.or(general.limit).unwrap_or(1000),
        idle_is_set: own.idle_seconds.is_some(),
        limit_is_set: own.limit.is_some(),
        idle_in_code: false,
        limit_in_code: false,
    }
}

/// What an owner hears about a value that has expired.
pub(super) fn loss(kept: &facts::Kept) -> String {
    let plural = |name: &&String| {
        let last = crate::classify::words::words(name).pop();
        last.is_some_and(|last| super::names::singular(&last) != last)
    };
    let joined = |name: &String| crate::classify::words::words(name).join(" ");
    let several: Vec<String> = kept.lists.iter().filter(plural).map(joined).collect();
    let rest = kept.more || several.len() < kept.lists.len();
    match (several.as_slice(), rest) {
        ([only], _) => format!("its {only} are lost"),
        ([first @ .., last], false) if several.len() <= 3 => format!("its {} and {last} are lost", first.join(", ")),
        ([_, ..], true) if several.len() <= 2 => format!("its {} and the rest are lost", several.join(", ")),
        // `guessed` says what was done with them, and not what they are.
        ([], _) if kept.lists.len() == 1 && !kept.more && !kept.lists[0].ends_with("ed") => {
            format!("its {} is lost", joined(&kept.lists[0]))
        }
        _ => "it is lost".to_owned(),
    }
}

fn reasons(names: &Names, tools: &[ToolUse], lazy: bool) -> Vec<String> {
    let mut out = Vec::new();
    let creators: Vec<&str> =
        tools.iter().filter(|tool| tool.role == Role::Creates).map(|tool| tool.name.as_str()).collect();
    if lazy || creators.is_empty() {
        out.push(format!("{} is new: {} came into being where it was first used", names.create, names.one()));
    } else {
        out.push(format!("{} creates the {} already, and answers its id now", creators.join(", "), names.noun));
    }
    for tool in tools {
        match tool.role {
            Role::Consumes => out.push(format!("{} ends the {}, as it did before", tool.name, names.noun)),
            Role::Destroys => {
                out.push(format!("{} drops the {} already: no tool for that is added", tool.name, names.noun))
            }
            Role::Resets => out.push(format!("{} begins the {} anew: its handle stays", tool.name, names.noun)),
            Role::Creates | Role::Uses => {}
        }
    }
    out
}
