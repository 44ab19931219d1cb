//! The functions that a handle passes through, from the tools down to the accesses.

use rustc_hash::FxHashMap;

use super::fields;
use super::trace::{Origin, home, origin, plain_parameter};
use super::{BodyUse, CallSite, Carries, Entry, Outside, Shed, Touch};
use crate::classify::access::{Access, Kind};
use crate::classify::answer::KeyedBy;
use crate::classify::stores::Found;
use crate::model::facts::{ExprId, ExprKind, TOP};
use crate::model::flow::{Edge, Registered, Root};
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, ExprRef, FuncRef};
use crate::plan::{Site, site};
use crate::rules::detect::{Context, Spot};

/// Something that can't be followed.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Where.
    pub at: Site,
    /// Why not.
    pub why: String,
    /// What to do.
    pub todo: String,
}

/// A handler that the handle enters by.
#[derive(Clone, Debug)]
pub struct HandlerUse {
    /// The handler.
    pub handler: FuncRef,
    /// The registering call.
    pub registration: ExprRef,
    /// Names of the tools that it serves here.
    pub tools: Vec<Name>,
    /// It serves several tools and tells them apart itself.
    pub dispatches: bool,
    /// It is a tool's own function, which what the SDK is given calls.
    pub body: Option<BodyUse>,
}

