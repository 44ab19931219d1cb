//! How the entries of stores go that stay where they are: where a session ended, where a timer drops what is old, or with the handle.

use rustc_hash::FxHashSet;

use super::carriers::Problem;
use super::registry::{End, place_of, uses};
use super::trace::{Origin, origin};
use super::{Companion, Place, facts, limits, objects};
use crate::classify::access::Kind;
use crate::classify::stores::Found;
use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::Edge;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Op;
use crate::plan::{Site, site};
use crate::rules::detect::Context;

/// How the entries of stores go.
#[derive(Default)]
pub(super) struct Endings {
    /// By code that ran where a session ended, each with its place in the program.
    pub(super) ends: Vec<(End, ExprRef)>,
    /// By the containers, which lose the entry.
    pub(super) drops: Vec<Companion>,
    /// By timers, which have nothing to do any more.
    pub(super) sweeps: Vec<Site>,
    /// Where it is noted when a session was used last: nothing asks for that any more.
    pub(super) notes: Vec<Site>,
    /// The tables of such notes.
    pub(super) forgotten: Vec<Site>,
}

/// How the entries of stores go: by code that ran where a session ended, or, where there is none, by the containers that lose the
/// entry. Refuses stores whose entries would stay for ever, and other uses by code that no tool runs.
pub(super) fn endings(context: &Context<'_, '_>, stores: &[&Found]) -> Result<Endings, Problem> {
    let flow = &context.analysis.flow;
    let reach = &context.analysis.lives.handler_reach;
    let Endings { mut ends, mut drops, mut sweeps, mut notes, mut forgotten } = Endings::default();
    let mut timers: Vec<ExprRef> = Vec::new();
    let place = |at: ExprRef| site(context, context.spot(at));
    let beside = stores.first().map(|main| place_of(context, main));
    for found in stores {
        let mut ended = false;
        for access in uses(context, found) {
            // Up from the access, to the functions that no tool runs.
            let mut left = vec![(access.at, access.key)];
            let mut seen: FxHashSet<ExprRef> = FxHashSet::default();
            while let Some((at, key)) = left.pop() {
                if !seen.insert(at) {
                    continue;
                }
                let func = super::home(flow, flow.program.func_of(at));
                if objects::ends_session(context, at) {
                    ended = true;
                    if !ends.iter().any(|(end, _)| end.at == place(at)) {
                        ends.push((End { at: place(at), key: place(key) }, at));
                    }
                    continue;
                }
                if let Some(timer) = swept_in_place(context, at) {
                    timers.push(timer);
                    continue;
                }
                let calls: Vec<ExprRef> = flow
                    .callers
                    .get(&func)
                    .into_iter()
                    .flatten()
                    .filter(|(caller, _, edge)| *edge == Edge::Call && !reach.contains(caller))
                    .map(|(_, at, _)| *at)
                    .collect();
                if calls.is_empty() && !reach.contains(&func) {
                    return Err(Problem {
                        at: place(at),
                        why: "the state is used here, where no tool is called and no session ends".to_owned(),
                        todo: "let a tool do it, or do it where a session ends".to_owned(),
                    });
                }
                for call in calls {
                    let ExprKind::Call { args, .. } = flow.program.kind(call) else { continue };
                    let handed = args.iter().map(|arg| At { module: call.module, id: arg.value });
                    // What goes through all of them and drops what is old.
                    if let Some(timer) = timer(context, call).filter(|_| only_drops(context, func, key)) {
                        timers.push(timer);
                        continue;
                    }
                    let key = handed.into_iter().find(|arg| flow.is_id(*arg)).ok_or_else(|| Problem {
                        at: place(call),
                        why: "the state is used here, where no tool is called, and not by an id".to_owned(),
                        todo: "hand the id on as an argument".to_owned(),
                    })?;
                    left.push((call, key));
                }
            }
        }
        let here = beside.as_ref().is_some_and(|main| {
            main.path == place_of(context, found).path && facts::place(context, found) == Some(Place::Module)
        });
        let noted = last_use(context, found, &timers);
        let only_noted = !noted.is_empty();
        if only_noted {
            forgotten.push(place_of(context, found));
        }
        notes.extend(noted.into_iter().map(place));
        match super::groups::companion(context, found).filter(|_| here) {
            _ if ended || only_noted => {}
            Some(companion) => drops.push(companion),
            None => {
                return Err(Problem {
                    at: place_of(context, found),
                    why: "nothing is seen that drops what it keeps for a session".to_owned(),
                    todo: "write a function that drops it, and call it where a session ends".to_owned(),
                });
            }
        }
    }
    timers.sort_unstable();
    timers.dedup();
    sweeps.extend(timers.into_iter().map(place));
    Ok(Endings { ends, drops, sweeps, notes, forgotten })
}

