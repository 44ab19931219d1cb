//! State that is kept per session without an id: what a per-session factory's handlers capture, or a per-session object's fields.

use rustc_hash::FxHashSet;

use super::mutations::{Mutations, is_machinery, only_machinery};
use super::words;
use crate::model::facts::{ClassId, Span, SymbolKind, TOP};
use crate::model::flow::value::{ObjId, Value};
use crate::model::flow::{Flow, Owner, Registered, Root};
use crate::model::lives::{Contexts, Lives};
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, ExprRef, FuncRef, SymbolRef};
use crate::model::query::Holder;
use crate::model::vocabulary::Role;

/// What kind of place holds the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A captured variable.
    Variable,
    /// A field of a per-session object.
    Field,
}

/// State with the lifetime of a session (or, asked for the process, of the process).
#[derive(Clone, Debug)]
pub struct Lasting {
    /// What holds it.
    pub holder: Holder,
    /// The kind of place.
    pub held: Held,
    /// Its values.
    pub values: Vec<Value>,
    /// Where handlers change it.
    pub writers: Vec<ExprRef>,
    /// Where anything sets it that handlers run.
    pub fills: Vec<ExprRef>,
    /// Where handlers touch it.
    pub uses: Vec<ExprRef>,
    /// It is a credential or an identity of the request that opened the session.
    pub credential: bool,
    /// It is only a registration that is switched on and off.
    pub switched: bool,
    /// Newer releases make one for all sessions.
    pub shared: bool,
    /// The function or class it belongs to, as the function that creates it.
    pub scope: FuncRef,
}

/// What handlers of tools, resources and prompts are registered under.
const SERVES: &[&str] = &[
    "CallTool",
    "ReadResource",
    "GetPrompt",
    "tools/call",
    "resources/read",
    "prompts/get",
    "call_tool",
    "read_resource",
    "get_prompt",
];

/// Finds state of one lifetime.
pub struct Finder<'a, 'p> {
    /// The solved program.
    pub flow: &'a Flow<'p>,
    /// Lifetimes.
    pub lives: &'a Lives,
    /// What handlers change.
    pub mutations: &'a Mutations,
    /// The context asked for.
    pub context: Contexts,
    /// What other stores keep: no part of what is found.
    pub owned: &'a FxHashSet<ObjId>,
}

impl Finder<'_, '_> {
    /// All state of the asked lifetime that handlers change.
    pub fn find(&self) -> Vec<Lasting> {
        let mut out = Vec::new();
        for module in 0..self.flow.program.modules.len() as u32 {
            let facts = self.flow.program.module(module);
            for index in 0..facts.symbols.len() as u32 {
                let symbol = Flow::symbol_ref(module, crate::model::facts::SymbolId(index));
                out.extend(self.captured(symbol));
            }
            for index in 0..facts.classes.len() as u32 {
                self.fields(At { module, id: ClassId(index) }, &mut out);
            }
        }
        self.handed_over(&mut out);
        self.outermost(&mut out);
        out
    }

    /// What a lifespan of the asked lifetime hands over to the handlers: the fields of it that they change.
    fn handed_over(&self, out: &mut Vec<Lasting>) {
        if self.context != Contexts::SESSION {
            return;
        }
        for func in self.flow.lifespans() {
            if !self.lives.contexts(func).has(self.context) {
                continue;
            }
            for value in self.flow.yielded(func) {
                let Value::Object(id) = value else { continue };
                if is_machinery(self.flow, id) || !self.lasts(id) {
                    continue;
                }
                let owner = self.flow.owner(id);
                for (name, values) in self.flow.fields(id) {
                    let assigned = self.mutations.fields.get(&(owner, name)).cloned().unwrap_or_default();
                    let Some(holder) = self.flow.field_place(id, name) else { continue };
                    let found = self.judge(holder, Held::Field, values, assigned, Vec::new(), func);
                    out.extend(found.map(|lasting| Lasting { shared: true, ..lasting }));
                }
            }
        }
    }

