//! State without a key: variables of the function that builds the server, which its handlers capture. Each session had a set of its
//! own; now a record holds them, behind a handle.

mod checks;
mod names;

pub(super) use checks::{DEPTH, is_data};
use checks::{only_tools, plain, unlisted};
use names::{lost, names};

use super::carriers::{Followed, Problem, follow_captured, follow_fields};
use super::closures::{self, Closed};
use super::fields;
use super::handed::{self, Handed};
use super::objects::{ends_session, is_object};
use super::planner::{RULE, TRANSITION, Words, called, is_split, lifetime, manual};
use super::{Carries, Entry, Lifetime, Names, Role, ToolUse, chosen, listing};
use crate::classify::answer::{Carrier, Holds, KeyedBy, Principal, Server};
use crate::classify::lifetime::Held;
use crate::classify::stores::Found;
use crate::model::facts::{AssignKind, ExprKind};
use crate::model::flow::Edge;
use crate::model::program::{At, ClassRef, ExprRef, FuncRef, SymbolRef};
use crate::plan::{Claim, Level, Manual, PlanSettings, ServerPlan, SharedStore, Site, Step, StepKind, choice, site};
use crate::rules::detect::{Context, Spot};

/// Variables of one function that become the record of a handle.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The variables, in source order.
    pub locals: Vec<Local>,
    /// How things are called.
    pub names: Names,
    /// How long a value lives, and how many may.
    pub lifetime: Lifetime,
    /// What keeps the values in the place of a store in memory.
    pub shared: Option<SharedStore>,
    /// The server knows its callers: a handle belongs to one.
    pub owner: bool,
    /// Functions that use the variables or call one that does, handlers among them.
    pub carriers: Vec<Carries>,
    /// The only variable holds an object of a class: its constructor is called for each handle.
    pub object: bool,
    /// The only variable is a parameter: what makes the value, and hands it on.
    pub handed: Option<Handed>,
    /// What is done to that object where the session ends: done when its handle ends.
    pub ends: Vec<Site>,
    /// Calls by which the constructor begins the state, where they are fields of a class: done to each new record.
    pub begins: Vec<Site>,
    /// Tools that reach the variables.
    pub tools: Vec<ToolUse>,
    /// Constructions of servers, whose instructions may speak of sessions.
    pub servers: Vec<Site>,
    /// Calls that register resources which reach them, with their handlers.
    pub resources: Vec<ResourceUse>,
    /// Schemas let callers leave the handle out, for a time: they are told where to get one.
    pub transition: bool,
    /// What an owner hears about a value that has expired.
    pub loss: String,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its name at its declaration.
    pub declared: Site,
    /// Where it is used, if it is a field.
    pub field: Option<Field>,
}

/// A field of a class that is made for each session.
#[derive(Clone, Debug)]
pub struct Field {
    /// `this.name`, where tools lead.
    pub uses: Vec<Site>,
    /// `this.name`, where the constructor assigns the first value.
    pub first: Option<Site>,
    /// `this.name`, where the constructor does something else with it: that is done to each new record.
    pub filled: Vec<Site>,
}

/// A resource that reaches the variables.
#[derive(Clone, Debug)]
pub struct ResourceUse {
    /// The call that registers it.
    pub registration: Site,
    /// Its handler.
    pub handler: Site,
}

/// Variables that belong together, with the way to them.
struct Group<'f> {
    scope: FuncRef,
    found: Vec<&'f Found>,
    uses: Vec<(FuncRef, ExprRef)>,
    /// Uses where the session ends, of an object that has something to end.
    ends: Vec<ExprRef>,
    followed: Followed,
    /// It is handed to the function that registers the tools.
    handed: Option<Handed>,
    /// It is an object of a class.
    object: bool,
    /// The class that they are fields of, and how each is used.
    class: Option<(ClassRef, Vec<Field>)>,
}

