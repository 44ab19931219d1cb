//! Where a choice is kept, and every place that reads, sets or clears it.

use super::Kept;
use super::setter::ways;
use crate::classify::access::Kind;
use crate::classify::answer::KeyedBy;
use crate::classify::lifetime::Held;
use crate::classify::stores::Found;
use crate::classify::words;
use crate::model::facts::{AssignKind, ExprKind};
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::plan::handle::{Problem, loose, made};
use crate::plan::site;
use crate::rules::detect::{Context, Spot};

/// A choice with its places.
pub struct Slot<'c> {
    /// The store that it is, or is a part of.
    pub found: &'c Found,
    /// Its name.
    pub name: Name,
    /// How it is kept.
    pub kept: Kept,
    /// Where it is read.
    pub reads: Vec<Use>,
    /// Where it is set.
    pub writes: Vec<Written>,
    /// Where it is cleared.
    pub drops: Vec<ExprRef>,
    /// The function whose variable it is.
    pub scope: Option<FuncRef>,
    /// Calls and look-ups that answer the record of which it is a part.
    pub records: Vec<ExprRef>,
}

/// A place that reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The access.
    pub at: ExprRef,
    /// The session id by which it finds the choice.
    pub key: Option<ExprRef>,
    /// It asks only whether there is a choice.
    pub asks: bool,
}

/// A place that sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The access.
    pub at: ExprRef,
    /// What is written.
    pub value: ExprRef,
}

impl<'c> Slot<'c> {
    /// The places of a store that remembers a choice.
    pub fn of(context: &Context<'_, '_>, found: &'c Found) -> Result<Self, Problem> {
        match (found.keyed_by, found.held) {
            (KeyedBy::SessionId, _) => Self::table(context, found),
            (KeyedBy::SessionLifetime, Some(Held::Variable)) => Self::variable(context, found),
            (KeyedBy::SessionLifetime, Some(Held::Field)) => Self::field(context, found),
            _ => Err(stop(context, found, "it is kept in a way that can't be followed")),
        }
    }

    fn new(found: &'c Found, kept: Kept) -> Self {
        let (reads, writes, drops, records) = Default::default();
        Self { found, name: found.name, kept, reads, writes, drops, scope: None, records }
    }

    /// A field of the records of a store, where it remembers a choice.
    pub fn part(
        context: &Context<'_, '_>,
        found: &'c Found,
        field: Name,
        readers: &[ExprRef],
        writers: &[ExprRef],
    ) -> Option<Self> {
        let flow = &context.analysis.flow;
        let mut out = Self::new(found, Kept::Part);
        out.name = field;
        let values: Vec<ObjId> = match found.keyed_by {
            KeyedBy::SessionId => found.objects.iter().flat_map(|id| context.analysis.element_objects(*id)).collect(),
            KeyedBy::SessionLifetime if found.held == Some(Held::Variable) => found.objects.clone(),
            _ => return None,
        };
        let is_record = |at: ExprRef| flow.objects_at(at).any(|id| values.contains(&id));
        let calls = flow.program.exprs().filter(|at| matches!(flow.program.kind(*at), ExprKind::Call { .. }));
        out.records = calls.filter(|at| is_record(*at)).collect();
        if found.keyed_by == KeyedBy::SessionLifetime {
            let symbol = found.holder.symbol?;
            out.scope = Some(At { module: symbol.module, id: flow.program.symbol(symbol).func });
        }
        for at in writers {
            out.place(context, *at).ok()?;
        }
        for at in readers.iter().filter(|at| !writers.contains(at)) {
            let key = (found.keyed_by == KeyedBy::SessionId).then_some(*at);
            out.reads.push(Use { at: *at, key, asks: false });
        }
        let chosen = |written: &Written| {
            let values = flow.at(written.value);
            values.iter().any(|value| matches!(value, Value::Argument(_)))
                && !values.iter().any(|value| matches!(value, Value::Object(_)))
        };
        let tools = out.writes.iter().flat_map(|written| ways(context, written.at)).map(|way| way.tool);
        let named = words::is_selection(field.text()) || tools.into_iter().any(|tool| words::is_choosing(tool.text()));
        let choice = !out.writes.is_empty() && !out.reads.is_empty() && out.writes.iter().all(chosen) && named;
        choice.then_some(out)
    }

