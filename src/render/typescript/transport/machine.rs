//! Runs the code of all files in the abstract, to a fixpoint: which conditions are decided, which statements are reached.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::env::Env;
use super::slots::Fillers;
use super::value::Value;
use super::world::{Function, Name, Unit, World};
use crate::model::facts::{Span, SymbolKind};
use crate::plan::transport::Fact;
use crate::render::typescript::script::{Script, bare, children, is_function, span};

/// A place of the syntax: the file and the span of a node, with its kind (a statement and its expression may share the span).
pub type Place = (usize, Span, u16);

/// What the last round found.
#[derive(Default)]
pub struct Findings {
    /// Which way conditions go: of `if`, `?:`, `&&`, `||`, `??`, `??=`; `None` where both ways are taken.
    pub decided: FxHashMap<Place, Option<bool>>,
    /// Statements that are reached.
    pub reached: FxHashSet<Place>,
    /// Functions that run.
    pub ran: FxHashSet<Function>,
    /// Functions that always answer something, where they used to answer nothing at times.
    pub always: FxHashSet<Function>,
    /// Variables that hold an absent session id, and never anything else.
    pub absent: FxHashSet<Name>,
    /// Expressions that are lists without elements.
    pub empty_lists: FxHashSet<Place>,
    /// Calls that close a session of which there is none.
    pub idle_closes: FxHashSet<Place>,
}

/// Which method requests have, by the handlers that receive them.
#[derive(Default)]
pub struct Methods {
    /// Handlers that POST alone reaches.
    pub post: FxHashSet<Function>,
    /// Handlers of all methods, and the one that is looked at.
    pub other: Option<(FxHashSet<Function>, &'static str)>,
}

/// The abstract machine.
pub struct Machine<'w> {
    pub(super) world: &'w World,
    /// Nothing is known: what is decided all the same has nothing to do with sessions.
    pub(super) blind: bool,
    /// The file at hand.
    pub(super) at: usize,
    /// The function at hand.
    pub(super) function: Span,
    /// Which method requests have.
    methods: &'w Methods,
    params: FxHashMap<Name, Value>,
    finals: FxHashMap<Name, Value>,
    returns: FxHashMap<Function, Value>,
    /// What code before the handlers leaves in the fields of a request, by name.
    pub(super) carried: FxHashMap<&'w str, Value>,
    called: FxHashSet<Function>,
    /// Variables that a function within their own changes: what they hold at a place is not known by going there.
    shared: FxHashSet<Name>,
    /// What fills the places that hold one session at a time.
    pub(super) fillers: Fillers<'w>,
    /// Names of fields that something assigns: what an object was written with may not be what they hold.
    pub(super) written: FxHashSet<&'w str>,
    pub(super) changed: bool,
    /// What was found.
    pub findings: Findings,
}

/// More rounds than any program needs: values only ever rise, and by few steps.
const ROUNDS: usize = 40;

impl<'w> Machine<'w> {
    /// Runs all files.
    pub fn run_all(world: &'w World, methods: &'w Methods) -> Findings {
        Self::run(world, methods, false)
    }

    /// Runs all files with nothing known of sessions.
    pub fn run_blind(world: &'w World, methods: &'w Methods) -> Findings {
        Self::run(world, methods, true)
    }

    fn run(world: &'w World, methods: &'w Methods, blind: bool) -> Findings {
        let mut machine = Self {
            world,
            blind,
            at: 0,
            function: Span::default(),
            methods,
            params: FxHashMap::default(),
            finals: FxHashMap::default(),
            returns: FxHashMap::default(),
            carried: FxHashMap::default(),
            called: FxHashSet::default(),
            shared: FxHashSet::default(),
            fillers: if blind { Fillers::default() } else { Fillers::of(world) },
            written: world.units.iter().flat_map(|unit| fields_assigned(&unit.script)).collect(),
            changed: true,
            findings: Findings::default(),
        };
        for _ in 0..ROUNDS {
            if !std::mem::take(&mut machine.changed) {
                break;
            }
            machine.findings = Findings::default();
            for unit in 0..world.units.len() {
                machine.round(unit);
            }
        }
        let absent = machine.finals.iter().filter(|(_, value)| **value == Value::Gone).map(|(name, _)| *name);
        machine.findings.absent = absent.collect();
        let returns = machine.returns.iter().filter(|(_, value)| value.truth() == Some(true));
        machine.findings.always = returns.map(|(function, _)| *function).collect();
        machine.findings
    }

    fn round(&mut self, unit: usize) {
        self.at = unit;
        let root = self.world.units[unit].script.tree.root_node();
        self.function = self.world.units[unit].module.functions[0].span;
        let mut env = Env::default();
        for statement in children(root) {
            self.exec(statement, &mut env);
        }
        let mut functions = Vec::new();
        functions_in(root, &mut functions);
        for node in functions {
            self.run_function(node);
        }
    }