/// Plans what becomes of the variables that the handlers of a session capture.
pub fn plan(context: &Context<'_, '_>, server: &Server, settings: &PlanSettings, out: &mut ServerPlan) {
    let mut words = Words::of(context, &out.steps);
    let closed =
        closures::of(context, context.stores().filter(|found| is_captured(context, settings, found, &out.steps)));
    let parts = |found: &Found| match closed.iter().find(|closed| closed.found.holder.span == found.holder.span) {
        Some(closed) if closed.found.holder.module == found.holder.module => closed.parts.clone(),
        _ => Vec::new(),
    };
    let refused = |found: &Found, problem: &Problem| {
        let parts = parts(found);
        let own: Vec<&Found> = if parts.is_empty() { vec![found] } else { parts };
        own.into_iter().map(|found| manual(context, found, problem.clone())).collect::<Vec<Manual>>()
    };
    let (groups, stopped) = groups(context, settings, &out.steps, &closed);
    out.manual.extend(stopped.into_iter().flat_map(|(found, problem)| refused(found, &problem)));
    for group in groups {
        let listed = group.found.iter().try_for_each(|found| listing::check(context, found));
        match listed.and_then(|()| step(context, server, settings, &group, &words)) {
            Ok(mut step) => {
                chosen::obey(&mut step, &words, settings, &mut out.wrong);
                step.notes.extend(settings.transition.then(|| TRANSITION.to_owned()));
                let parts = group.found.iter().flat_map(|found| parts(found));
                step.claims.extend(parts.map(|part| Claim { rule: RULE, at: declared(context, part) }));
                words.take(&step);
                out.steps.push(step);
            }
            Err(problem) => out.manual.extend(group.found.iter().flat_map(|found| refused(found, &problem))),
        }
    }
}

fn declared(context: &Context<'_, '_>, found: &Found) -> Site {
    site(context, Spot { module: found.holder.module, span: found.holder.span })
}

fn is_captured(context: &Context<'_, '_>, settings: &PlanSettings, found: &Found, steps: &[Step]) -> bool {
    found.held.is_some()
        && found.holds == Holds::AppState
        && choice::carrier(context, settings, found) == Carrier::Handle
        && found.keyed_by == KeyedBy::SessionLifetime
        && !is_split(context, found, steps)
}

/// Variables are one record where a function uses several of them. Beside the records: what can't be followed to where it is made.
fn groups<'c>(
    context: &'c Context<'_, '_>,
    settings: &PlanSettings,
    steps: &[Step],
    closed: &'c [Closed<'c>],
) -> (Vec<Group<'c>>, Vec<(&'c Found, Problem)>) {
    let program = context.analysis.flow.program;
    let mut out: Vec<Group<'c>> = Vec::new();
    let mut stopped = Vec::new();
    let is_part = |found: &Found| {
        let same = |part: &&Found| part.holder.span == found.holder.span && part.holder.module == found.holder.module;
        closed.iter().any(|closed| closed.parts.iter().any(same))
    };
    let stores = context.stores().filter(|found| is_captured(context, settings, found, steps) && !is_part(found));
    for found in stores.chain(closed.iter().map(|closed| &closed.found)) {
        if let Some(class) = fields::class_of(context, found) {
            match of_class(context, found, class) {
                Ok(group) => merge(&mut out, group, |group| {
                    let uses: Vec<ExprRef> = group.uses.iter().map(|(_, at)| *at).collect();
                    follow_fields(context, group.found[0], class, &uses)
                }),
                Err(problem) => stopped.push((found, problem)),
            }
            continue;
        }
        let Some(symbol) = found.holder.symbol.filter(|_| found.held == Some(Held::Variable)) else { continue };
        let scope = At { module: symbol.module, id: program.symbol(symbol).func };
        match handed::of(context, found) {
            Some(Ok(way)) => {
                out.push(along(context, found, scope, way));
                continue;
            }
            Some(Err(problem)) => {
                stopped.push((found, problem));
                continue;
            }
            None => {}
        }
        let object = is_object(context, found);
        let (ends, uses): (Vec<ExprRef>, Vec<ExprRef>) =
            uses(context, symbol).into_iter().partition(|at| object && ends_session(context, *at));
        let uses: Vec<(FuncRef, ExprRef)> = uses.into_iter().map(|at| (scope, at)).collect();
        let followed = follow_captured(context, found, &uses);
        let group = Group { scope, found: vec![found], uses, ends, followed, handed: None, object, class: None };
        merge(&mut out, group, |group| follow_captured(context, group.found[0], &group.uses));
    }
    for group in out.iter_mut().filter(|group| group.handed.is_none()) {
        group.object = matches!(group.found.as_slice(), [only] if is_object(context, only));
    }
    let (whole, parts): (Vec<_>, Vec<_>) = out.into_iter().partition(|group| stays(context, group, &stopped).is_none());
    for group in parts {
        let problem = stays(context, &group, &stopped);
        stopped.extend(group.found.iter().filter_map(|found| Some((*found, problem.clone()?))));
    }
    (whole, stopped)
}

