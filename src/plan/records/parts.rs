//! What each mention of a record is for: its state, what else it holds, or both.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::classify::access::{Access, Kind};
use crate::classify::stores::Found;
use crate::model::facts::{AssignKind, ExprId, ExprKind, Key};
use crate::model::flow::Edge;
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::model::vocabulary::Role;
use crate::plan::handle::{Problem, home, is_time, values};
use crate::plan::site;
use crate::rules::detect::Context;

/// What a record is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its state.
    State,
    /// What else it holds.
    Rest,
}

/// Mentions of records that are one and the same thing handed on.
#[derive(Default)]
pub struct Mentions {
    /// What they are for.
    pub part: Option<Part>,
    /// Fields that are used, and where.
    pub fields: Vec<(Name, ExprRef)>,
    /// Variables and parameters.
    pub symbols: Vec<SymbolRef>,
    /// Functions that answer them.
    pub functions: Vec<FuncRef>,
    /// The look-ups that they come from.
    pub reads: Vec<ExprRef>,
    /// Mentions of the table that they come from.
    pub tables: Vec<ExprRef>,
    /// They come from a loop over the table, or are handed to a callback of one.
    pub loops: bool,
    /// All mentions.
    pub all: Vec<ExprRef>,
}

/// All mentions of the records of a table.
pub struct Parts {
    /// Fields that hold state, in the order of the source.
    pub state: Vec<Name>,
    /// The mentions, as they belong together.
    pub mentions: Vec<Mentions>,
    /// Where tools note when a session was used last.
    pub ticks: Vec<ExprRef>,
    /// State that is read where the rest of a record is as well, with the look-up of its record.
    pub apart: Vec<(ExprRef, Access)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Expr(ExprRef),
    Symbol(SymbolRef),
    Answer(FuncRef),
}

pub(super) struct Linker<'c, 'a, 'p> {
    pub(super) context: &'c Context<'a, 'p>,
    pub(super) found: &'c Found,
    pub(super) records: FxHashSet<ObjId>,
    pub(super) leads: FxHashMap<Node, Node>,
    pub(super) fields: Vec<(Node, Name, ExprRef)>,
}

impl Parts {
    /// Finds out what every mention of a record is for.
    pub fn of(context: &Context<'_, '_>, found: &Found) -> Result<Self, Problem> {
        let records: FxHashSet<ObjId> = values(context.analysis, found).into_iter().collect();
        let mut linker = Linker { context, found, records, leads: FxHashMap::default(), fields: Vec::new() };
        linker.plain()?;
        let all: Vec<ExprRef> = linker.mentions();
        for at in &all {
            linker.link(*at)?;
        }
        let ticks = linker.ticks();
        let state = linker.state();
        if state.is_empty() {
            return Err(linker.stop(None, "no tool was seen to use a field of its records", KEEP));
        }
        linker.without_transport(&state)?;
        let mentions = linker.gathered(&all);
        linker.told(state, ticks, mentions)
    }

    /// The mentions that are for one part.
    pub fn of_kind(&self, part: Part) -> impl Iterator<Item = &Mentions> {
        self.mentions.iter().filter(move |mentions| mentions.part == Some(part))
    }
}

/// What to do where a record can't be taken apart.
pub(super) const KEEP: &str = "keep the state in a map of its own first; the transport goes with the sessions";

