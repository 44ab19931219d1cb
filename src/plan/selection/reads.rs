//! Who reads a choice: the tools, the functions between them and the choice, and those that do nothing but answer it.

use rustc_hash::FxHashSet;

use super::does::Looked;
use super::setter::{Way, region, tool_of, ways};
use super::slots::{Slot, Use, stop};
use super::{Drop, Read};
use crate::model::facts::{AssignKind, Choice, ExprKind};
use crate::model::flow::{Edge, Root};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::plan::handle::{Carries, Problem, ToolUse, follow_reads, home};
use crate::plan::{Site, site};
use crate::rules::detect::{Context, Spot};

/// What the reads of a choice come to.
pub struct Uses {
    /// Tools that only clear it or tell it.
    pub idle: Vec<ToolUse>,
    /// Functions that only answer it, and those that only tools call which go.
    pub spent: Vec<Site>,
    /// Functions that need it.
    pub carriers: Vec<Carries>,
    /// Where it is read.
    pub reads: Vec<Read>,
    /// Tools that read it.
    pub tools: Vec<ToolUse>,
    /// Tools that only mark it.
    pub marking: Vec<ToolUse>,
    /// Where it is cleared in code that stays.
    pub drops: Vec<Drop>,
}

/// Follows the reads of a choice.
pub fn of(context: &Context<'_, '_>, slot: &Slot<'_>, setter: &ToolUse) -> Result<Uses, Problem> {
    let (uses, answerers) = answered(context, slot);
    let idle = idle(context, slot, &uses, setter)?;
    let gone: Vec<String> = idle.iter().chain([setter]).map(|tool| tool.name.clone()).collect();
    let goes = |at: ExprRef| only_in(context, at, &gone);
    let mut spent = answerers;
    let written = slot.writes.iter().map(|written| written.at);
    for at in uses.iter().map(|used| used.at).chain(slot.drops.iter().copied()).chain(written).filter(|at| goes(*at)) {
        let between = ways(context, at).into_iter().flat_map(|way| way.links.into_iter().skip(1));
        spent.extend(between.map(|(func, _)| func));
    }
    spent.sort_unstable();
    spent.dedup();
    let kept: Vec<Use> = uses.into_iter().filter(|used| !goes(used.at)).collect();
    let (marks, real): (Vec<Use>, Vec<Use>) = kept.into_iter().partition(|used| is_mark(context, slot, used.at));
    let followed = follow_reads(
        context,
        slot.found,
        &real.iter().map(|used| (used.at, used.key)).collect::<Vec<(ExprRef, Option<ExprRef>)>>(),
    );
    let (followed, carriers) = followed;
    if let Some(problem) = followed.problems.into_iter().next() {
        return Err(problem);
    }
    if let Some(outside) = followed.outside.first() {
        return Err(Problem {
            at: outside.at.clone(),
            why: "it is read here, where no tool is called".to_owned(),
            todo: "take this code out, and run again".to_owned(),
        });
    }
    let place = |at: ExprRef| site(context, context.spot(at));
    let read = |used: &Use, carrier| Read { at: place(used.at), carrier, asks: used.asks };
    let mut reads: Vec<Read> = real.iter().zip(carriers).map(|(used, carrier)| read(used, carrier)).collect();
    reads.extend(marks.iter().map(|used| read(used, None)));
    let tools = tools(context, real.iter().map(|used| used.at), &gone)?;
    if tools.is_empty() {
        return Err(stop(context, slot.found, "no tool was seen to read it"));
    }
    let known: Vec<String> = gone.iter().cloned().chain(tools.iter().map(|tool| tool.name.clone())).collect();
    let marking = self::tools(context, marks.iter().map(|used| used.at), &known)?;
    let spot = |func: &FuncRef| Spot { module: func.module, span: context.analysis.flow.program.function(*func).span };
    Ok(Uses {
        idle,
        spent: spent.iter().map(|func| site(context, spot(func))).collect(),
        carriers: followed.carriers,
        reads,
        tools,
        marking,
        drops: slot.drops.iter().filter(|at| !goes(**at)).map(|at| dropped(context, *at)).collect(),
    })
}

/// Whether only tools that go lead to a place, and no other code.
fn only_in(context: &Context<'_, '_>, at: ExprRef, gone: &[String]) -> bool {
    let flow = &context.analysis.flow;
    let ways = ways(context, at);
    let by_tools = |func: &FuncRef| {
        let handler = flow.roots.get(func).is_some_and(|roots| roots.contains(&Root::Handler));
        let mut callers = flow.callers.get(func).into_iter().flatten();
        handler || callers.all(|(caller, _, _)| context.analysis.lives.handler_reach.contains(&home(flow, *caller)))
    };
    !ways.is_empty()
        && ways.iter().all(|way| gone.iter().any(|name| way.tool == *name.as_str()))
        && ways.iter().flat_map(|way| &way.links).all(|(func, _)| by_tools(func))
}