    pub(super) fn lasts(&self, id: ObjId) -> bool {
        if self.context == Contexts::SESSION {
            self.lives.object_outlives_calls(self.flow, id)
        } else if self.context == Contexts::REQUEST {
            self.lives.object_per_request(self.flow, id)
        } else {
            self.lives.object_per_process(self.flow, id)
        }
    }

    /// Whether a tool, a resource or a prompt is among the handlers that reach a place: what only the protocol's own handlers
    /// (subscriptions, log levels, lists) keep is plumbing.
    pub(super) fn is_reached_by_tools(&self, places: &[ExprRef]) -> bool {
        let serves = |name: Name| {
            let name = name.text();
            SERVES.iter().any(|method| name.contains(method))
        };
        places.iter().any(|at| {
            let func = self.flow.program.func_of(*at);
            self.lives.handlers_of.get(&func).into_iter().flatten().any(|handler| {
                self.flow.registrations.values().any(|registration| {
                    registration.handlers.contains(handler)
                        && (registration.what != Registered::Method || registration.name.is_none_or(serves))
                })
            })
        })
    }

    fn captured(&self, symbol: SymbolRef) -> Option<Lasting> {
        let facts = self.flow.program.symbol(symbol);
        if !matches!(facts.kind, SymbolKind::Variable { .. } | SymbolKind::Parameter) {
            return None;
        }
        let scope = At { module: symbol.module, id: facts.func };
        let module_level = scope.id == TOP;
        if module_level != (self.context == Contexts::PROCESS) || !self.lives.contexts(scope).has(self.context) {
            return None;
        }
        // A function that runs within a call: its variables are the call's.
        if !module_level && self.lives.within_calls(scope) {
            return None;
        }
        let uses: Vec<ExprRef> = self
            .flow
            .uses(symbol)
            .filter(|at| {
                let func = self.flow.program.func_of(*at);
                func != scope && self.lives.handler_reach.contains(&func) && self.flow.program.within(func, scope)
            })
            .collect();
        if uses.is_empty() && !self.is_imported_state(symbol) {
            return None;
        }
        let values = self.flow.values(self.flow.symbol_node(symbol)).to_vec();
        let assigned = self.mutations.symbols.get(&symbol).cloned().unwrap_or_default();
        let holder = self.flow.symbol_holder(symbol);
        self.captured_client(holder.clone(), &values, &uses, scope)
            .or_else(|| self.judge(holder, Held::Variable, values, assigned, uses, scope))
    }

    /// A module-level variable that other modules use.
    fn is_imported_state(&self, symbol: SymbolRef) -> bool {
        self.flow.program.symbol(symbol).func == TOP && self.context == Contexts::PROCESS
    }

    fn fields(&self, class: ClassRef, out: &mut Vec<Lasting>) {
        if self.flow.whole(class) != class {
            return;
        }
        let Some(id) = self.flow.class_object(class) else { return };
        if !self.lasts(id) || !self.has_handlers(class) {
            return;
        }
        let top = self.flow.topmost(class);
        let owner = Owner::Class(top);
        let facts = self.flow.program.class(class);
        let scope = At { module: class.module, id: facts.constructor };
        for name in self.flow.field_names.get(&owner).into_iter().flatten() {
            let Some(node) = self.flow.known_field(owner, *name) else { continue };
            let values = self.flow.values(node).to_vec();
            let assigned = self.mutations.fields.get(&(owner, *name)).cloned().unwrap_or_default();
            let uses = self.field_uses(class, *name);
            if uses.is_empty() {
                continue;
            }
            let declared = facts.fields.iter().find(|field| field.name == *name);
            let span = match declared {
                Some(field) => field.span,
                None => self.first_assigned(class, *name).unwrap_or(facts.name_span),
            };
            let holder = Holder { name: *name, module: class.module, span, symbol: None };
            if self.context == Contexts::SESSION
                && !only_machinery(self.flow, &values)
                && self.is_released(class, *name)
            {
                let writers = self.field_reads(class, *name);
                let credential = false;
                out.push(Lasting {
                    holder,
                    held: Held::Field,
                    values,
                    writers,
                    fills: assigned,
                    uses,
                    credential,
                    switched: false,
                    shared: false,
                    scope,
                });
                continue;
            }
            out.extend(self.judge(holder, Held::Field, values, assigned, uses, scope));
        }
    }

