//! Which imports that lead out of what was read matter: those across which something of a session goes.
//!
//! A file beyond the prefilter is worth reading where a session id, a transport, a server, a request or a handler goes into it, or
//! where code that runs for a session, a request or a call uses what comes out of it. Everything else of it can stay unread.

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{Exported, ExprId, ExprKind, Imported, Key, SymbolKind};
use super::flow::value::Value;
use super::flow::{Flow, Target, submodule};
use super::lives::{Contexts, Lives};
use super::name::Name;
use super::program::{At, ExprRef, FuncRef, Link, Sort, SymbolRef};
use super::vocabulary::Role;

/// A specifier in a module that leads to a file nobody read yet.
pub type Unread = (u32, Name);

/// What may hold something of an unread file, or what was made with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// A name.
    Symbol(SymbolRef),
    /// A field that methods of a module's classes call their own.
    Field(u32, Name),
    /// Whatever has this name, where nothing is known of it: a field, a parameter, the result of a function.
    Named(Name),
}

/// How often what is made of an import may be handed on to another name.
const PASSES: usize = 3;
/// How many re-exports are followed.
const REEXPORTS: u32 = 8;
/// How far up from a use the call is looked for that it is part of.
const AROUND: usize = 12;

/// The unread files that matter, by the specifiers that lead there.
#[derive(Default)]
pub struct Wanted {
    /// Something of a session goes into them, or comes out.
    pub crossed: FxHashSet<Unread>,
    /// Code that runs for a session or a call uses them, and that is all: they matter if they keep something.
    pub used: FxHashSet<Unread>,
}

/// Finds the unread files that matter.
pub fn wanted(flow: &Flow<'_>, lives: &Lives, unread: &FxHashSet<Unread>) -> Wanted {
    let mut demand = Demand {
        flow,
        lives,
        unread,
        tracked: FxHashMap::default(),
        by_name: false,
        wanted: FxHashSet::default(),
        used: FxHashSet::default(),
    };
    if unread.is_empty() {
        return Wanted::default();
    }
    demand.track_imports();
    demand.bases_and_decorators();
    for _ in 0..PASSES {
        if !demand.pass() {
            break;
        }
    }
    Wanted { used: demand.used.difference(&demand.wanted).copied().collect(), crossed: demand.wanted }
}

struct Demand<'a, 'p> {
    flow: &'a Flow<'p>,
    lives: &'a Lives,
    unread: &'a FxHashSet<Unread>,
    /// What stands for something of unread files, or for what was made with it.
    tracked: FxHashMap<Place, Vec<Unread>>,
    /// Something is tracked by its name alone.
    by_name: bool,
    wanted: FxHashSet<Unread>,
    used: FxHashSet<Unread>,
}

impl Demand<'_, '_> {
    fn track_imports(&mut self) {
        for module in 0..self.flow.program.modules.len() as u32 {
            let imports = &self.flow.program.module(module).imports;
            for import in imports.iter().filter(|import| !import.type_only) {
                let mut leads = Vec::new();
                self.frontier(module, import.source, &import.imported, 0, &mut leads);
                if let Some(symbol) = import.symbol
                    && !leads.is_empty()
                {
                    self.track(Place::Symbol(At { module, id: symbol }), &leads);
                }
            }
        }
    }

    fn track(&mut self, place: Place, leads: &[Unread]) -> bool {
        self.by_name |= matches!(place, Place::Named(_));
        let known = self.tracked.entry(place).or_default();
        let before = known.len();
        for lead in leads {
            if !known.contains(lead) {
                known.push(*lead);
            }
        }
        known.len() > before
    }

    /// The unread files in which a name may be, through re-exports of files that were read.
    fn frontier(&self, module: u32, source: Name, what: &Imported, depth: u32, out: &mut Vec<Unread>) {
        if depth > REEXPORTS {
            return;
        }
        if self.unread.contains(&(module, source)) {
            out.push((module, source));
        }
        let name = match what {
            Imported::Named(name) => Some(*name),
            Imported::Default => Some(Name::new("default")),
            Imported::Namespace | Imported::Effects => None,
        };
        if let Some(name) = name
            && self.flow.program.tables(module).traits.open_imports
        {
            let inner = (module, submodule(source, name));
            if self.unread.contains(&inner) {
                out.push(inner);
            }
        }
        if let Link::Module(other) = self.flow.program.link(module, source) {
            self.exports(other, name, depth, out);
        }
    }

