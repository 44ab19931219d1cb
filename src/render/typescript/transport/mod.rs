//! Specialises the routes of a server to requests without sessions.
//!
//! The plan says which expressions are known; [`machine`] runs the code under that to a fixpoint, [`fold`] takes away what it
//! decided, and what is left makes a server and a transport, connects them and answers. What still reads a session in a way that is
//! not understood stops the whole step.

mod allow;
mod announced;
mod answered;
mod apart;
mod branches;
mod carried;
mod chores;
mod closing;
mod comment_words;
pub(super) mod comments;
mod counters;
mod counts;
mod drains;
pub(super) mod edits;
mod emitters;
mod env;
mod eval;
mod evictions;
mod exec;
mod flight;
mod fold;
mod guard;
mod hooks;
mod keepers;
mod leftovers;
mod lines;
mod listed;
mod log_lines;
mod machine;
mod methods;
mod modern;
mod modern_helper;
mod modern_inline;
mod modern_request;
mod node;
mod phrase;
mod pre_handlers;
mod probing;
mod properties;
mod routes;
mod servers;
mod setup;
mod slots;
mod sse;
mod tidy;
mod timers;
mod value;
mod waits;
mod web;
mod world;

use rustc_hash::{FxHashMap, FxHashSet};

use super::entry::Entry;
use super::header_list;
use super::in_flight;
use super::probes;
use super::project::Project;
use super::prune::prune;
use super::script::Script;
use super::twins;
use crate::model::facts::Span;
use crate::plan::Level;
use crate::plan::transport::{Fact, Route, Transport};
use crate::plan::web::Framework;
use crate::render::{Change, Files, Refused, Rendered, all, union};
pub(super) use edits::{item, item_alone};
use fold::Fold;
use machine::{Machine, Methods};
use routes::{Serves, serves};
use world::World;

/// What is told where the handler of the second SDK can't take the place of the transport.
const OLDER_ALONE: &str = "Clients of the revision before the newest are served, as they were: what is done around the transport is more \
                           than `createMcpHandler` allows for. To serve the newest too, give it a function that builds the server.";

/// Renders the step. With the second SDK its handler serves all requests, so that it speaks the newest revision too; where the code has
/// more to do than that allows, each request gets a transport, and that is said.
pub fn render(step: &Transport, files: &dyn Files) -> Result<Rendered, Refused> {
    let mut out = without_sessions(step, files)?;
    if let Some(note) = twins::note(&step.twins, &step.opened, files, &out.changes) {
        out.notes.push(note);
        out.level = Some(Level::Review);
    }
    Ok(out)
}

fn without_sessions(step: &Transport, files: &dyn Files) -> Result<Rendered, Refused> {
    let world = World::open(step, files)?;
    if step.sdk.0 == "@modelcontextprotocol/sdk" {
        return specialise(step, files, &world, false);
    }
    if let Ok(modern) = specialise(step, files, &world, true)
        && let Some(changes) = with_handler(step, &world, &modern)
    {
        let mut out = Rendered { changes, ..modern };
        if out.changes.iter().any(|change| change.text.contains(modern_request::COMMENT)) {
            out.notes.push(modern_request::NOTE.to_owned());
        }
        out.notes.extend(world.units.iter().filter_map(|unit| comments::left(&unit.script, &out.changes)));
        out.level = (!out.notes.is_empty()).then_some(Level::Review);
        return Ok(out);
    }
    let mut older = specialise(step, files, &world, false)?;
    older.notes.push(OLDER_ALONE.to_owned());
    older.level = Some(Level::Review);
    Ok(older)
}