    /// Where the constructor first assigns a field that is declared nowhere.
    fn first_assigned(&self, class: ClassRef, name: Name) -> Option<Span> {
        let program = self.flow.program;
        let constructor = program.class(class).constructor;
        let own = self.field_reads(class, name).into_iter();
        own.filter(|at| program.func_of(*at).id == constructor).map(|at| program.expr(at).span).min()
    }

    /// Whether handlers are registered by the class: they are written in its methods, or its methods are the handlers.
    fn has_handlers(&self, class: ClassRef) -> bool {
        let parts = self.flow.parts(class);
        self.flow.roots.iter().any(|(func, roots)| {
            roots.contains(&Root::Handler)
                && parts
                    .iter()
                    .any(|part| func.module == part.module && self.flow.program.function(*func).class == Some(part.id))
        })
    }

    fn field_uses(&self, class: ClassRef, name: Name) -> Vec<ExprRef> {
        let mut out = self.field_reads(class, name);
        out.retain(|at| self.lives.handler_reach.contains(&self.flow.program.func_of(*at)));
        out
    }

    /// Where the methods of a class touch one of its fields.
    fn field_reads(&self, class: ClassRef, name: Name) -> Vec<ExprRef> {
        self.flow.parts(class).iter().flat_map(|part| self.flow.own_field_uses(*part, name)).collect()
    }

    /// Whether what a field holds is cleared away when its object ends: then it is something with a life of its own.
    fn is_released(&self, class: ClassRef, name: Name) -> bool {
        self.field_reads(class, name).iter().any(|at| {
            let func = self.flow.program.func_of(*at);
            self.flow.roots.get(&func).is_some_and(|roots| roots.contains(&Root::SessionEnd))
        })
    }

    fn judge(
        &self,
        holder: Holder,
        held: Held,
        values: Vec<Value>,
        assigned: Vec<ExprRef>,
        uses: Vec<ExprRef>,
        scope: FuncRef,
    ) -> Option<Lasting> {
        let credential = self.context == Contexts::SESSION && values.iter().any(|value| self.is_credential(*value, 4));
        // The id of the session itself is no state of its own.
        if !values.is_empty() && values.iter().all(|value| matches!(value, Value::Id(_) | Value::Absent)) {
            return None;
        }
        let fills = assigned.clone();
        let mut writers: Vec<ExprRef> =
            assigned.into_iter().filter(|at| !self.mutations.is_memo(self.flow, *at)).collect();
        if self.is_shared_cell(&values) {
            writers.clear();
        }
        if only_machinery(self.flow, &values) {
            let switched = self.switched(&values);
            if !switched.is_empty() && self.context == Contexts::SESSION {
                return Some(Lasting {
                    holder,
                    held,
                    values,
                    writers: switched,
                    fills: Vec::new(),
                    uses,
                    credential: false,
                    switched: true,
                    shared: false,
                    scope,
                });
            }
            let opened = self.opened_upstreams(&values, &fills);
            // Opened by a tool, or where the session begins for the tools to use.
            if !opened.is_empty() && (self.is_reached_by_tools(&opened) || self.is_reached_by_tools(&uses)) {
                let (credential, switched, shared) = (false, false, false);
                return Some(Lasting {
                    holder,
                    held,
                    values,
                    writers: opened,
                    fills,
                    uses,
                    credential,
                    switched,
                    shared,
                    scope,
                });
            }
            if !credential {
                return None;
            }
        }
        let in_cell = self.is_in_cell(&values);
        for value in &values {
            if let Value::Object(id) = value
                && !is_machinery(self.flow, *id)
                && (in_cell || self.lasts(*id))
            {
                writers.extend(self.changes(*id, 3, in_cell, &mut FxHashSet::default()));
            }
        }
        // What is held open is state, though nobody is seen to change it.
        if writers.is_empty() && self.is_held_open(&values) {
            writers.clone_from(&uses);
        }
        if writers.is_empty() && !credential {
            return None;
        }
        writers.sort_unstable();
        writers.dedup();
        if self.context == Contexts::SESSION && !self.is_reached_by_tools(&uses) && !self.is_reached_by_tools(&writers)
        {
            return None;
        }
        if words::is_log(holder.name.text()) {
            return None;
        }
        Some(Lasting { holder, held, values, writers, fills, uses, credential, switched: false, shared: false, scope })
    }