    fn run_function(&mut self, node: Node<'w>) {
        let own = (self.at, span(node));
        let closed = self.unit().closed.contains(&own.1);
        if closed && !self.called.contains(&own) {
            return;
        }
        self.findings.ran.insert(own);
        self.function = own.1;
        let mut env = Env::default();
        self.enter_slots(node, &mut env);
        for param in parameters(node) {
            match param.child_by_field_name("pattern").unwrap_or(param) {
                name if name.kind() == "identifier" => {
                    if let Some(symbol) = self.unit().symbol(name) {
                        let given = self.params.get(&(self.at, symbol)).cloned().unwrap_or(Value::Unknown);
                        let value = self.with_default(param, if closed { given } else { Value::Unknown }, &mut env);
                        self.assign((self.at, symbol), value, &mut env);
                    }
                }
                pattern => self.bind(pattern, Value::Unknown, &mut env),
            }
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        if body.kind() == "statement_block" {
            if self.exec(body, &mut env) {
                self.answer(Value::Absent);
            }
        } else {
            let value = self.eval(body, &mut env);
            self.answer(value);
        }
    }

    fn with_default(&mut self, param: Node<'_>, value: Value, env: &mut Env) -> Value {
        match param.child_by_field_name("value") {
            Some(default) if value.type_name() == Some("undefined") => self.eval(default, env),
            Some(default) => {
                self.eval(default, env);
                value
            }
            None => value,
        }
    }

    /// The method of the request, where only one matters.
    pub(super) fn method(&self, node: Node<'_>) -> Value {
        let within = |handlers: &FxHashSet<Function>| {
            std::iter::successors(Some(node), Node::parent)
                .any(|node| is_function(node) && handlers.contains(&(self.at, span(node))))
        };
        let Methods { post, other } = self.methods;
        if within(post) {
            Value::Text("POST".to_owned())
        } else if let Some((_, method)) = other.as_ref().filter(|(handlers, _)| post.is_empty() || within(handlers)) {
            // With no other routes, what handlers hand a request on to sees requests of theirs alone.
            Value::Text((*method).to_owned())
        } else {
            Value::Unknown
        }
    }

    /// What is known of an expression.
    pub(super) fn fact(&self, node: Node<'_>) -> Option<&'w Fact> {
        self.unit().fact(node).filter(|_| !self.blind)
    }

    /// The file at hand.
    pub(super) fn unit(&self) -> &'w Unit {
        &self.world.units[self.at]
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'w str {
        &self.unit().script.text()[node.byte_range()]
    }

    /// Records which way a condition goes.
    pub(super) fn decide(&mut self, node: Node<'_>, way: Option<bool>) {
        let place = (self.at, span(node), node.kind_id());
        let entry = self.findings.decided.entry(place).or_insert(way);
        if *entry != way {
            *entry = None;
        }
    }

    /// Records that a statement is reached.
    pub(super) fn reach(&mut self, node: Node<'_>) {
        self.findings.reached.insert((self.at, span(node), node.kind_id()));
    }

    /// Records what the function at hand returns.
    pub(super) fn answer(&mut self, value: Value) {
        let key = (self.at, self.function);
        let before = self.returns.get(&key).cloned().unwrap_or(Value::Never);
        let after = before.clone().join(value);
        if after != before {
            self.changed = true;
            self.returns.insert(key, after);
        }
    }

    /// Whether a function of the file at hand only ever answers true.
    pub(super) fn answers_true(&self, function: Node<'_>) -> bool {
        self.returns.get(&(self.at, span(function))) == Some(&Value::Bool(true))
    }

    /// Runs the function that a call runs; `None` where it is not known.
    pub(super) fn enter(&mut self, call: Node<'_>, arguments: &[Value]) -> Option<Value> {
        let target = *self.unit().calls.get(&span(call))?;
        // What can't be looked into answers anything.
        let node = self.world.function(target)?;
        if !is_function(node) || node.child_by_field_name("body").is_none() {
            return None;
        }
        let unit = &self.world.units[target.0];
        if !unit.closed.contains(&target.1) {
            // It runs with anything: what it answers is known where it is always the same.
            return Some(self.returns.get(&target).cloned().unwrap_or(Value::Never));
        }
        self.changed |= self.called.insert(target);
        let spread = call
            .child_by_field_name("arguments")
            .is_some_and(|list| children(list).iter().any(|argument| argument.kind() == "spread_element"));
        for (index, param) in parameters(node).into_iter().enumerate() {
            let name = param.child_by_field_name("pattern").unwrap_or(param);
            if name.kind() != "identifier" {
                continue;
            }
            let Some(symbol) = unit.symbol(name) else { continue };
            let given = if spread { Value::Unknown } else { arguments.get(index).cloned().unwrap_or(Value::Absent) };
            let before = self.params.get(&(target.0, symbol)).cloned().unwrap_or(Value::Never);
            let after = before.clone().join(given);
            if after != before {
                self.changed = true;
                self.params.insert((target.0, symbol), after);
            }
        }
        Some(self.returns.get(&target).cloned().unwrap_or(Value::Never))
    }

    /// The value of a name.
    pub(super) fn name(&mut self, node: Node<'_>, env: &Env) -> Value {
        let Some(symbol) = self.unit().symbol(node) else {
            return if self.text(node) == "undefined" { Value::Absent } else { Value::Unknown };
        };
        let key = (self.at, symbol);
        if let Some(value) = env.get(key)
            && !self.shared.contains(&key)
        {
            return value.clone();
        }
        match self.unit().declared_by(symbol) {
            SymbolKind::Function(_) | SymbolKind::Class(_) => Value::Some,
            // A variable of a function around this one: whatever it may ever hold.
            SymbolKind::Variable { .. } | SymbolKind::Parameter => {
                self.finals.get(&key).cloned().unwrap_or(Value::Never)
            }
            SymbolKind::Import(_) | SymbolKind::Other => Value::Unknown,
        }
    }

    /// Gives a variable a value, here and for the functions within.
    pub(super) fn assign(&mut self, name: Name, value: Value, env: &mut Env) {
        let before = self.finals.get(&name).cloned().unwrap_or(Value::Never);
        let after = before.clone().join(value.clone());
        if after != before {
            self.changed = true;
            self.finals.insert(name, after);
        }
        if self.fillers.slots.contains(&name) {
            env.set(name, value);
            return;
        }
        let unit = &self.world.units[name.0];
        // What a function around this one declares is not this function's to know.
        if unit.home(name.1) == self.function {
            env.set(name, value);
        } else {
            self.changed |= self.shared.insert(name);
        }
    }

    /// Gives the names of a pattern their values.
    pub(super) fn bind(&mut self, target: Node<'_>, value: Value, env: &mut Env) {
        let target = bare(target);
        if self.fact(target) == Some(&Fact::Absent)
            && let Some(symbol) = self.unit().symbol(target)
        {
            self.assign((self.at, symbol), Value::Gone, env);
            return;
        }
        match target.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                if let Some(symbol) = self.unit().symbol(target) {
                    self.assign((self.at, symbol), value, env);
                }
            }
            "object_pattern" | "array_pattern" => {
                for child in children(target) {
                    let part = match (&value, child.kind()) {
                        (Value::Record(fields), "shorthand_property_identifier_pattern" | "pair_pattern") => {
                            let name = self.text(child.child_by_field_name("key").unwrap_or(child));
                            fields.iter().find(|(field, _)| field == name).map_or(Value::Unknown, |(_, v)| v.clone())
                        }
                        _ => Value::Unknown,
                    };
                    let inner = child.child_by_field_name("value").filter(|_| child.kind() == "pair_pattern");
                    self.bind(inner.unwrap_or(child), part, env);
                }
            }
            "pair_pattern" => {
                if let Some(inner) = target.child_by_field_name("value") {
                    self.bind(inner, Value::Unknown, env);
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                if let Some(default) = target.child_by_field_name("right") {
                    self.eval(default, env);
                }
                if let Some(inner) = target.child_by_field_name("left") {
                    self.bind(inner, Value::Unknown, env);
                }
            }
            "rest_pattern" => {
                for inner in children(target) {
                    self.bind(inner, Value::Unknown, env);
                }
            }
            _ => {
                match (self.fact(target), self.unit().slot(target)) {
                    (Some(Fact::Carried), _) => self.carry(target, value),
                    (Some(Fact::Slot), Some(slot)) => self.assign((self.at, slot), value, env),
                    _ => {}
                }
                self.eval(target, env);
            }
        }
    }