/// The changes with the handler of the second SDK in them; `None` where the code around the transport is not as simple as that.
fn with_handler(step: &Transport, world: &World, rendered: &Rendered) -> Option<Vec<Change>> {
    let mut out = Vec::new();
    for unit in &world.units {
        let own: Vec<Change> =
            rendered.changes.iter().filter(|change| change.path == unit.script.path).cloned().collect();
        if !unit.facts.values().any(|fact| *fact == Fact::Construct) {
            out.extend(own);
            continue;
        }
        let route =
            step.routes.iter().find(|route| serves(route) != Serves::Gone && route.at.path == unit.script.path)?;
        out.extend(modern::changes(&unit.script, &own, routes::framework(route, &unit.script).ok()?)?);
    }
    out.extend(rendered.changes.iter().filter(|change| world.unit(&change.path).is_none()).cloned());
    Some(out)
}

/// What is told of probes that GET the paths of routes: once each.
fn probed(step: &Transport, world: &World, files: &dyn Files) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for unit in &world.units {
        let routes = step.routes.iter().filter(|route| route.at.path == unit.script.path);
        let served = routes.filter_map(|route| routes::path(route, &unit.script));
        out.extend(probes::notes(files, &unit.script.path, served));
    }
    out.sort();
    out.dedup();
    out
}

/// Whether changes leave nothing of a file.
fn emptied(script: &Script, changes: &[Change]) -> bool {
    let gone: usize = changes.iter().map(|change| (change.span.end - change.span.start) as usize).sum();
    let left = || {
        let mut at = 0;
        let mut out = String::new();
        for change in changes {
            out.push_str(&script.text()[at..change.span.start as usize]);
            out.push_str(&change.text);
            at = change.span.end as usize;
        }
        out + &script.text()[at..]
    };
    gone > 0 && left().trim().is_empty()
}