fn dropped(context: &Context<'_, '_>, at: ExprRef) -> Drop {
    let flow = &context.analysis.flow;
    let around = home(flow, flow.program.func_of(at));
    let callers = flow.callers.get(&around).into_iter().flatten();
    let mut calls: Vec<ExprRef> = callers.filter(|(_, _, edge)| *edge == Edge::Call).map(|(_, at, _)| *at).collect();
    calls.sort_unstable();
    let place = |at: ExprRef| site(context, context.spot(at));
    Drop { at: place(at), calls: calls.into_iter().map(place).collect() }
}

/// The tools that lead to places, those left out that go.
fn tools(
    context: &Context<'_, '_>,
    places: impl Iterator<Item = ExprRef>,
    gone: &[String],
) -> Result<Vec<ToolUse>, Problem> {
    let mut out: Vec<ToolUse> = Vec::new();
    for way in places.flat_map(|at| ways(context, at)) {
        let known = out.iter().any(|tool| tool.name == way.tool.text());
        if !known && !gone.iter().any(|name| way.tool == *name.as_str()) {
            out.push(tool_of(context, &way)?);
        }
    }
    out.sort_by(|a, b| (&a.registration, &a.entry).cmp(&(&b.registration, &b.entry)));
    Ok(out)
}

/// The reads, where a call of a function that does nothing but answer the choice counts as one; and those functions.
fn answered(context: &Context<'_, '_>, slot: &Slot<'_>) -> (Vec<Use>, Vec<FuncRef>) {
    let flow = &context.analysis.flow;
    let (mut uses, mut found) = (slot.reads.clone(), Vec::new());
    for _ in 0..8 {
        let homes: FxHashSet<FuncRef> = uses.iter().map(|used| home(flow, flow.program.func_of(used.at))).collect();
        let mut homes: Vec<FuncRef> = homes.into_iter().collect();
        homes.sort_unstable();
        let next = homes
            .into_iter()
            .find(|func| Some(*func) != slot.scope && answers_only(context, *func, &uses, &slot.records));
        let Some(func) = next else { break };
        found.push(func);
        uses.retain(|used| home(flow, flow.program.func_of(used.at)) != func);
        let mut callers: Vec<_> = flow.callers.get(&func).into_iter().flatten().copied().collect();
        callers.sort_unstable();
        for (_, call, _) in callers {
            let ExprKind::Call { args, .. } = flow.program.kind(call) else { continue };
            let args = args.iter().map(|arg| At { module: call.module, id: arg.value });
            let key = args.clone().find(|arg| flow.is_id(*arg)).or_else(|| args.clone().next());
            uses.push(Use { at: call, key, asks: false });
        }
    }
    (uses, found)
}

/// Whether a function answers the choice, and does nothing else but check that there is one or guess one.
fn answers_only(context: &Context<'_, '_>, func: FuncRef, uses: &[Use], records: &[ExprRef]) -> bool {
    let flow = &context.analysis.flow;
    let handler = flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::Handler));
    let callers = flow.callers.get(&func).map_or(0, |callers| callers.len());
    let called = callers > 0
        && flow.callers[&func]
            .iter()
            .all(|(_, at, edge)| *edge == Edge::Call && matches!(flow.program.kind(*at), ExprKind::Call { .. }));
    let returns = &flow.program.function(func).returns;
    if handler || !called || returns.is_empty() {
        return false;
    }
    let own: Vec<ExprRef> = uses.iter().map(|used| used.at).collect();
    let looked = Looked::at(context, func, &[own.as_slice(), records].concat());
    let mut any = false;
    let all = returns.iter().all(|id| {
        let at = At { module: func.module, id: *id };
        let is = is_choice(context, at, &own, 8);
        any |= is;
        is || matches!(flow.program.kind(at), ExprKind::Absent)
    });
    any && all && looked.more().is_none()
}