/// What keeps fields in their class: another one that has to stay, since the tools use them together.
fn stays(context: &Context<'_, '_>, group: &Group<'_>, stopped: &[(&Found, Problem)]) -> Option<Problem> {
    let (class, _) = group.class.as_ref()?;
    let (other, problem) = stopped.iter().find(|(found, _)| fields::class_of(context, found) == Some(*class))?;
    Some(Problem {
        at: problem.at.clone(),
        why: format!("`{}` of the same class has to stay", other.name),
        todo: "see to that first: what belongs together gets one handle".to_owned(),
    })
}

/// Adds variables to those that functions use together with them.
fn merge<'c>(out: &mut Vec<Group<'c>>, mut group: Group<'c>, follow: impl Fn(&Group<'c>) -> Followed) {
    let class = |group: &Group<'_>| group.class.as_ref().map(|(class, _)| *class);
    let shares = |other: &Group<'_>| {
        other.handed.is_none()
            && other.scope == group.scope
            && class(other) == class(&group)
            && other.followed.funcs.iter().any(|func| group.followed.funcs.contains(func))
    };
    let (joined, rest): (Vec<_>, Vec<_>) = std::mem::take(out).into_iter().partition(shares);
    *out = rest;
    for other in joined {
        group.found.extend(other.found);
        group.uses.extend(other.uses);
        group.ends.extend(other.ends);
        if let (Some((_, own)), Some((_, more))) = (&mut group.class, other.class) {
            own.extend(more);
        }
    }
    let order = |found: &&Found| found.holder.span;
    if let Some((_, fields)) = &mut group.class {
        let mut both: Vec<_> = group.found.drain(..).zip(fields.drain(..)).collect();
        both.sort_by_key(|(found, _)| order(found));
        (group.found, *fields) = both.into_iter().unzip();
    }
    group.found.sort_by_key(order);
    group.uses.sort_unstable();
    group.followed = follow(&group);
    out.push(group);
}

/// A field of a class that is made for each session.
fn of_class<'c>(context: &Context<'_, '_>, found: &'c Found, class: ClassRef) -> Result<Group<'c>, Problem> {
    let (uses, field) = fields::uses(context, found, class)?;
    let scope = At { module: class.module, id: context.analysis.flow.program.class(class).constructor };
    Ok(Group {
        scope,
        found: vec![found],
        followed: follow_fields(context, found, class, &uses),
        uses: uses.into_iter().map(|at| (scope, at)).collect(),
        ends: Vec::new(),
        handed: None,
        object: false,
        class: Some((class, vec![field])),
    })
}

/// State that is handed in, as a group of its own.
fn along<'c>(context: &Context<'_, '_>, found: &'c Found, scope: FuncRef, way: handed::Way) -> Group<'c> {
    Group {
        scope,
        found: vec![found],
        followed: follow_captured(context, found, &way.captured),
        uses: way.captured,
        ends: way.ends,
        handed: Some(way.handed),
        object: way.object,
        class: None,
    }
}

/// Uses of a variable, its declaration left out.
fn uses(context: &Context<'_, '_>, symbol: SymbolRef) -> Vec<ExprRef> {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(symbol.module);
    let declares = |at: &ExprRef| {
        let parent = facts.expr(at.id).parent;
        parent.is_some_and(|parent| {
            matches!(facts.kind(parent), ExprKind::Assign { target, kind: AssignKind::Init, .. } if *target == at.id)
        })
    };
    flow.uses(symbol).filter(|at| !declares(at)).collect()
}