/// Whether two spans share a byte.
fn meets(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// Specialises all files.
fn specialise(step: &Transport, files: &dyn Files, world: &World, modern: bool) -> Result<Rendered, Refused> {
    let handlers = |wanted: &dyn Fn(&Route) -> bool| -> FxHashSet<world::Function> {
        let routes = step.routes.iter().filter(|route| wanted(route));
        routes.flat_map(|route| &route.handlers).filter_map(|site| Some((world.unit(&site.path)?, site.span))).collect()
    };
    // What other methods run is replaced: these functions run for POST alone.
    let mut post = handlers(&|route| serves(route) != Serves::Gone && !routes::is_node(route));
    post.extend(hooks::of_post(step, world));
    let post = world.with_called(post, &handlers(&|route| serves(route) == Serves::Gone));
    let node = handlers(&|route| routes::is_node(route));
    let run = |other| Machine::run_all(world, &Methods { post: post.clone(), other });
    let before = Machine::run_blind(world, &Methods::default());
    let mut fold = Fold::new(world, run(None), before);
    fold.modern = modern;
    fold.node_handlers.clone_from(&node);
    let mut regions = Ok(());
    if !node.is_empty() {
        let [posted, got, deleted] = ["POST", "GET", "DELETE"].map(|method| run(Some((node.clone(), method))));
        fold.decided_for_post = posted.decided;
        fold.by_method = [posted.reached, got.reached, deleted.reached];
        regions = fold.node_regions(step);
    }
    let removed = [regions, fold.without_sse(step)];
    fold.unannounce(step);
    let folded = [fold.heard_by_logs_alone(), fold.run(), fold.lost_at_end(), fold.routes(step)];
    fold.unhook(step);
    fold.node_helpers(step);
    let set_up = fold.set_up(&|unit| {
        let script = &world.units[unit].script;
        Project::of(files, &script.path).generator(script.typed())
    });
    let shared = [set_up, fold.own_slots(step), fold.shared_servers(step, files)];
    fold.hooks(step);
    let (mut imports, counted) = match fold.requests_in_flight(step) {
        Ok(imports) => (imports, Ok(())),
        Err(refused) => (FxHashMap::default(), Err(refused)),
    };
    let stopped = all(removed.into_iter().chain(folded).chain(shared).chain([counted]));
    fold.tidy(step);
    fold.merge_variables()?;
    fold.tidy(step);
    fold.empty_lists();
    fold.tidy(step);
    fold.node_guards(step)?;
    fold.allowed_methods(step);
    fold.close_servers(&|unit, response, server| {
        let style = &world.units[unit].script.style;
        Entry { style, framework: Framework::Node, request: "", response, types: None }.close(server)
    })?;
    fold.tell_sse();
    let serves = fold.serves_still(step);
    if !modern {
        fold.close_returned();
    }
    let mut out = Rendered { notes: std::mem::take(&mut fold.notes), ..Rendered::default() };
    let edits = fold.edits.clone();
    let elsewhere = std::mem::take(&mut fold.elsewhere);
    let mut lists = Rendered::default();
    if let Some(unit) = world.units.first() {
        header_list::without_session_id(&unit.script, files, &step.header_lists, &mut lists)?;
    }
    let gone = fold.paths_of_sse(step);
    let mut changes: Vec<Vec<Change>> = Vec::new();
    let mut unclear = Vec::new();
    for (edits, unit) in edits.into_iter().zip(&world.units) {
        let mut own = edits.finish(&unit.script);
        own.extend(imports.remove(&unit.script.path).unwrap_or_default());
        let listed = lists.changes.iter().filter(|change| change.path == unit.script.path);
        let apart: Vec<Change> =
            listed.filter(|change| !own.iter().any(|other| meets(other.span, change.span))).cloned().collect();
        own.extend(apart);
        let settled = union::united(edits::settled(&unit.script, prune(&unit.script, own)));
        let (settled, lines) = comments::revised(unit, settled, modern, &gone);
        // What becomes of them with the handler of the second SDK is seen then.
        unclear.extend(comments::note(&unit.script, &lines).filter(|_| !modern));
        let unread = properties::unread(&unit.script, &settled);
        let mut all = [settled, unread].concat();
        all.sort_by_key(|change| (change.span.start, change.span.end));
        changes.push(all);
    }
    let left = fold.left(&changes, stopped.as_ref().err());
    let answered = answered::check(world, &changes);
    match stopped {
        // The rest may be of its making.
        Err(_) => all([stopped, left, answered])?,
        Ok(()) => all([serves, left, carried::check(world, &changes), answered])?,
    }
    let loses = world.units.iter().zip(&changes).any(|(unit, own)| leftovers::loses_comment(&unit.script, own));
    if loses {
        out.notes.push("Comments about sessions go with the code that they stood at.".to_owned());
    }
    out.notes.extend(unclear);
    out.level = (!out.notes.is_empty()).then_some(Level::Review);
    // What is new in the code is told; it changes no tool and asks for no decision.
    let mut told = Vec::new();
    if !modern {
        for (own, unit) in changes.iter_mut().zip(&world.units) {
            let uncaught = |route: &Route| {
                route.at.path == unit.script.path
                    && routes::framework(route, &unit.script).is_ok_and(|known| known == Framework::Express)
            };
            if step.routes.iter().any(uncaught)
                && !Project::of(files, &unit.script.path).express_catches()
                && let Some(changes) = guard::changes(&unit.script, own)
            {
                *own = changes;
                told.push(guard::NOTE);
            }
        }
    }
    for (own, unit) in changes.iter_mut().zip(&world.units) {
        if emptied(&unit.script, own) {
            own.iter_mut().skip(1).for_each(|change| change.text.clear());
            let end = if unit.script.style.semicolons { ";" } else { "" };
            own[0].text = format!("export {{}}{end}{}", unit.script.style.newline);
            out.notes.push(format!("Nothing is left in {}: it can be deleted.", unit.script.path));
            out.level = Some(Level::Review);
        }
    }
    out.notes.extend(probed(step, world, files));
    out.changes = changes.concat();
    out.changes.extend(elsewhere);
    out.changes.extend(lists.changes.into_iter().filter(|change| world.unit(&change.path).is_none()));
    told.extend(fold.drains.then_some(in_flight::DRAINS));
    told.dedup();
    out.notes.extend(told.into_iter().map(str::to_owned));
    Ok(out)
}
