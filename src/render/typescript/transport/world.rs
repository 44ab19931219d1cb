//! The files of a step, parsed and resolved: which symbol an identifier is, which function a call runs, what is known of an expression.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::apart;
use crate::lower;
use crate::model::facts::{ExprKind, Language, Module, Span, SymbolId, SymbolKind};
use crate::plan::Site;
use crate::plan::transport::{Fact, Transport};
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::style::quote_in;
use crate::render::{Files, Refused};

/// A symbol of one of the files.
pub type Name = (usize, SymbolId);
/// A function of one of the files: the file, and the start and end of the function's node.
pub type Function = (usize, Span);

/// A file.
pub struct Unit {
    /// Its text and tree.
    pub script: Script,
    /// Its neutral form, for the names.
    pub module: Module,
    /// What is known, by the span of the expression.
    pub facts: FxHashMap<Span, Fact>,
    /// The only function that a call may run.
    pub calls: FxHashMap<Span, Function>,
    /// Functions that only such calls run.
    pub closed: FxHashSet<Span>,
    symbols: FxHashMap<u32, SymbolId>,
    /// Fields that hold one session at a time, in order.
    fields: Vec<String>,
}

/// All files of a step.
pub struct World {
    /// The files.
    pub units: Vec<Unit>,
    /// Functions that requests of the routes run, or the end of the process.
    requested: Vec<Function>,
    /// Branches of handlers that serve the HTTP+SSE transport alone.
    apart: FxHashSet<(usize, Span)>,
}

impl World {
    /// Opens the files of a step. A file with syntax errors is refused.
    pub fn open(step: &Transport, files: &dyn Files) -> Result<Self, Refused> {
        let mut units = Vec::new();
        for planned in &step.units {
            let mut script = Script::open(files, &planned.path)?;
            // New text goes where requests are handled: it is quoted as that is.
            let routes = step.routes.iter().filter(|route| route.at.path == planned.path).map(|route| route.at.span);
            let pieces: Vec<&str> = routes.map(|at| script.slice(at)).collect();
            if let Some(quote) = quote_in(&pieces) {
                script.style.quote = quote;
            }
            let language = if script.typed() { Language::TypeScript } else { Language::JavaScript };
            let module = lower::lower(&planned.path, language, script.text()).map_err(|error| Refused {
                at: Site { path: planned.path.clone(), span: Span::default() },
                why: format!("it can't be read: {error}"),
                todo: "migrate this file by hand".to_owned(),
                also: Vec::new(),
            })?;
            if let Some(error) = module.errors.first() {
                return Err(Refused {
                    at: Site { path: planned.path.clone(), span: *error },
                    why: "the file has a syntax error".to_owned(),
                    todo: "mend it and run again".to_owned(),
                    also: Vec::new(),
                });
            }
            units.push(Unit::new(script, module, planned.facts.iter().cloned().collect()));
        }
        let place = |path: &str| step.units.iter().position(|unit| unit.path == path);
        for (index, planned) in step.units.iter().enumerate() {
            let calls = planned.calls.iter().filter_map(|(at, site)| Some((*at, (place(&site.path)?, site.span))));
            units[index].calls = calls.collect();
            units[index].closed = planned.closed.iter().copied().collect();
        }
        let routed = step.routes.iter().flat_map(|route| route.handlers.iter().chain(&route.hooks));
        let roots = routed.chain(&step.endings).filter_map(|site| Some((place(&site.path)?, site.span)));
        let requested = reached(&units, roots.collect());
        let mut world = Self { units, requested, apart: FxHashSet::default() };
        if !step.sse_alone {
            world.apart = apart::branches(&world);
        }
        Ok(world)
    }

    /// Whether a node is a branch of a handler that serves the HTTP+SSE transport alone: no request takes it any more.
    pub fn is_apart(&self, unit: usize, branch: Node<'_>) -> bool {
        self.apart.contains(&(unit, span(branch)))
    }

    /// The paths that lead to such branches, where they are written out.
    pub fn paths_apart(&self) -> Vec<String> {
        self.apart.iter().flat_map(|(unit, branch)| apart::paths(self, *unit, *branch)).collect()
    }

    /// Whether a place is in such a branch.
    pub fn within_apart(&self, unit: usize, at: Span) -> bool {
        self.apart.iter().any(|(home, branch)| *home == unit && branch.contains(at))
    }

    /// Whether a function runs for a request of the routes, or at the end of the process.
    pub fn is_requested(&self, (unit, at): Function) -> bool {
        self.requested.iter().any(|(known, around)| *known == unit && around.contains(at))
    }

    /// The file of a path.
    pub fn unit(&self, path: &str) -> Option<usize> {
        self.units.iter().position(|unit| unit.script.path == path)
    }