    fn table(context: &Context<'_, '_>, found: &'c Found) -> Result<Self, Problem> {
        if made(context.analysis, found).is_none() {
            return Err(stop(context, found, "it is kept outside of this program"));
        }
        let mut out = Self::new(found, Kept::Table);
        for access in &found.uses {
            match (access.kind, access.value) {
                (Kind::Read | Kind::GetOrCreate, _) => {
                    out.reads.push(Use { at: access.at, key: Some(access.key), asks: false });
                }
                (Kind::Test, _) => out.reads.push(Use { at: access.at, key: Some(access.key), asks: true }),
                (Kind::Write, Some(value)) => out.write(context, access.at, value),
                (Kind::Delete, _) => out.drops.push(access.at),
                _ => return Err(stop(context, found, "one of its uses is not known")),
            }
        }
        let declares =
            |at: &ExprRef| at.module == found.holder.module && context.spot(*at).span.contains(found.holder.span);
        if let Some(other) = loose(context, found).iter().find(|at| !declares(at)) {
            return Err(Problem {
                at: site(context, context.spot(*other)),
                why: "the table is used as a whole here".to_owned(),
                todo: "take this code out, and run again".to_owned(),
            });
        }
        Ok(out)
    }

    fn variable(context: &Context<'_, '_>, found: &'c Found) -> Result<Self, Problem> {
        let symbol = found.holder.symbol.ok_or_else(|| stop(context, found, "its declaration was not found"))?;
        let flow = &context.analysis.flow;
        let mut out = Self::new(found, Kept::Variable);
        out.scope = Some(At { module: symbol.module, id: flow.program.symbol(symbol).func });
        let uses: Vec<ExprRef> = flow.uses(symbol).collect();
        uses.into_iter().try_for_each(|at| out.place(context, at))?;
        Ok(out)
    }

    fn field(context: &Context<'_, '_>, found: &'c Found) -> Result<Self, Problem> {
        let flow = &context.analysis.flow;
        let module = found.holder.module;
        let facts = flow.program.module(module);
        let classes = flow.program.classes().filter(|class| class.module == module);
        let class = classes
            .into_iter()
            .find(|class| facts.class(class.id).fields.iter().any(|field| field.span == found.holder.span))
            .ok_or_else(|| stop(context, found, "its declaration was not found"))?;
        let mut out = Self::new(found, Kept::Field);
        let is_own = |object: ExprRef| match flow.program.kind(object) {
            ExprKind::This(of) => object.module == module && *of == Some(class.id),
            _ => flow.objects_at(object).any(|id| flow.object(id).class == Some(class)),
        };
        let uses: Vec<ExprRef> = flow
            .program
            .exprs()
            .filter(|at| match flow.program.kind(*at) {
                ExprKind::Member { object, name } => {
                    *name == found.name && is_own(At { module: at.module, id: *object })
                }
                _ => false,
            })
            .filter(|at| at.module != module || flow.program.expr(*at).span != found.holder.span)
            .collect();
        uses.into_iter().try_for_each(|at| out.place(context, at))?;
        Ok(out)
    }

    /// A mention of the variable or the field.
    fn place(&mut self, context: &Context<'_, '_>, at: ExprRef) -> Result<(), Problem> {
        let facts = context.analysis.flow.program.module(at.module);
        let parent = facts.expr(at.id).parent;
        match parent.map(|parent| facts.kind(parent)) {
            Some(ExprKind::Assign { target, kind: AssignKind::Init, .. }) if *target == at.id => {}
            Some(ExprKind::Assign { target, value, kind: AssignKind::Set }) if *target == at.id => {
                self.write(context, at, At { module: at.module, id: *value });
            }
            Some(ExprKind::Assign { target, kind: AssignKind::Update, .. }) if *target == at.id => {
                return Err(stop(context, self.found, "it is computed from its old value, so it is no mere choice"));
            }
            _ => self.reads.push(Use { at, key: None, asks: false }),
        }
        Ok(())
    }

    fn write(&mut self, context: &Context<'_, '_>, at: ExprRef, value: ExprRef) {
        let values = context.analysis.flow.at(value);
        let absent = !values.is_empty() && values.iter().all(|value| matches!(value, Value::Absent));
        let empty = matches!(context.analysis.flow.program.kind(value), ExprKind::Text(text) if text.text().is_empty());
        match absent || empty {
            true => self.drops.push(at),
            false => self.writes.push(Written { at, value }),
        }
    }
}

/// A refusal at the declaration.
pub fn stop(context: &Context<'_, '_>, found: &Found, why: &str) -> Problem {
    Problem {
        at: site(context, Spot { module: found.holder.module, span: found.holder.span }),
        why: why.to_owned(),
        todo: "let the tools that read it take the id as a required argument, and drop the tool that sets it"
            .to_owned(),
    }
}