/// Whether an expression is the choice: a read, a variable that holds one, either of them before a guess.
fn is_choice(context: &Context<'_, '_>, at: ExprRef, own: &[ExprRef], depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if own.contains(&at) {
        return true;
    }
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    let inner = |id| At { module: at.module, id };
    match facts.kind(at.id) {
        ExprKind::Cast { value, .. } => is_choice(context, inner(*value), own, depth),
        ExprKind::Either { arms, choice: Choice::Coalesce, .. } => {
            arms.first().is_some_and(|arm| is_choice(context, inner(*arm), own, depth))
        }
        ExprKind::Symbol(id) => {
            let values = assigned(context, At { module: at.module, id: *id });
            values.first().is_some_and(|first| is_choice(context, *first, own, depth))
        }
        _ => false,
    }
}

/// What a variable is given.
fn assigned(context: &Context<'_, '_>, symbol: SymbolRef) -> Vec<ExprRef> {
    let facts = context.analysis.flow.program.module(symbol.module);
    let value = |id| match facts.kind(id) {
        ExprKind::Assign { target, value, .. } => {
            matches!(facts.kind(*target), ExprKind::Symbol(known) if *known == symbol.id).then_some(*value)
        }
        _ => None,
    };
    facts.expr_ids().filter_map(value).map(|id| At { module: symbol.module, id }).collect()
}

/// Tools that do nothing but clear the choice, or tell it.
fn idle(context: &Context<'_, '_>, slot: &Slot<'_>, uses: &[Use], setter: &ToolUse) -> Result<Vec<ToolUse>, Problem> {
    let own: Vec<ExprRef> = uses.iter().map(|used| used.at).chain(slot.drops.iter().copied()).collect();
    let reached: Vec<Way> = own.iter().flat_map(|at| ways(context, *at)).collect();
    let mut seen: Vec<Name> = Vec::new();
    let mut out = Vec::new();
    for way in &reached {
        if seen.contains(&way.tool) || way.tool == *setter.name.as_str() {
            continue;
        }
        seen.push(way.tool);
        let leads: Vec<ExprRef> =
            reached.iter().filter(|other| other.tool == way.tool).map(|other| other.links[0].1).collect();
        let leads = [leads.as_slice(), &slot.records].concat();
        // What a function makes of the choice is more than the choice.
        let made = uses
            .iter()
            .flat_map(|used| ways(context, used.at))
            .any(|other| other.tool == way.tool && other.links.len() > 1);
        if made {
            continue;
        }
        let handler = way.links[0].0;
        let looked = Looked::in_region(context, handler, region(context, way), &leads);
        let between = reached.iter().filter(|other| other.tool == way.tool).flat_map(|other| &other.links[1..]);
        let plain = between.into_iter().all(|(func, at)| {
            let own: Vec<ExprRef> = slot.records.iter().copied().chain([*at]).collect();
            Looked::at(context, *func, &own).more().is_none()
        });
        if plain && looked.more().is_none() && looked.tells().is_none() && looked.answers() {
            out.push(tool_of(context, way)?);
        }
    }
    Ok(out)
}

/// Whether a read only marks an item of a list, or decides whether the choice is to be cleared.
fn is_mark(context: &Context<'_, '_>, slot: &Slot<'_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    let Some(parent) = facts.expr(flow.outermost(at).id).parent else { return false };
    match facts.kind(parent) {
        ExprKind::Compare { .. } => is_shown(context, slot, At { module: at.module, id: parent }),
        ExprKind::Assign { target, kind: AssignKind::Init, .. } => {
            let ExprKind::Symbol(symbol) = facts.kind(*target) else { return false };
            let symbol = At { module: at.module, id: *symbol };
            let uses: Vec<ExprRef> = flow.uses(symbol).filter(|used| used.id != *target).collect();
            !uses.is_empty() && uses.iter().all(|used| is_mark(context, slot, *used))
        }
        _ => false,
    }
}

/// Whether a comparison decides nothing but a word in an answer, or a clearing.
fn is_shown(context: &Context<'_, '_>, slot: &Slot<'_>, compared: ExprRef) -> bool {
    let program = context.analysis.flow.program;
    let facts = program.module(compared.module);
    let span = facts.expr(compared.id).span;
    let clears = facts.branches.iter().any(|branch| {
        branch.condition == compared.id
            && slot
                .drops
                .iter()
                .any(|drop| drop.module == compared.module && branch.then.contains(facts.expr(drop.id).span))
    });
    if clears {
        return true;
    }
    let Some(parent) = facts.expr(compared.id).parent else { return false };
    match facts.kind(parent) {
        ExprKind::Either { condition, arms, .. } => {
            *condition == Some(compared.id)
                && arms.iter().all(|arm| {
                    matches!(
                        facts.kind(*arm),
                        ExprKind::Text(_) | ExprKind::Template(_) | ExprKind::Literal | ExprKind::Absent
                    )
                })
                && span.end > span.start
        }
        _ => false,
    }
}