impl Linker<'_, '_, '_> {
    pub(super) fn stop(&self, at: Option<ExprRef>, why: &str, todo: &str) -> Problem {
        let holder = crate::rules::detect::Spot { module: self.found.holder.module, span: self.found.holder.span };
        let spot = at.map_or(holder, |at| self.context.spot(at));
        Problem { at: site(self.context, spot), why: why.to_owned(), todo: todo.to_owned() }
    }

    /// Refuses records that are more than literals: what a class does with its fields is not taken apart.
    fn plain(&self) -> Result<(), Problem> {
        let flow = &self.context.analysis.flow;
        let literal = |id: &ObjId| {
            let object = flow.object(*id);
            object.class.is_none() && object.role.is_none()
        };
        match !self.records.is_empty() && self.records.iter().all(literal) {
            true => Ok(()),
            false => Err(self.stop(None, "its records hold the transport as well, and are objects of a class", KEEP)),
        }
    }

    fn is_record(&self, at: ExprRef) -> bool {
        self.context.analysis.flow.objects_at(at).any(|id| self.records.contains(&id))
    }

    fn mentions(&self) -> Vec<ExprRef> {
        let program = self.context.analysis.flow.program;
        program
            .exprs()
            .filter(|at| !matches!(program.kind(*at), ExprKind::Object(_) | ExprKind::Assign { .. }))
            .filter(|at| self.is_record(*at))
            .collect()
    }

    pub(super) fn node(&self, at: ExprRef) -> Node {
        match self.context.analysis.flow.program.kind(at) {
            ExprKind::Symbol(symbol) => Node::Symbol(At { module: at.module, id: *symbol }),
            _ => Node::Expr(at),
        }
    }

    pub(super) fn root(&self, mut node: Node) -> Node {
        while let Some(next) = self.leads.get(&node) {
            node = *next;
        }
        node
    }

    fn join(&mut self, one: Node, other: Node) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.leads.insert(one, other);
        }
    }

    pub(super) fn access(&self, at: ExprRef) -> Option<&Access> {
        self.found.uses.iter().find(|access| access.at == at)
    }

    /// Where a mention leads.
    fn link(&mut self, at: ExprRef) -> Result<(), Problem> {
        let flow = &self.context.analysis.flow;
        let facts = flow.program.module(at.module);
        let own = self.node(at);
        let of = |id: ExprId| At { module: at.module, id };
        if let ExprKind::Call { .. } = facts.kind(at.id)
            && self.access(at).is_none()
        {
            self.answered(at)?;
        }
        let Some(parent) = facts.expr(at.id).parent else { return Ok(()) };
        let whole = |linker: &Self| {
            let why = "the whole record is used here, its transport and its state";
            Err(linker.stop(Some(at), why, "hand on what is needed of it, and run again"))
        };
        match facts.kind(parent) {
            ExprKind::Member { object, name } if *object == at.id => self.fields.push((own, *name, of(parent))),
            ExprKind::Assign { target, kind: AssignKind::Init | AssignKind::Set, .. } if *target == at.id => {
                // A slot of the table is written; what with, is told by the access.
                if self.access(at).is_none() && !matches!(own, Node::Symbol(_)) {
                    return whole(self);
                }
            }
            ExprKind::Assign { target, .. } if *target != at.id => match facts.kind(*target) {
                ExprKind::Symbol(symbol) => self.join(own, Node::Symbol(of_symbol(at, *symbol))),
                ExprKind::Index { .. } if self.is_written(at) => {}
                _ => return whole(self),
            },
            ExprKind::Cast { .. } => self.join(own, Node::Expr(of(parent))),
            ExprKind::Either { arms, .. } => {
                if arms.contains(&at.id) && self.is_record(of(parent)) {
                    self.join(own, Node::Expr(of(parent)));
                }
            }
            ExprKind::Return(_) => self.join(own, Node::Answer(flow.program.func_of(at))),
            ExprKind::Call { callee, .. } if *callee == at.id => return whole(self),
            ExprKind::Call { args, .. } => {
                if !self.is_written(at) {
                    let index = args.iter().position(|arg| arg.value == at.id && !arg.spread);
                    let index = match index {
                        Some(index) => index,
                        None => return whole(self),
                    };
                    self.handed(at, of(parent), index)?;
                }
            }
            ExprKind::Compare { .. } | ExprKind::Delete { .. } | ExprKind::Opaque(_) | ExprKind::Element { .. } => {}
            ExprKind::Object(fields) => {
                let spread = fields.iter().any(|field| field.value == at.id && matches!(field.key, Key::Spread));
                if !spread || !self.is_written(of(parent)) {
                    return whole(self);
                }
            }
            _ => return whole(self),
        }
        Ok(())
    }

    /// Whether an expression is what is put into the table.
    fn is_written(&self, at: ExprRef) -> bool {
        self.found.uses.iter().any(|access| access.kind == Kind::Write && access.value == Some(at))
    }

    /// A record as an argument.
    fn handed(&mut self, at: ExprRef, call: ExprRef, index: usize) -> Result<(), Problem> {
        let flow = &self.context.analysis.flow;
        let own = self.node(at);
        let caller = flow.program.func_of(call);
        let callees: Vec<FuncRef> = flow
            .edges
            .get(&caller)
            .into_iter()
            .flatten()
            .filter(|(_, place, edge)| *place == call && *edge == Edge::Call)
            .map(|(callee, ..)| *callee)
            .collect();
        if callees.is_empty() {
            let why = "the whole record is handed to code that is not seen here";
            return Err(self.stop(Some(at), why, "hand on what is needed of it, and run again"));
        }
        for callee in callees {
            let param = flow.program.function(callee).params.get(index);
            let Some(param) = param else {
                return Err(self.stop(Some(at), "how this function takes the record can't be told", KEEP));
            };
            let symbol = At { module: callee.module, id: param.symbol };
            self.join(own, Node::Symbol(symbol));
        }
        Ok(())
    }

    /// A record that a function answers.
    fn answered(&mut self, call: ExprRef) -> Result<(), Problem> {
        let callees = self.context.analysis.flow.callees(call);
        if callees.is_empty() {
            return Err(self.stop(Some(call), "which record this is can't be told", KEEP));
        }
        for callee in callees {
            self.join(Node::Expr(call), Node::Answer(callee));
        }
        Ok(())
    }

    pub(super) fn by_tools(&self, at: ExprRef) -> bool {
        let analysis = self.context.analysis;
        let func = home(&analysis.flow, analysis.flow.program.func_of(at));
        analysis.lives.handler_reach.contains(&func)
    }

    /// Takes out what tools note only to say when a session was used last: `session.lastSeen = Date.now()`. What becomes of the state
    /// keeps that by itself. Answers the assignments.
    fn ticks(&mut self) -> Vec<ExprRef> {
        let flow = &self.context.analysis.flow;
        let tick = |at: ExprRef| {
            let facts = flow.program.module(at.module);
            let parent = facts.expr(at.id).parent?;
            let ExprKind::Assign { target, value, kind: AssignKind::Set } = facts.kind(parent) else { return None };
            let alone = facts.expr(parent).parent.is_none();
            let time = is_time(self.context, At { module: at.module, id: *value });
            (*target == at.id && alone && time).then_some(At { module: at.module, id: parent })
        };
        let ours: Vec<(Name, ExprRef)> =
            self.fields.iter().filter(|(_, _, at)| self.by_tools(*at)).map(|(_, name, at)| (*name, *at)).collect();
        let only = |name: Name| ours.iter().filter(|(known, _)| *known == name).all(|(_, at)| tick(*at).is_some());
        let found: Vec<(ExprRef, ExprRef)> =
            ours.iter().filter(|(name, _)| only(*name)).filter_map(|(_, at)| Some((*at, tick(*at)?))).collect();
        self.fields.retain(|(_, _, at)| !found.iter().any(|(known, _)| known == at));
        found.into_iter().map(|(_, assign)| assign).collect()
    }

    /// The fields that tools use.
    fn state(&self) -> Vec<Name> {
        let analysis = self.context.analysis;
        let by_tools = |at: ExprRef| self.by_tools(at);
        let mut used: Vec<(ExprRef, Name)> =
            self.fields.iter().filter(|(_, _, at)| by_tools(*at)).map(|(_, name, at)| (*at, *name)).collect();
        // What a tool writes into a record, it has.
        for access in self.found.uses.iter().filter(|access| access.kind == Kind::Write && by_tools(access.at)) {
            let Some(value) = access.value else { continue };
            let ExprKind::Object(fields) = analysis.flow.program.kind(value) else { continue };
            used.extend(fields.iter().filter_map(|field| match field.key {
                Key::Name(name) => Some((value, name)),
                _ => None,
            }));
        }
        used.sort_unstable_by_key(|(at, _)| *at);
        let mut out: Vec<Name> = Vec::new();
        for (_, name) in used {
            if !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }

    /// Refuses state that is a transport or a server: tools then use the session itself.
    fn without_transport(&self, state: &[Name]) -> Result<(), Problem> {
        let flow = &self.context.analysis.flow;
        let session = |value: Value| {
            matches!(value, Value::Object(id) if matches!(
                flow.object(id).role,
                Some(Role::Transport | Role::SseTransport | Role::Server | Role::Response)
            ))
        };
        for record in &self.records {
            let mut fields = flow.fields(*record).into_iter();
            if let Some((name, _)) =
                fields.find(|(name, values)| state.contains(name) && values.iter().copied().any(session))
            {
                let why = format!("tools use `{name}` of the record, which is no state");
                return Err(self.stop(None, &why, "let tools use nothing but its state, and run again"));
            }
        }
        Ok(())
    }
}

pub(super) fn of_symbol(at: ExprRef, id: crate::model::facts::SymbolId) -> SymbolRef {
    At { module: at.module, id }
}
