//! The functions that a handle passes through, from the tools down to the accesses.

mod callers;
mod carried;
mod followed;

use rustc_hash::FxHashMap;

pub use followed::{Followed, HandlerUse, Problem};

use super::fields;
use super::trace::{Origin, home, origin, plain_parameter};
use super::{Carries, Entry, Outside, Touch};
use crate::classify::access::{Access, Kind};
use crate::classify::answer::KeyedBy;
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, TOP};
use crate::model::flow::{Edge, Root};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef};
use crate::plan::{Site, site};
use crate::rules::detect::{Context, Spot};

pub(super) struct Follower<'c, 'a, 'p> {
    pub(super) context: &'c Context<'a, 'p>,
    found: &'c Found,
    companions: &'c [&'c Found],
    companion: bool,
    /// The id may be handed on to callbacks, and to the functions of tools.
    hands: bool,
    /// Resources may take the handle as well, in their URI.
    in_uri: bool,
    /// The keys are objects that stand for a session: the server that was made for it.
    by_object: bool,
    /// Getters become methods that take the handle.
    getters: bool,
    /// One handler may serve several tools, each of which it is made for.
    curried: bool,
    pub(super) known: FxHashMap<FuncRef, usize>,
    /// Calls that hand the id to callbacks and bodies of tools, with the position of the argument.
    pub(super) handed: Vec<(ExprRef, usize)>,
    pub(super) out: Followed,
}

/// Follows the keys of a store.
pub fn follow(context: &Context<'_, '_>, found: &Found, companions: &[&Found]) -> Followed {
    accesses(Follower::new(context, found, companions), found, companions)
}

/// The same, also where callbacks and the functions of tools are handed the id by what calls them.
pub fn follow_handed(context: &Context<'_, '_>, found: &Found, companions: &[&Found]) -> Followed {
    let mut follower = Follower::new(context, found, companions);
    follower.hands = true;
    accesses(follower, found, companions)
}

/// The same for stores that stay as they are, all of them keyed by one handle.
pub fn follow_keyed(context: &Context<'_, '_>, stores: &[&Found]) -> Followed {
    let Some((main, others)) = stores.split_first() else { unreachable!("stores of one group") };
    let mut follower = Follower::new(context, main, others);
    follower.hands = true;
    follower.curried = true;
    follower.companion = true;
    for access in stores.iter().flat_map(|found| super::registry::uses(context, found)) {
        follower.access(&access);
    }
    follower.settled()
}

fn accesses(mut follower: Follower<'_, '_, '_>, found: &Found, companions: &[&Found]) -> Followed {
    for access in &found.uses {
        follower.access(access);
    }
    follower.companion = true;
    for access in companions.iter().flat_map(|companion| &companion.uses) {
        follower.access(access);
    }
    follower.settled()
}

/// Follows uses of variables that functions keep for what they register, each with its function, to the tools and resources that make
/// them.
pub fn follow_captured(context: &Context<'_, '_>, found: &Found, uses: &[(FuncRef, ExprRef)]) -> Followed {
    let mut follower = Follower::new(context, found, &[]);
    follower.in_uri = true;
    for (scope, at) in uses {
        follower.captured(*scope, *at);
    }
    follower.out
}

/// Follows uses of fields of a class that is made for each session, to the tools that its methods register.
pub fn follow_fields(context: &Context<'_, '_>, found: &Found, class: ClassRef, uses: &[ExprRef]) -> Followed {
    let mut follower = Follower::new(context, found, &[]);
    follower.in_uri = true;
    follower.getters = true;
    for at in uses {
        let func = home(&context.analysis.flow, context.analysis.flow.program.func_of(*at));
        if fields::is_of(context, class, func) && follower.is_called_by_tools(func) {
            follower.need(func, &Origin::Ambient(func), *at);
        } else {
            let why = "the field is used where no tool is called";
            follower.problem(*at, why, "take it out there, or let a tool do it");
        }
    }
    follower.out
}

