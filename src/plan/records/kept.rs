//! Where records are put into their table, taken out, and asked for.

use super::Written;
use super::parts::Parts;
use crate::classify::access::{Access, Kind};
use crate::classify::stores::Found;
use crate::model::facts::{AssignKind, ExprKind, Key};
use crate::model::program::{At, ExprRef};
use crate::plan::handle::{Problem, home, loose};
use crate::plan::site;
use crate::rules::detect::Context;

/// The accesses of a table that are more than look-ups.
pub struct Kept<'f> {
    /// Questions whether a record is there that tools ask.
    pub tests: Vec<&'f Access>,
    /// Records that are put in: the access, and the literal.
    writes: Vec<(&'f Access, ExprRef, bool)>,
}

impl<'f> Kept<'f> {
    /// Looks at all of them, and refuses what is none of these.
    pub fn of(context: &Context<'_, '_>, found: &'f Found, parts: &Parts) -> Result<Self, Problem> {
        let analysis = context.analysis;
        let by_tools = |at: ExprRef| {
            let func = home(&analysis.flow, analysis.flow.program.func_of(at));
            analysis.lives.handler_reach.contains(&func)
        };
        let stop = |at: ExprRef, why: &str, todo: &str| {
            let at = site(context, context.spot(at));
            Err(Problem { at, why: why.to_owned(), todo: todo.to_owned() })
        };
        let mut out = Self { tests: Vec::new(), writes: Vec::new() };
        for access in &found.uses {
            let tool = by_tools(access.at);
            match access.kind {
                Kind::Read => {}
                Kind::Test if tool => out.tests.push(access),
                Kind::Test => {}
                Kind::Delete if !tool => {}
                Kind::Delete => {
                    let todo = "let it drop the state alone, which needs a map of its own first";
                    return stop(access.at, "a tool ends the whole session here", todo);
                }
                Kind::Write => {
                    let value = access.value.and_then(|value| literal(context, value));
                    let Some(value) = value.filter(|value| !tool || Some(*value) == access.value) else {
                        let todo = "write it out as an object literal, and run again";
                        return stop(access.at, "what is put in here can't be taken apart", todo);
                    };
                    if let Err(at) = writes(context, parts, value, tool) {
                        return stop(at, "what is put in here can't be taken apart", "write its fields out");
                    }
                    out.writes.push((access, value, tool));
                }
                Kind::GetOrCreate | Kind::AddId => {
                    return stop(
                        access.at,
                        "the record is made where it is looked up",
                        "make it where the session begins",
                    );
                }
            }
        }
        let turned: Vec<ExprRef> = parts.mentions.iter().flat_map(|mentions| &mentions.tables).copied().collect();
        let mentions = loose(context, found);
        if let Some(at) = mentions.into_iter().find(|at| by_tools(*at) && !turned.contains(at)) {
            return stop(at, "a tool uses the whole table of sessions", "let tools use their own state alone");
        }
        match out.writes.iter().any(|(.., tool)| !tool) {
            true => Ok(out),
            false => {
                let at =
                    site(context, crate::rules::detect::Spot { module: found.holder.module, span: found.holder.span });
                let todo = "put it in where the session begins, and run again";
                Err(Problem { at, why: "no place was seen where a record is made".to_owned(), todo: todo.to_owned() })
            }
        }
    }

    /// Records that are put in, as places.
    pub fn written(&self, context: &Context<'_, '_>) -> Vec<Written> {
        let spot = |at: ExprRef| site(context, context.spot(at));
        let writes = self.writes.iter();
        writes
            .map(|(access, value, update)| Written {
                at: spot(access.at),
                key: spot(access.key),
                table: spot(access.receiver),
                value: spot(*value),
                update: *update,
            })
            .collect()
    }

    /// The tables that tools write to.
    pub fn updated(&self) -> impl Iterator<Item = ExprRef> + '_ {
        self.writes.iter().filter(|(.., update)| *update).map(|(access, ..)| access.receiver)
    }
}

/// The object literal that a value is: itself, or the one thing that a constant was given.
fn literal(context: &Context<'_, '_>, value: ExprRef) -> Option<ExprRef> {
    let facts = context.analysis.flow.program.module(value.module);
    match facts.kind(value.id) {
        ExprKind::Object(_) => Some(value),
        ExprKind::Cast { value: inner, .. } => literal(context, At { module: value.module, id: *inner }),
        ExprKind::Symbol(symbol) => {
            let mut given = facts.expr_ids().filter_map(|id| match facts.kind(id) {
                ExprKind::Assign { target, value, kind } => {
                    let own = matches!(facts.kind(*target), ExprKind::Symbol(known) if known == symbol);
                    own.then_some((*value, *kind))
                }
                _ => None,
            });
            let (first, kind) = given.next()?;
            let only = given.next().is_none() && kind == AssignKind::Init;
            let object = matches!(facts.kind(first), ExprKind::Object(_));
            (only && object).then_some(At { module: value.module, id: first })
        }
        _ => None,
    }
}

/// Whether the fields of what is put in can be told apart; else where not.
fn writes(context: &Context<'_, '_>, parts: &Parts, value: ExprRef, tool: bool) -> Result<(), ExprRef> {
    let ExprKind::Object(fields) = context.analysis.flow.program.kind(value) else { return Err(value) };
    for field in fields {
        let told = match &field.key {
            Key::Name(name) => !tool || parts.state.contains(name),
            Key::Spread => tool,
            Key::Computed(_) => false,
        };
        if !told {
            return Err(At { module: value.module, id: field.value });
        }
    }
    Ok(())
}