    /// Some functions, with all that they alone call: what `gone` calls is called no more.
    pub fn with_called(&self, mut known: FxHashSet<Function>, gone: &FxHashSet<Function>) -> FxHashSet<Function> {
        let within = |unit: usize, at: Span, functions: &FxHashSet<Function>| {
            functions.iter().any(|(home, function)| *home == unit && function.contains(at))
        };
        loop {
            let mut callers: FxHashMap<Function, bool> = FxHashMap::default();
            for (index, unit) in self.units.iter().enumerate() {
                for (at, target) in &unit.calls {
                    let ours = within(index, *at, &known);
                    if self.units[target.0].closed.contains(&target.1) && (ours || !within(index, *at, gone)) {
                        *callers.entry(*target).or_insert(true) &= ours;
                    }
                }
            }
            let before = known.len();
            known.extend(callers.into_iter().filter(|(_, ours)| *ours).map(|(target, _)| target));
            if known.len() == before {
                return known;
            }
        }
    }

    /// The node of a function.
    pub fn function(&self, (unit, at): Function) -> Option<Node<'_>> {
        self.units[unit].script.node(at)
    }
}

/// Functions with all that they call.
fn reached(units: &[Unit], roots: Vec<Function>) -> Vec<Function> {
    let mut out: FxHashSet<Function> = roots.iter().copied().collect();
    let mut pending = roots;
    while let Some((unit, at)) = pending.pop() {
        let called = units[unit].calls.iter().filter(|(call, _)| at.contains(**call)).map(|(_, target)| *target);
        pending.extend(called.filter(|target| out.insert(*target)));
    }
    out.into_iter().collect()
}

impl Unit {
    fn new(script: Script, module: Module, facts: FxHashMap<Span, Fact>) -> Self {
        let mut symbols = FxHashMap::default();
        for (index, symbol) in module.symbols.iter().enumerate() {
            if symbol.span.start < symbol.span.end {
                symbols.entry(symbol.span.start).or_insert(SymbolId(index as u32));
            }
        }
        for expr in &module.exprs {
            if let ExprKind::Symbol(id) = expr.kind
                && (expr.span.end - expr.span.start) as usize == module.symbol(id).name.text().len()
            {
                symbols.insert(expr.span.start, id);
            }
        }
        let slots = facts.iter().filter(|(_, fact)| **fact == Fact::Slot).filter_map(|(at, _)| script.node(*at));
        let names =
            slots.filter_map(|node| node.child_by_field_name("property")).map(|name| script.of(name).to_owned());
        let mut fields: Vec<String> = names.collect();
        fields.sort_unstable();
        fields.dedup();
        Self { script, module, facts, calls: FxHashMap::default(), closed: FxHashSet::default(), symbols, fields }
    }

    /// What holds one session at a time, where a node names such a thing. Fields count as symbols behind all others.
    pub fn slot(&self, node: Node<'_>) -> Option<SymbolId> {
        if self.fact(node) != Some(&Fact::Slot) {
            return None;
        }
        let Some(field) = node.child_by_field_name("property") else { return self.symbol(node) };
        let at = self.fields.iter().position(|name| name == self.script.of(field))?;
        Some(SymbolId((self.module.symbols.len() + at) as u32))
    }

    /// Whether such a thing is a field.
    pub fn is_field(&self, slot: SymbolId) -> bool {
        slot.0 as usize >= self.module.symbols.len()
    }

    /// The name of such a field.
    pub fn field_name(&self, slot: SymbolId) -> &str {
        self.fields.get((slot.0 as usize).wrapping_sub(self.module.symbols.len())).map_or("", String::as_str)
    }

    /// The declaration of such a field.
    pub fn field_declaration(&self, slot: SymbolId) -> Option<Node<'_>> {
        let name = self.field_name(slot);
        let mut pending = vec![self.script.tree.root_node()];
        while let Some(node) = pending.pop() {
            if node.kind().ends_with("field_definition") {
                let own = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
                if own.is_some_and(|own| self.script.of(own) == name) {
                    return Some(node);
                }
            }
            pending.extend(children(node));
        }
        None
    }

    /// Everything that holds one session at a time.
    pub fn slots(&self) -> Vec<SymbolId> {
        let fields = (0..self.fields.len()).map(|at| SymbolId((self.module.symbols.len() + at) as u32));
        let slots = self.facts.iter().filter(|(_, fact)| **fact == Fact::Slot);
        let variables = slots.filter_map(|(at, _)| self.symbol(self.script.node(*at)?));
        let mut out: Vec<SymbolId> = variables.chain(fields).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What is known of an expression.
    pub fn fact(&self, node: Node<'_>) -> Option<&Fact> {
        self.facts.get(&span(node))
    }

    /// The symbol that an identifier is.
    pub fn symbol(&self, node: Node<'_>) -> Option<SymbolId> {
        self.symbols.get(&(node.start_byte() as u32)).copied()
    }

    /// Whether a symbol is given a value once only, at its declaration or later.
    pub fn declared_by(&self, symbol: SymbolId) -> SymbolKind {
        self.module.symbol(symbol).kind
    }

    /// The function that declares a symbol, by its node's span.
    pub fn home(&self, symbol: SymbolId) -> Span {
        self.module.function(self.module.symbol(symbol).func).span
    }
}