/// What was found by following the keys of a store.
pub struct Followed {
    /// Functions that the handle passes through.
    pub carriers: Vec<Carries>,
    /// The function of each of them.
    pub funcs: Vec<FuncRef>,
    /// Accesses in them.
    pub touches: Vec<Touch>,
    /// Accesses elsewhere.
    pub outside: Vec<Outside>,
    /// Handlers among the functions.
    pub handlers: Vec<HandlerUse>,
    /// Calls that register resources whose handlers are among the functions, with their handlers.
    pub resources: Vec<(FuncRef, ExprRef)>,
    /// Calls that handed the id on to functions which take the handle, or need neither.
    pub sheds: Vec<Shed>,
    /// What stopped it.
    pub problems: Vec<Problem>,
}

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
        let traced = self.closed_over(access);
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

    /// Where the key of an access comes from. A tool that closes over the id which the function around it was handed needs that no
    /// more, and neither does that function.
    fn closed_over(&mut self, access: &Access) -> Origin {
        let flow = &self.context.analysis.flow;
        let traced = self.origin(access.key);
        if self.by_object {
            return traced;
        }
        let Origin::Parameter { func, index, whole: true } = traced else { return traced };
        let own = home(flow, access.func);
        let captured = own != func
            && flow.program.within(own, func)
            && !self.is_called_by_tools(func)
            && self.is_called_by_tools(own)
            && matches!(flow.program.kind(access.key), ExprKind::Symbol(_));
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
        let callback = if body.is_some() || !self.hands { None } else { self.callback(func, how) };
        let entry = match &callback {
            Some(callback) => {
                let given = callback.given.iter().map(|at| self.site(*at)).collect();
                Entry::Closure { at: callback.at.clone(), within: usize::MAX, given }
            }
            None if body.is_some() || self.is_handler(func) => Entry::Handler(Vec::new()),
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
            (Entry::Handler(_), ..) => self.handler(func, at),
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

    fn callers(&mut self, func: FuncRef, index: usize, entry: &Entry, how: &Origin) {
        let flow = &self.context.analysis.flow;
        let mut callers: Vec<(FuncRef, ExprRef, Edge)> = flow
            .callers
            .get(&func)
            .into_iter()
            .flatten()
            .copied()
            .filter(|(_, _, edge)| *edge != Edge::Given)
            .collect();
        callers.sort_unstable();
        for (caller, at, edge) in callers {
            if edge == Edge::Callback {
                self.handed_over(func, caller, at, index, entry);
                continue;
            }
            self.call(caller, at, index, entry, how);
        }
    }

    /// `reply(show)`, where `show` takes nothing so far: it is called with the handle by a function in its place.
    fn handed_over(&mut self, func: FuncRef, caller: FuncRef, at: ExprRef, callee: usize, entry: &Entry) {
        let flow = &self.context.analysis.flow;
        let within = home(flow, caller);
        let named = match flow.program.kind(at) {
            ExprKind::Call { args, .. } => {
                let args = args.iter().map(|arg| At { module: at.module, id: arg.value });
                let mut own = args.filter(|arg| flow.functions_at(*arg).any(|own| own == func));
                own.next()
                    .filter(|arg| matches!(flow.program.kind(*arg), ExprKind::Symbol(_) | ExprKind::Member { .. }))
            }
            _ => None,
        };
        let bare = flow.program.function(func).params.is_empty() && *entry == Entry::New;
        let Some(named) = named.filter(|_| bare && self.is_called_by_tools(within)) else {
            self.problem(at, "the function is handed over as a value", "pass the handle to it by hand");
            return;
        };
        let Some(within) = self.need(within, &Origin::Ambient(within), at) else { return };
        let named = CallSite { at: self.site(named), within, argument: None };
        if !self.out.carriers[callee].handed.contains(&named) {
            self.out.carriers[callee].handed.push(named);
        }
    }

    fn call(&mut self, caller: FuncRef, at: ExprRef, callee: usize, entry: &Entry, how: &Origin) {
        let flow = &self.context.analysis.flow;
        let args = match flow.program.kind(at) {
            ExprKind::Call { args, .. } => args.as_slice(),
            ExprKind::Member { .. } if self.getters && *entry == Entry::New => &[],
            _ => {
                self.problem(at, "the function is not called by name here", "pass the handle to it by hand");
                return;
            }
        };
        let (argument, inner) = match entry {
            Entry::Parameter { index, .. } => {
                let Some(arg) = args.get(*index).filter(|_| args[..=*index].iter().all(|arg| !arg.spread)) else {
                    self.problem(at, "the call leaves out the id", "pass the handle to it by hand");
                    return;
                };
                let arg = At { module: at.module, id: arg.value };
                (Some(arg), self.origin(arg))
            }
            _ => (None, how.clone()),
        };
        let within = match inner {
            Origin::Parameter { func, .. } => func,
            _ if entry == &Entry::New => home(flow, caller),
            Origin::Ambient(func) => func,
            Origin::Unclear(_) => home(flow, caller),
        };
        if !self.is_called_by_tools(within) {
            self.out.outside.push(Outside {
                at: self.site(at),
                kind: Kind::Delete,
                value: None,
                direct: false,
                calls: Vec::new(),
                handed: Vec::new(),
                companion: false,
            });
            return;
        }
        if let Origin::Unclear(unclear) = inner
            && entry != &Entry::New
        {
            self.problem(unclear, "where this id comes from can't be followed", "pass the handle to it by hand");
            return;
        }
        let inner = if entry == &Entry::New { Origin::Ambient(within) } else { inner };
        let Some(within) = self.need(within, &inner, at) else { return };
        let call = CallSite { at: self.site(at), within, argument: argument.map(|at| self.site(at)) };
        if !self.out.carriers[callee].calls.contains(&call) {
            self.out.carriers[callee].calls.push(call);
        }
    }

    /// Whether a function is what the function around it answers: `(body) => async (args, extra) => …`.
    fn is_answered(&self, func: FuncRef) -> bool {
        let flow = &self.context.analysis.flow;
        let parent = flow.program.function(func).parent.filter(|parent| *parent != TOP);
        let Some(maker) = parent.map(|id| At { module: func.module, id }) else { return false };
        let returns = &flow.program.function(maker).returns;
        let own = |id: &ExprId| flow.functions_at(At { module: maker.module, id: *id }).eq([func]);
        !returns.is_empty() && returns.iter().all(own)
    }

    fn handler(&mut self, handler: FuncRef, at: ExprRef) {
        let analysis = self.context.analysis;
        let mut registrations: Vec<_> =
            analysis.flow.registrations.values().filter(|entry| entry.handlers.contains(&handler)).collect();
        registrations.sort_by_key(|entry| entry.at);
        let tools = registrations.iter().all(|known| known.what == Registered::Tool && known.name.is_some());
        if self.curried && registrations.len() > 1 && tools && self.is_answered(handler) {
            let each = registrations.into_iter().map(|known| HandlerUse {
                handler,
                registration: known.at,
                tools: known.name.into_iter().collect(),
                dispatches: false,
                body: None,
            });
            self.out.handlers.extend(each);
            return;
        }
        let [registration] = registrations.as_slice() else {
            self.problem(
                at,
                "the handler is registered several times, or out of sight",
                "give each tool that uses the state the handle as an argument",
            );
            return;
        };
        let (tools, dispatches) = match (registration.what, registration.name) {
            (Registered::Tool, Some(name)) => (vec![name], false),
            (Registered::Method, Some(_)) => {
                let names = analysis.flow.program.exprs().filter(|at| {
                    at.module == handler.module
                        && analysis.flow.program.within(analysis.flow.program.func_of(*at), handler)
                });
                let mut names: Vec<Name> = names.flat_map(|at| analysis.tool_names(handler, at)).collect();
                names.sort_by_key(|name| name.text());
                names.dedup();
                (names, true)
            }
            (Registered::Resource, _) if self.in_uri => {
                self.out.resources.push((handler, registration.at));
                return;
            }
            (Registered::Resource, _) => {
                self.problem(
                    registration.at,
                    "a resource reads it, and a resource takes no arguments",
                    "put the handle into its URI (`thing://{id}`, a resource template), or let a tool answer it",
                );
                return;
            }
            (Registered::Prompt, _) => {
                self.problem(
                    registration.at,
                    "a prompt reads it",
                    "give the prompt an argument for the handle, or leave the state out of it",
                );
                return;
            }
            (Registered::Tool | Registered::Method, None) => (Vec::new(), false),
        };
        if tools.is_empty() {
            self.problem(registration.at, "the names of its tools can't be read", "give them the handle by hand");
            return;
        }
        let registration = registration.at;
        self.out.handlers.push(HandlerUse { handler, registration, tools, dispatches, body: None });
    }
}