/// The accesses of a table that says when each session was used last, where nothing but timers that go asks it.
fn last_use(context: &Context<'_, '_>, found: &Found, timers: &[ExprRef]) -> Vec<ExprRef> {
    let flow = &context.analysis.flow;
    let by_timer = |at: &ExprRef| {
        timers.iter().any(|timer| {
            timer.module == at.module && flow.program.expr(*timer).span.contains(flow.program.expr(*at).span)
        })
    };
    let asked =
        found.uses.iter().any(|access| !matches!(access.kind, Kind::Write | Kind::Delete) && !by_timer(&access.at));
    let beside = facts::place(context, found) == Some(Place::Module);
    if timers.is_empty()
        || !beside
        || asked
        || !limits::keeps_last_use(context, found)
        || !facts::loose(context, found).iter().all(by_timer)
    {
        return Vec::new();
    }
    found.uses.iter().map(|access| access.at).filter(|at| !by_timer(at)).collect()
}

/// Whether a key comes of going through the entries, in a function that does nothing but to drop some of them.
fn only_drops(context: &Context<'_, '_>, func: FuncRef, key: ExprRef) -> bool {
    const PLAIN: &[&str] = &["delete", "now", "entries", "keys", "values", "get", "has", "getTime", "valueOf"];
    let flow = &context.analysis.flow;
    let facts = flow.program.module(func.module);
    let handed = matches!(origin(flow, key), Origin::Parameter { .. });
    let within = |id: &ExprId| super::home(flow, At { module: func.module, id: facts.expr(*id).func }) == func;
    let is_global = |id: ExprId, name: &str| matches!(facts.kind(id), ExprKind::Global(known) if *known == *name);
    !handed
        && facts.expr_ids().filter(within).all(|id| match facts.kind(id) {
            ExprKind::Call { callee, .. } => match facts.kind(*callee) {
                ExprKind::Member { object, name } => {
                    PLAIN.contains(&name.text())
                        || matches!(facts.kind(*object), ExprKind::This(_))
                        || is_global(*object, "console")
                }
                _ => false,
            },
            ExprKind::Assign { target, .. } => matches!(facts.kind(*target), ExprKind::Symbol(_)),
            _ => true,
        })
}

/// The call of `setInterval` whose function goes through the entries, and does nothing but to drop some of them, where a use of the state
/// is the code that drops: `setInterval(() => { for (const [id, seen] of lastSeen) if (seen < limit) drop(id) }, 60_000)`.
fn swept_in_place(context: &Context<'_, '_>, at: ExprRef) -> Option<ExprRef> {
    const PLAIN: &[&str] = &["delete", "now", "entries", "keys", "values", "get", "has", "getTime", "valueOf"];
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    let own = flow.program.func_of(at);
    let timer = interval_of(context, own)?;
    let within = |id: &ExprId| flow.program.within(At { module: at.module, id: facts.expr(*id).func }, own);
    let told: Vec<_> = facts
        .expr_ids()
        .filter(within)
        .filter(|id| flow.performs(At { module: at.module, id: *id }, Op::Log))
        .map(|id| facts.expr(id).span)
        .collect();
    let drops = facts.expr_ids().filter(within).all(|id| match facts.kind(id) {
        ExprKind::Call { callee, .. } => {
            id == at.id
                || told.iter().any(|span| span.contains(facts.expr(id).span))
                || matches!(facts.kind(*callee), ExprKind::Member { name, .. } if PLAIN.contains(&name.text()))
        }
        ExprKind::Assign { target, .. } => matches!(facts.kind(*target), ExprKind::Symbol(_)),
        _ => true,
    });
    drops.then_some(timer)
}

/// The call of `setInterval` that does nothing but a call: `setInterval(() => store.sweep(), 60_000)`.
fn timer(context: &Context<'_, '_>, call: ExprRef) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(call.module);
    let own = flow.program.func_of(call);
    let runs_alone = flow.program.function(own).returns == [call.id]
        || facts.expr(call.id).parent.is_none()
            && facts
                .expr_ids()
                .filter(|id| facts.expr(*id).func == own.id)
                .all(|id| facts.expr(call.id).span.contains(facts.expr(id).span));
    interval_of(context, own).filter(|_| runs_alone)
}

/// The call of `setInterval` that is handed a function.
fn interval_of(context: &Context<'_, '_>, func: FuncRef) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(func.module);
    let mut calls = facts.expr_ids().map(|id| At { module: func.module, id });
    calls.find(|at| {
        let ExprKind::Call { callee, args } = facts.kind(at.id) else { return false };
        let interval = matches!(facts.kind(*callee), ExprKind::Global(name) if *name == "setInterval");
        let first = args.first().map(|arg| At { module: func.module, id: arg.value });
        interval && first.is_some_and(|first| flow.functions_at(first).eq([func]))
    })
}