fn step(
    context: &Context<'_, '_>,
    server: &Server,
    settings: &PlanSettings,
    group: &Group<'_>,
    words: &Words,
) -> Result<Step, Problem> {
    unlisted(context, group)?;
    for found in group.found.iter().filter(|_| !group.object && group.handed.is_none() && group.class.is_none()) {
        plain(context, found)?;
    }
    only_tools(context, group)?;
    let declared = |found: &Found| declared(context, found);
    let tools = tools(context, group)?;
    let called = called(context, group.found[0], &group.found[1..]);
    let names = names(context, group, words, &settings.names_of(&called), &tools);
    let locals: Vec<Local> = group
        .found
        .iter()
        .enumerate()
        .map(|(index, found)| Local {
            name: found.name.text().to_owned(),
            declared: declared(found),
            field: group.class.as_ref().map(|(_, fields)| fields[index].clone()),
        })
        .collect();
    let listed: Vec<&str> = locals.iter().map(|local| local.name.as_str()).collect();
    let mut carriers = group.followed.carriers.clone();
    for carrier in &mut carriers {
        if let Entry::Handler(indices) = &mut carrier.entry {
            *indices = (0..tools.len()).filter(|index| tools[*index].handler == carrier.function).collect();
        }
    }
    let first = &group.found[0];
    Ok(Step {
        id: format!("handle:{}#{}", declared(first).path, first.name),
        rule: RULE,
        title: format!("Turn {} into handles", listed.join(" and ")),
        level: Level::Review,
        requires: Vec::new(),
        claims: group.found.iter().map(|found| Claim { rule: RULE, at: declared(found) }).collect(),
        notes: vec![format!("{} is new: {} came into being with each session", names.create, names.one())],
        kind: StepKind::Captured(Box::new(Captured {
            lifetime: lifetime(settings, &called),
            owner: server.principal == Principal::User,
            transition: settings.transition,
            shared: None,
            loss: lost(context, group),
            resources: resources(context, group),
            object: group.object,
            handed: group.handed.clone(),
            ends: group.ends.iter().map(|at| site(context, context.spot(*at))).collect(),
            begins: begins(context, group),
            locals,
            names,
            carriers,
            tools,
            servers: super::facts::servers(context),
        })),
    })
}

/// Calls by which the constructor of the class begins the state of a session.
fn begins(context: &Context<'_, '_>, group: &Group<'_>) -> Vec<Site> {
    let Some((class, _)) = &group.class else { return Vec::new() };
    let program = context.analysis.flow.program;
    let constructor = At { module: class.module, id: program.class(*class).constructor };
    let spot = Spot { module: constructor.module, span: program.function(constructor).span };
    let whole = site(context, spot);
    let within = |at: &Site| at.path == whole.path && whole.span.contains(at.span);
    let outside = group.followed.outside.iter().filter(|outside| !outside.direct);
    outside.map(|outside| outside.at.clone()).filter(within).collect()
}

fn tools(context: &Context<'_, '_>, group: &Group<'_>) -> Result<Vec<ToolUse>, Problem> {
    let flow = &context.analysis.flow;
    let mut out = Vec::new();
    for used in &group.followed.handlers {
        let spot = Spot { module: used.handler.module, span: flow.program.function(used.handler).span };
        let (handler, registration) = (site(context, spot), site(context, context.spot(used.registration)));
        let stop = |at: Site, why: &str, todo: &str| Problem { at, why: why.to_owned(), todo: todo.to_owned() };
        if used.dispatches {
            return Err(stop(
                registration,
                "one handler serves all tools, and those that do not use it would need the handle as well",
                "give each tool a function of its own that takes the record, and the handle to its schema by hand",
            ));
        }
        let callers = flow.callers.get(&used.handler).into_iter().flatten();
        if let Some((_, at, _)) = callers.into_iter().find(|(_, _, edge)| *edge == Edge::Call) {
            return Err(stop(
                site(context, context.spot(*at)),
                "the tool's handler is called from here as well",
                "let both call a function that takes the record",
            ));
        }
        out.extend(used.tools.iter().map(|tool| ToolUse {
            name: tool.text().to_owned(),
            registration: registration.clone(),
            handler: handler.clone(),
            entry: None,
            body: None,
            role: Role::Uses,
        }));
    }
    out.sort_by(|a, b| a.registration.cmp(&b.registration));
    match out.is_empty() {
        false => Ok(out),
        true => Err(Problem {
            at: site(context, Spot { module: group.scope.module, span: group.found[0].holder.span }),
            why: "no tool was seen to reach it".to_owned(),
            todo: "give the tools that use it a handle as their first argument".to_owned(),
        }),
    }
}

fn resources(context: &Context<'_, '_>, group: &Group<'_>) -> Vec<ResourceUse> {
    let spot = |func: &FuncRef| Spot { module: func.module, span: context.analysis.flow.program.function(*func).span };
    let resource = |(handler, at): &(FuncRef, ExprRef)| ResourceUse {
        registration: site(context, context.spot(*at)),
        handler: site(context, spot(handler)),
    };
    group.followed.resources.iter().map(resource).collect()
}