    /// Whether a place is a cell that lives longer than the context asked for: what is changed in it belongs to others too.
    pub(super) fn is_shared_cell(&self, values: &[Value]) -> bool {
        let mut cells = values.iter().filter_map(|value| match value {
            Value::Object(id) if self.flow.object(*id).role == Some(Role::Cell) => Some(*id),
            _ => None,
        });
        let any = cells.clone().next().is_some();
        any && !cells.any(|id| self.lasts(id))
    }

    fn switched(&self, values: &[Value]) -> Vec<ExprRef> {
        values
            .iter()
            .filter_map(|value| match value {
                Value::Object(id) => self.mutations.switched.get(id),
                _ => None,
            })
            .flatten()
            .copied()
            .collect()
    }

    /// Where handlers change an object or what it owns; `kept`: whatever it owns lives as long as it does.
    pub(super) fn changes(&self, id: ObjId, depth: u32, kept: bool, seen: &mut FxHashSet<ObjId>) -> Vec<ExprRef> {
        if self.owned.contains(&id) || !seen.insert(id) || self.is_cache(id) {
            return Vec::new();
        }
        let mut out = self.mutations.objects.get(&id).cloned().unwrap_or_default();
        out.retain(|at| !self.mutations.is_memo(self.flow, *at));
        if depth == 0 {
            return out;
        }
        for inner in self.flow.parts_of(id) {
            if !seen.contains(&inner) && !is_machinery(self.flow, inner) && (kept || self.lasts(inner)) {
                out.extend(self.changes(inner, depth - 1, kept, seen));
            }
        }
        out
    }

    /// An object that another store owns is not a second store; a switched registration belongs to the state beside it.
    fn outermost(&self, found: &mut Vec<Lasting>) {
        let scopes: FxHashSet<FuncRef> =
            found.iter().filter(|l| !l.switched && !l.credential).map(|l| l.scope).collect();
        found.retain(|lasting| !lasting.switched || !scopes.contains(&lasting.scope));
        self.drop_wrappers(found);
        // One object passed on under several names: the name nearest to its creation stands for it.
        let mut kept: Vec<Lasting> = Vec::new();
        for lasting in found.drain(..) {
            let objects: Vec<Value> = lasting
                .values
                .iter()
                .filter(|v| matches!(v, Value::Object(id) if !is_machinery(self.flow, *id)))
                .copied()
                .collect();
            let same = kept.iter_mut().find(|other| {
                !objects.is_empty()
                    && other.switched == lasting.switched
                    && objects.iter().all(|value| other.values.contains(value))
            });
            match same {
                Some(other) => {
                    other.uses.extend(lasting.uses);
                    other.writers.extend(lasting.writers);
                    other.credential |= lasting.credential;
                }
                None => kept.push(lasting),
            }
        }
        *found = kept;
    }
}