    /// The same for what a module hands on: one name, or (for all of it as a value) every name.
    fn exports(&self, module: u32, name: Option<Name>, depth: u32, out: &mut Vec<Unread>) {
        let facts = self.flow.program.module(module);
        let mut found = false;
        for export in facts.exports.iter().filter(|export| name.is_none_or(|name| export.name == name)) {
            match &export.what {
                Exported::From { source, name } => self.frontier(module, *source, name, depth + 1, out),
                Exported::Local(symbol) if name.is_some() => {
                    if let SymbolKind::Import(index) = facts.symbol(*symbol).kind {
                        let import = &facts.imports[index as usize];
                        self.frontier(module, import.source, &import.imported, depth + 1, out);
                    }
                }
                _ => {}
            }
            found = true;
        }
        if found && name.is_some() {
            return;
        }
        for export in &facts.exports {
            if let Exported::All { source } = &export.what {
                let what = name.map_or(Imported::Namespace, Imported::Named);
                self.frontier(module, *source, &what, depth + 1, out);
            }
        }
    }

    /// A class from elsewhere that one here extends is part of it; a decorator sees all calls of what it decorates.
    fn bases_and_decorators(&mut self) {
        for (module, facts) in self.flow.program.modules.iter().enumerate() {
            let bases = facts.classes.iter().flat_map(|class| class.bases.iter().chain(&class.decorators));
            let decorators = facts.functions.iter().flat_map(|function| &function.decorators);
            for id in bases.chain(decorators) {
                let mut at = *id;
                loop {
                    match facts.kind(at) {
                        ExprKind::Call { callee, .. } => at = *callee,
                        ExprKind::Member { object, .. } => at = *object,
                        ExprKind::Symbol(id) => {
                            if let Some(leads) = self.tracked.get(&Place::Symbol(At { module: module as u32, id: *id }))
                            {
                                self.wanted.extend(leads.iter().copied());
                            }
                            break;
                        }
                        _ => break,
                    }
                }
            }
        }
    }

    /// Judges every use of what is tracked, and notes where it is put. Says whether that brought anything new.
    fn pass(&mut self) -> bool {
        let mut handed: Vec<(Place, Vec<Unread>)> = Vec::new();
        for at in self.flow.program.exprs_of([Sort::Require, Sort::Symbol, Sort::Member]) {
            if let Some(leads) = self.leads(at) {
                if leads.iter().all(|lead| self.wanted.contains(lead)) {
                    continue;
                }
                if self.meets(at, &|value| self.is_of_session(value)) || self.says_sessions(at) {
                    self.wanted.extend(leads);
                } else {
                    if self.is_inside(self.flow.program.func_of(at)) {
                        self.used.extend(leads.iter().copied());
                    }
                    handed.extend(self.put_into(at).into_iter().map(|place| (place, leads.clone())));
                }
            } else if let Some(leads) = self.leads_by_name(at)
                && !leads.iter().all(|lead| self.wanted.contains(lead))
                && self.flow.at(at).is_empty()
                && self.meets(at, &|value| matches!(value, Value::Id(_)))
            {
                self.wanted.extend(leads.clone());
            }
        }
        let mut new = false;
        for (place, leads) in handed {
            new |= self.track(place, &leads);
        }
        new
    }