    /// A variable that is changed in a way that is not followed.
    pub(super) fn forget_target(&mut self, target: Option<Node<'_>>, env: &mut Env) {
        if let Some(target) = target {
            self.bind(target, Value::Unknown, env);
        }
    }
}

/// The names of fields that the code of a file assigns or deletes.
fn fields_assigned(script: &Script) -> Vec<&str> {
    let mut out = Vec::new();
    let mut stack = vec![script.tree.root_node()];
    while let Some(node) = stack.pop() {
        let target = match node.kind() {
            "assignment_expression" | "augmented_assignment_expression" => node.child_by_field_name("left"),
            "update_expression" | "unary_expression" => node.child_by_field_name("argument"),
            _ => None,
        };
        let deletes = node.child_by_field_name("operator").is_none_or(|operator| operator.kind() != "!");
        if let Some(field) = target.filter(|_| deletes).and_then(|target| target.child_by_field_name("property")) {
            out.push(script.of(field));
        }
        stack.extend(children(node));
    }
    out
}

/// The parameters of a function.
pub fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    if let Some(single) = function.child_by_field_name("parameter") {
        return vec![single];
    }
    function.child_by_field_name("parameters").map_or_else(Vec::new, children)
}

/// All functions within a node, outer ones first.
pub fn functions_in<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    for child in children(node) {
        if is_function(child) {
            out.push(child);
        }
        functions_in(child, out);
    }
}