/// Follows places that read something by a session's id, or without one, to the tools that lead there; with the carrier of each.
pub fn follow_reads(
    context: &Context<'_, '_>,
    found: &Found,
    reads: &[(ExprRef, Option<ExprRef>)],
) -> (Followed, Vec<Option<usize>>) {
    let mut follower = Follower::new(context, found, &[]);
    let carriers = reads.iter().map(|(at, key)| follower.read(*at, *key)).collect();
    (follower.out, carriers)
}

impl<'c, 'a, 'p> Follower<'c, 'a, 'p> {
    fn new(context: &'c Context<'a, 'p>, found: &'c Found, companions: &'c [&'c Found]) -> Self {
        let out = Followed {
            carriers: Vec::new(),
            funcs: Vec::new(),
            touches: Vec::new(),
            outside: Vec::new(),
            handlers: Vec::new(),
            resources: Vec::new(),
            sheds: Vec::new(),
            carried: Vec::new(),
            problems: Vec::new(),
        };
        Self {
            context,
            found,
            companions,
            companion: false,
            hands: false,
            in_uri: false,
            by_object: found.keyed_by == KeyedBy::SessionObject,
            getters: false,
            curried: false,
            known: FxHashMap::default(),
            handed: Vec::new(),
            out,
        }
    }

    /// What was found, once all accesses are followed.
    fn settled(mut self) -> Followed {
        self.out.sheds = self.sheds();
        let sheds_all = self.sheds_all();
        let mut leading = self.out.handlers.iter().filter_map(|used| used.body.as_ref()?.leading.clone());
        if let Some(at) = leading.find(|_| !sheds_all) {
            self.out.problems.push(Problem {
                at,
                why: "the tool is handed the id before its arguments, and something else needs it as well".to_owned(),
                todo: "let tools take their arguments first".to_owned(),
            });
        }
        self.out
    }

    fn captured(&mut self, scope: FuncRef, at: ExprRef) {
        let program = self.context.analysis.flow.program;
        let func = home(&self.context.analysis.flow, program.func_of(at));
        if func == scope || !program.within(func, scope) {
            self.problem(
                at,
                "it is used where the server is built, and not only by its tools",
                "let only tools and the functions that they call use it",
            );
        } else if !self.is_called_by_tools(func) {
            self.problem(at, "code that no tool calls uses it", "take it out there, or let a tool do it");
        } else {
            self.need(func, &Origin::Ambient(func), at);
        }
    }

    /// A place that reads: its function takes what is read in the place of the key, or as a parameter of its own.
    fn read(&mut self, at: ExprRef, key: Option<ExprRef>) -> Option<usize> {
        let flow = &self.context.analysis.flow;
        let func = home(flow, flow.program.func_of(at));
        if !self.is_called_by_tools(func) {
            self.problem(at, "it is read here, where no tool is called", "take it out there, or let a tool do it");
            return None;
        }
        let how = key.map(|key| origin(flow, key));
        let own = how.filter(|how| matches!(how, Origin::Parameter { func: of, .. } if *of == func));
        self.need(func, &own.unwrap_or(Origin::Ambient(func)), at)
    }

    pub(super) fn site(&self, at: ExprRef) -> Site {
        site(self.context, self.context.spot(at))
    }

    pub(super) fn problem(&mut self, at: ExprRef, why: impl Into<String>, todo: impl Into<String>) {
        let at = self.site(at);
        self.out.problems.push(Problem { at, why: why.into(), todo: todo.into() });
    }

    fn access(&mut self, access: &Access) {
        let flow = &self.context.analysis.flow;
        // Beside another store it is a mark, which the handle gets.
        if access.kind == Kind::AddId && !self.companion {
            self.problem(access.at, "the session id itself is put into it", "decide what stands for the session here");
            return;
        }
        let traced = self.closed_over(access.func, access.key);
        let func = match traced.clone() {
            Origin::Parameter { func, .. } | Origin::Ambient(func) if !self.is_called_by_tools(func) => {
                self.outside(access);
                return;
            }
            Origin::Parameter { func, .. } | Origin::Ambient(func) => func,
            Origin::Unclear(_) if !self.is_called_by_tools(home(flow, access.func)) => {
                self.outside(access);
                return;
            }
            Origin::Unclear(at) => {
                self.problem(at, "where this key comes from can't be followed", "pass the handle to it by hand");
                return;
            }
        };
        let Some(carrier) = self.need(func, &traced, access.key) else { return };
        let touch = Touch {
            at: self.site(access.at),
            key: self.site(access.key),
            receiver: self.site(access.receiver),
            kind: access.kind,
            value: access.value.map(|at| self.site(at)),
            carrier,
            companion: self.companion,
        };
        self.out.touches.push(touch);
    }

    /// Where an id comes from that a function uses. A tool that closes over the id which the function around it was handed needs that
    /// no more, and neither does that function.
    pub(super) fn closed_over(&mut self, user: FuncRef, id: ExprRef) -> Origin {
        let flow = &self.context.analysis.flow;
        let traced = self.origin(id);
        if self.by_object {
            return traced;
        }
        let Origin::Parameter { func, index, whole: true } = traced else { return traced };
        let own = home(flow, user);
        let captured = own != func
            && flow.program.within(own, func)
            && !self.is_called_by_tools(func)
            && self.is_called_by_tools(own)
            && matches!(flow.program.kind(id), ExprKind::Symbol(_));
        if !captured {
            return traced;
        }
        let callers = flow.callers.get(&func).into_iter().flatten().filter(|(.., edge)| *edge == Edge::Call);
        let handed: Vec<(ExprRef, usize)> = callers.map(|(_, at, _)| (*at, index)).collect();
        self.handed.extend(handed);
        Origin::Ambient(own)
    }

    /// Where a key comes from. An object that functions close over is none that they are handed.
    fn origin(&self, key: ExprRef) -> Origin {
        let flow = &self.context.analysis.flow;
        let symbol = match flow.program.kind(key) {
            ExprKind::Symbol(id) if self.by_object => At { module: key.module, id: *id },
            _ => return origin(flow, key),
        };
        let declared = At { module: key.module, id: flow.program.symbol(symbol).func };
        let own = home(flow, flow.program.func_of(key));
        let params = &flow.program.function(declared).params;
        match params.iter().position(|param| param.symbol == symbol.id) {
            Some(index) if declared == own => Origin::Parameter { func: own, index, whole: true },
            _ if declared.id != TOP && declared != own && flow.program.within(own, declared) => Origin::Ambient(own),
            _ => Origin::Unclear(key),
        }
    }

    /// An access where no tool is called.
    fn outside(&mut self, access: &Access) {
        let flow = &self.context.analysis.flow;
        let around = home(flow, access.func);
        let by = |wanted: Edge| {
            let callers = flow.callers.get(&around).into_iter().flatten();
            let mut out: Vec<ExprRef> = callers.filter(|(.., edge)| *edge == wanted).map(|(_, at, _)| *at).collect();
            out.sort_unstable();
            out
        };
        let (calls, handed) = (by(Edge::Call), by(Edge::Callback));
        self.out.outside.push(Outside {
            at: self.site(access.at),
            kind: access.kind,
            value: access.value.map(|at| self.site(at)),
            direct: true,
            calls: calls.into_iter().map(|at| self.site(at)).collect(),
            handed: handed.into_iter().map(|at| self.site(at)).collect(),
            companion: self.companion,
        });
    }

    pub(super) fn is_called_by_tools(&self, func: FuncRef) -> bool {
        self.context.analysis.lives.handler_reach.contains(&func)
    }

    fn is_handler(&self, func: FuncRef) -> bool {
        self.context.analysis.flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::Handler))
    }

    /// The carrier for a function that needs the handle.
    fn need(&mut self, func: FuncRef, how: &Origin, at: ExprRef) -> Option<usize> {
        let body = if self.hands { self.body(func) } else { None };
        let dispatches_for =
            if self.hands && body.is_none() { self.context.analysis.dispatches_for(func) } else { None };
        let callback = match body.is_some() || dispatches_for.is_some() || !self.hands {
            true => None,
            false => self.callback(func, how),
        };
        let entry = match &callback {
            Some(callback) => {
                let given = callback.given.iter().map(|at| self.site(*at)).collect();
                Entry::Closure { at: callback.at.clone(), within: usize::MAX, given }
            }
            None if body.is_some() || dispatches_for.is_some() || self.is_handler(func) => Entry::Handler(Vec::new()),
            None => self.entry(func, how, at)?,
        };
        if let Some(index) = self.known.get(&func).copied() {
            if self.out.carriers[index].entry == entry || matches!(entry, Entry::Handler(_) | Entry::Closure { .. }) {
                return Some(index);
            }
            self.problem(at, "the id reaches this function in two ways", "let it take the handle in one");
            return None;
        }
        let facts = self.context.analysis.flow.program.function(func);
        let index = self.out.carriers.len();
        self.known.insert(func, index);
        self.out.funcs.push(func);
        self.out.carriers.push(Carries {
            function: site(self.context, Spot { module: func.module, span: facts.span }),
            name: facts.name.map(|name| name.text().to_owned()),
            entry: entry.clone(),
            calls: Vec::new(),
            handed: Vec::new(),
            ids: self.ids(func),
            shared: self.is_shared(func),
        });
        match (entry, callback, body) {
            (_, Some(callback), _) => {
                self.handed.extend(callback.given.iter().map(|call| (*call, callback.index)));
                let around = self.need(callback.around, &Origin::Ambient(callback.around), at)?;
                if let Entry::Closure { within, .. } = &mut self.out.carriers[index].entry {
                    *within = around;
                }
            }
            (_, None, Some(body)) => self.tool(body, how, at),
            (_, None, None) if let Some(handler) = dispatches_for => self.dispatch(func, handler, how, at),
            (Entry::Handler(_), ..) => self.handler(func, at),
            (entry @ Entry::Part { .. }, ..) => {
                if let Origin::Parameter { index: position, .. } = how {
                    self.packed(func, *position);
                }
                self.callers(func, index, &entry, how);
            }
            (entry, ..) => self.callers(func, index, &entry, how),
        }
        Some(index)
    }

    fn entry(&mut self, func: FuncRef, how: &Origin, at: ExprRef) -> Option<Entry> {
        let flow = &self.context.analysis.flow;
        match how {
            Origin::Parameter { index, whole, .. } => {
                if !plain_parameter(flow, func, *index) {
                    self.problem(at, "the id comes in a list of all arguments", "give it a parameter of its own");
                    return None;
                }
                let symbol = flow.program.function(func).params[*index].symbol;
                let span = flow.program.symbol(At { module: func.module, id: symbol }).span;
                let at = site(self.context, Spot { module: func.module, span });
                if let Some(parcel) = self.parcel(func, *index).filter(|_| !*whole && self.hands) {
                    return self.unpacked(at, &parcel);
                }
                Some(Entry::Parameter { index: *index, at, whole: *whole })
            }
            _ => Some(Entry::New),
        }
    }

    /// Expressions within a function that mean the session id.
    fn ids(&self, func: FuncRef) -> Vec<Site> {
        let flow = &self.context.analysis.flow;
        let facts = flow.program.module(func.module);
        let within = flow.program.function(func).span;
        let mut out: Vec<Site> = facts
            .expr_ids()
            .map(|id| At { module: func.module, id })
            .filter(|at| within.contains(facts.expr(at.id).span) && (flow.is_id(*at) || self.is_key(*at)))
            .map(|at| self.site(at))
            .collect();
        out.sort();
        out.dedup();
        out
    }

    /// Whether an object is used as a key here.
    fn is_key(&self, at: ExprRef) -> bool {
        self.by_object && self.found.uses.iter().any(|access| access.key == at)
    }

    /// Whether another store takes the id in a function as well.
    fn is_shared(&self, func: FuncRef) -> bool {
        let analysis = self.context.analysis;
        analysis
            .stores
            .iter()
            .filter(|other| {
                other.holder.span != self.found.holder.span
                    && !self.companions.iter().any(|own| own.holder.span == other.holder.span)
            })
            .any(|other| other.uses.iter().any(|access| analysis.flow.program.within(access.func, func)))
    }
}