    /// The unread files from which an expression has its value.
    fn leads(&self, at: ExprRef) -> Option<Vec<Unread>> {
        match self.flow.program.kind(at) {
            ExprKind::Require(source) => {
                let lead = (at.module, *source);
                self.unread.contains(&lead).then(|| vec![lead])
            }
            ExprKind::Symbol(id) => {
                let own = At { module: at.module, id: *id };
                if let Some(leads) = self.tracked.get(&Place::Symbol(own)) {
                    return Some(leads.clone());
                }
                let SymbolKind::Import(_) = self.flow.program.symbol(own).kind else { return None };
                match self.flow.target(own) {
                    Some(Target::Symbol(symbol)) => self.tracked.get(&Place::Symbol(symbol)).cloned(),
                    _ => None,
                }
            }
            ExprKind::Member { object, name } => match self.flow.program.module(at.module).kind(*object) {
                ExprKind::This(_) => self.tracked.get(&Place::Field(at.module, *name)).cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The unread files from which an expression may have its value, by its name alone.
    fn leads_by_name(&self, at: ExprRef) -> Option<&Vec<Unread>> {
        if !self.by_name {
            return None;
        }
        let name = match self.flow.program.kind(at) {
            ExprKind::Symbol(id) => self.flow.program.symbol(At { module: at.module, id: *id }).name,
            ExprKind::Member { name, .. } => *name,
            _ => return None,
        };
        self.tracked.get(&Place::Named(name))
    }

    /// Whether a call that an expression is part of (as callee or argument) has to do with certain values besides.
    fn meets(&self, at: ExprRef, counts: &dyn Fn(&Value) -> bool) -> bool {
        let facts = self.flow.program.module(at.module);
        let is_met = |id: ExprId| self.flow.at(At { module: at.module, id }).iter().any(counts);
        let mut id = at.id;
        for _ in 0..AROUND {
            let Some(parent) = facts.expr(id).parent else { return false };
            if let ExprKind::Call { .. } | ExprKind::New { .. } = facts.kind(parent) {
                let mut met = false;
                facts.kind(parent).each_child(|child| met |= child != id && is_met(child));
                if met {
                    return true;
                }
                // `router.use(imported)`: what the call is made on decides as well.
                if let ExprKind::Call { callee, .. } = facts.kind(parent)
                    && let ExprKind::Member { object, .. } = facts.kind(*callee)
                    && *callee != id
                    && is_met(*object)
                {
                    return true;
                }
            }
            id = parent;
        }
        false
    }

    /// Whether a use is part of what says whether there are sessions: the value of an option that switches them off.
    fn says_sessions(&self, at: ExprRef) -> bool {
        let facts = self.flow.program.module(at.module);
        let switches = self.flow.program.tables(at.module).setup.switches;
        let mut id = at.id;
        for _ in 0..AROUND {
            let Some(parent) = facts.expr(id).parent.filter(|_| !switches.is_empty()) else { return false };
            if let ExprKind::Call { args, .. } | ExprKind::New { args, .. } = facts.kind(parent) {
                let arg = args.iter().find(|arg| arg.value == id);
                if arg.and_then(|arg| arg.name).is_some_and(|name| switches.contains(&name.text())) {
                    return true;
                }
            }
            id = parent;
        }
        false
    }

    /// Whether a function runs for a session or a call, or is where handlers are written. (One that runs for any request of a web
    /// server may have nothing to do with either.)
    fn is_inside(&self, func: FuncRef) -> bool {
        let contexts = self.lives.contexts(func);
        contexts.has(Contexts::SESSION)
            || contexts.has(Contexts::CALL)
            || self.lives.handler_reach.contains(&func)
            || self.lives.registers.contains(&func)
    }

    /// Whether a value is something of a session, or leads to it.
    fn is_of_session(&self, value: &Value) -> bool {
        match value {
            Value::Id(_) | Value::Credential(_) => true,
            Value::Object(object) => self.flow.object(*object).role.is_some_and(is_protocol),
            Value::Func(func) => self.is_inside(*func),
            _ => false,
        }
    }

    /// Where what an expression is part of is put.
    fn put_into(&self, at: ExprRef) -> Vec<Place> {
        let facts = self.flow.program.module(at.module);
        let mut out = Vec::new();
        let mut id = at.id;
        for _ in 0..AROUND {
            let Some(parent) = facts.expr(id).parent else { return out };
            match facts.kind(parent) {
                ExprKind::Assign { target, value, .. } if *value == id => {
                    match facts.kind(*target) {
                        ExprKind::Symbol(symbol) => out.push(Place::Symbol(At { module: at.module, id: *symbol })),
                        ExprKind::Member { object, name } => {
                            if matches!(facts.kind(*object), ExprKind::This(_)) {
                                out.push(Place::Field(at.module, *name));
                            }
                            out.push(Place::Named(*name));
                        }
                        _ => {}
                    }
                    return out;
                }
                ExprKind::Return(_) => {
                    out.extend(facts.function(facts.expr(parent).func).name.map(Place::Named));
                    return out;
                }
                ExprKind::Call { args, .. } | ExprKind::New { args, .. } => {
                    let arg = args.iter().find(|arg| arg.value == id);
                    out.extend(arg.and_then(|arg| arg.name).map(Place::Named));
                }
                ExprKind::Object(fields) => {
                    let field = fields.iter().find(|field| field.value == id);
                    if let Some(Key::Name(name)) = field.map(|field| &field.key) {
                        out.push(Place::Named(*name));
                    }
                }
                _ => {}
            }
            id = parent;
        }
        out
    }
}

/// Roles of what belongs to a session, a request, or the way they come in; and of what may hold such things.
fn is_protocol(role: Role) -> bool {
    !matches!(
        role,
        Role::List
            | Role::Set
            | Role::External
            | Role::Database
            | Role::Timer
            | Role::Logger
            | Role::Telemetry
            | Role::Date
            | Role::Plain
            | Role::HttpClient
            | Role::FetchResponse
    )
}
