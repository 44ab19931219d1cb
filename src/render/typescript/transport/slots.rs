//! Variables and fields that hold one session at a time: for a request there is none when it comes in, and its own once it is made.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::env::Env;
use super::fold::{Fold, any};
use super::machine::Machine;
use super::value::Value;
use super::world::{Function, Name, World};
use crate::model::facts::SymbolId;
use crate::plan::transport::{Fact, Transport};
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{bare, children, enclosing_function, is_function, span, statement};
use crate::render::{Refused, all};

/// What fills such places.
#[derive(Default)]
pub struct Fillers<'w> {
    /// All of them.
    pub slots: FxHashSet<Name>,
    /// Functions that put a session into one, themselves or in what they call.
    functions: FxHashSet<Function>,
    /// Their names, for calls of which it is not known what they run.
    names: FxHashSet<&'w str>,
}

impl<'w> Fillers<'w> {
    /// Finds them.
    pub fn of(world: &'w World) -> Self {
        let mut out = Self::default();
        for (at, unit) in world.units.iter().enumerate() {
            out.slots.extend(unit.slots().into_iter().map(|slot| (at, slot)));
        }
        if out.slots.is_empty() {
            return out;
        }
        for (at, unit) in world.units.iter().enumerate() {
            any(unit.script.tree.root_node(), &mut |node| {
                if fills(world, at, node) {
                    out.functions.extend(around(node).into_iter().map(|function| (at, span(function))));
                }
                false
            });
        }
        loop {
            let before = out.functions.len();
            for (at, unit) in world.units.iter().enumerate() {
                let filling: Vec<_> = unit.calls.iter().filter(|(_, target)| out.functions.contains(target)).collect();
                let calls = filling.into_iter().filter_map(|(call, _)| unit.script.node(*call));
                let callers: Vec<Function> = calls.flat_map(around).map(|function| (at, span(function))).collect();
                out.functions.extend(callers);
            }
            if out.functions.len() == before {
                break;
            }
        }
        for (at, function) in &out.functions {
            let script = &world.units[*at].script;
            let node = script.node(*function);
            let named = node.and_then(|node| {
                node.child_by_field_name("name").or_else(|| node.parent()?.child_by_field_name("name"))
            });
            out.names.extend(named.map(|name| script.of(name)));
        }
        out
    }
}

/// `transport = new Transport(…)`, of something that holds one session at a time.
fn fills(world: &World, unit: usize, node: Node<'_>) -> bool {
    let sets = matches!(node.kind(), "assignment_expression" | "augmented_assignment_expression");
    let target = node.child_by_field_name("left").filter(|_| sets).map(bare);
    target.is_some_and(|target| world.units[unit].fact(target) == Some(&Fact::Slot)) && !empties(node)
}

/// `… = null`.
fn empties(assignment: Node<'_>) -> bool {
    assignment.child_by_field_name("right").is_some_and(|right| matches!(bare(right).kind(), "null" | "undefined"))
}

/// The functions around a node, from the inside out.
fn around(node: Node<'_>) -> Vec<Node<'_>> {
    std::iter::successors(enclosing_function(node), |function| enclosing_function(*function)).collect()
}

impl<'w> Machine<'w> {
    /// What such places hold where a function begins.
    pub(super) fn enter_slots(&mut self, function: Node<'w>, env: &mut Env) {
        let own: Vec<Name> = self.fillers.slots.iter().copied().filter(|(unit, _)| *unit == self.at).collect();
        for slot in own {
            let value = if self.begins_without(slot, function) { self.nothing(slot.1) } else { Value::Unknown };
            env.set(slot, value);
        }
    }

    /// Whether no session is there yet where a function begins: it runs for a request, and neither the functions around it nor those
    /// within it make one.
    fn begins_without(&self, slot: Name, function: Node<'w>) -> bool {
        let fills_apart = |outer: Node<'w>| {
            any(outer, &mut |node| {
                fills(self.world, self.at, node) && enclosing_function(node).is_some_and(|by| by != function)
            })
        };
        let home = self.home_of(slot.1, function);
        let outer = around(function).into_iter().take_while(|outer| Some(span(*outer)) != home);
        let outer: Vec<Node<'w>> =
            outer.take_while(|outer| home.is_none_or(|home| home.contains(span(*outer)))).collect();
        self.world.is_requested((self.at, span(function)))
            && !fills_apart(function)
            && !outer.into_iter().any(|outer| {
                any(outer, &mut |node| fills(self.world, self.at, node) && enclosing_function(node) == Some(outer))
            })
    }

    /// Where such a place is declared: the function of a variable, the class of a field.
    fn home_of(&self, slot: SymbolId, function: Node<'w>) -> Option<crate::model::facts::Span> {
        match self.unit().is_field(slot) {
            false => Some(self.unit().home(slot)),
            true => std::iter::successors(Some(function), Node::parent)
                .find(|node| node.kind() == "class_body")
                .map(|class| span(class)),
        }
    }

    /// What such a place holds as long as there is no session: `null` where it says so, else `undefined`.
    fn nothing(&self, slot: SymbolId) -> Value {
        let declared = match self.unit().is_field(slot) {
            true => self.unit().field_declaration(slot).and_then(|field| field.child_by_field_name("value")),
            false => {
                let module = &self.unit().module;
                module.symbol(slot).init.and_then(|init| self.unit().script.node(module.expr(init).span))
            }
        };
        match declared.map(|value| bare(value).kind()) {
            Some("null") => Value::Null,
            _ => Value::Gone,
        }
    }

    /// The value of a field that is such a place.
    pub(super) fn slot(&self, node: Node<'_>, env: &Env) -> Option<Value> {
        let slot = self.unit().slot(node).filter(|_| node.kind() == "member_expression")?;
        Some(env.get((self.at, slot)).cloned().unwrap_or(Value::Unknown))
    }

    /// Behind a call that may fill such places, it is not known what they hold.
    pub(super) fn refill(&self, call: Node<'_>, env: &mut Env) {
        if self.fillers.slots.is_empty() {
            return;
        }
        let callee = call.child_by_field_name("function").or_else(|| call.child_by_field_name("constructor"));
        let name = callee.map(|callee| callee.child_by_field_name("property").unwrap_or(callee));
        let fills = match self.unit().calls.get(&span(call)) {
            Some(target) => self.fillers.functions.contains(target),
            None => name.is_some_and(|name| self.fillers.names.contains(self.text(name))),
        };
        for slot in self.fillers.slots.iter().filter(|_| fills) {
            if env.get(*slot).is_some() {
                env.set(*slot, Value::Unknown);
            }
        }
    }

    /// Notes a call that closes a session of which there is none.
    pub(super) fn note_close(&mut self, call: Node<'_>, receiver: &Value) {
        if self.fact(call) == Some(&Fact::Close) && receiver.nullish() == Some(true) {
            self.findings.idle_closes.insert((self.at, span(call), call.kind_id()));
        }
    }
}

impl<'w> Fold<'w> {
    /// `await transport?.close();` of a session of which there is none.
    pub(super) fn closes_nothing(&mut self, unit: usize, node: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let mut value = children(node).first().copied().map(bare);
        while let Some(inner) = value {
            let next = match inner.kind() {
                "await_expression" | "unary_expression" => children(inner).first().copied(),
                "call_expression" => {
                    if self.findings.idle_closes.contains(&(unit, span(inner), inner.kind_id())) {
                        self.note_unclosed();
                        return true;
                    }
                    let callee = inner.child_by_field_name("function");
                    let chained = callee.filter(|callee| {
                        callee
                            .child_by_field_name("property")
                            .is_some_and(|name| matches!(script.of(name), "catch" | "then" | "finally"))
                    });
                    chained.and_then(|callee| callee.child_by_field_name("object"))
                }
                _ => None,
            };
            value = next.map(bare);
        }
        false
    }

    /// Tells that nothing closes the one session any more.
    fn note_unclosed(&mut self) {
        self.raise("What closed the one session is gone: each request closes its own server, and shutdown does not wait for requests.");
    }

    /// The same, for a branch that is only taken where there is a session; the function that makes sessions replaces the one before.
    pub(super) fn note_unclosed_branch(&mut self, unit: usize, part: Node<'w>) {
        let file = &self.world.units[unit];
        let closes = any(part, &mut |node| file.fact(node) == Some(&Fact::Close));
        let made_here = enclosing_function(part)
            .is_some_and(|function| any(function, &mut |node| file.fact(node) == Some(&Fact::Construct)));
        if closes && !made_here && !file.slots().is_empty() {
            self.note_unclosed();
        }
    }

    /// Whether a statement says that there is no session any more: `transport = null`.
    pub(super) fn empties_slot(&self, unit: usize, assignment: Node<'w>) -> bool {
        let target = assignment.child_by_field_name("left").map(bare);
        target.is_some_and(|target| self.world.units[unit].fact(target) == Some(&Fact::Slot)) && empties(assignment)
    }

    /// Whether there is a session, where that is told and decides nothing: `connected: transport !== null`. The whole question, and
    /// the comparison of a number of requests with 0 that says the same.
    pub(super) fn told_alive(&self, unit: usize, read: Node<'w>) -> Option<(Node<'w>, &'static str)> {
        let script = &self.world.units[unit].script;
        let mut node = read;
        while let Some(parent) = node.parent().filter(|parent| bare(*parent) == bare(node) && *parent != node) {
            node = parent;
        }
        let parent = node.parent()?;
        let operator = parent.child_by_field_name("operator").map_or("", |operator| operator.kind());
        let (asked, test) = match parent.kind() {
            "binary_expression" => {
                let sides = [parent.child_by_field_name("left")?, parent.child_by_field_name("right")?];
                let nothing = sides.iter().any(|side| matches!(side.kind(), "null" | "undefined"));
                let test = match operator {
                    "!==" | "!=" => "> 0",
                    "===" | "==" => "=== 0",
                    _ => return None,
                };
                nothing.then_some((parent, test))?
            }
            "unary_expression" if operator == "!" => match parent.parent() {
                Some(outer) if script.of(outer).starts_with("!!") => (outer, "> 0"),
                _ => (parent, "=== 0"),
            },
            "arguments" => {
                let call = parent.parent()?;
                let converts =
                    call.child_by_field_name("function").is_some_and(|callee| script.of(callee) == "Boolean");
                converts.then_some((call, "> 0"))?
            }
            _ => return None,
        };
        tells(asked).then_some((asked, test))
    }

    /// Makes the session that a request puts into such a place a constant of its own. Everything else that still reads one stops the
    /// step.
    pub(super) fn own_slots(&mut self, step: &Transport) -> Result<(), Refused> {
        if self.world.units.iter().all(|unit| unit.slots().is_empty()) {
            return Ok(());
        }
        self.tidy(step);
        let mut outcomes = Vec::new();
        for unit in 0..self.world.units.len() {
            let asked: Vec<Node<'w>> = self.asked_alive(unit).into_iter().map(|(node, _)| node).collect();
            let told = self.only_told(unit, &asked);
            let slots = self.world.units[unit].slots().into_iter().map(|slot| self.own_slot(unit, slot, &asked));
            outcomes.extend([told].into_iter().chain(slots));
        }
        all(outcomes)
    }

    /// All such questions of a file, with the comparisons that take their place.
    pub(super) fn asked_alive(&self, unit: usize) -> Vec<(Node<'w>, &'static str)> {
        let reads = self.places(unit, &Fact::Slot);
        reads.into_iter().filter_map(|read| self.told_alive(unit, read)).collect()
    }

    /// The comparison for a count that tells whether there is a session, itself or by the function that it calls.
    pub(super) fn alive_test(&self, unit: usize, count: Node<'w>) -> Option<&'static str> {
        let own = |(node, _): &(Node<'w>, &str)| *node == count;
        let here = self.asked_alive(unit).into_iter().find(own);
        let called = || {
            let (at, function) = *self.world.units[unit].calls.get(&span(count))?;
            self.asked_alive(at).into_iter().find(|(node, _)| function.contains(span(*node)))
        };
        here.or_else(called).map(|(_, test)| test)
    }

    /// Refuses where a function that tells whether there is a session is asked to decide something.
    fn only_told(&self, unit: usize, asked: &[Node<'w>]) -> Result<(), Refused> {
        for function in asked.iter().filter_map(|node| enclosing_function(*node)) {
            let own = (unit, span(function));
            let calls = self.calls_of(own).into_iter().filter(|(at, call)| !self.edits[*at].gone(*call));
            for (at, call) in calls.filter(|_| self.only_counts(own)) {
                if !tells(call) {
                    return Err(self.world.units[at].script.refuse(call, ASKED, DECIDE));
                }
            }
        }
        Ok(())
    }

    fn own_slot(&mut self, unit: usize, slot: SymbolId, asked: &[Node<'w>]) -> Result<(), Refused> {
        let file = &self.world.units[unit];
        let script = &file.script;
        let declared = match file.is_field(slot) {
            true => file.field_declaration(slot),
            false => script.node(file.module.symbol(slot).span),
        };
        let told = |node: &Node<'w>| asked.iter().any(|asked| span(*asked).contains(span(*node)));
        let mut live: Vec<Node<'w>> = self.places(unit, &Fact::Slot);
        live.retain(|node| {
            file.slot(*node) == Some(slot) && !told(node) && declared.is_none_or(|own| !span(own).contains(span(*node)))
        });
        let declaration = match declared {
            Some(name) if !file.is_field(slot) => {
                let whole = statement(name);
                if whole.kind() == "export_statement" || children(whole).len() != 1 {
                    return Err(script.refuse(whole, EXPORTED, APART));
                }
                Some(whole)
            }
            other => other,
        };
        let sets = |node: &&Node<'w>| {
            let assignment = node.parent().filter(|parent| parent.child_by_field_name("left") == Some(**node));
            assignment.is_some_and(|assignment| assignment.kind() == "assignment_expression")
        };
        if !live.is_empty() {
            let mut set = live.iter().filter(sets);
            let (Some(first), None) = (set.next().copied(), set.next()) else {
                return Err(script.refuse(live[0], OTHERS, APART));
            };
            let holder = statement(first);
            let block = self.residual_block(unit, holder).filter(|_| holder.kind() == "expression_statement");
            let Some(block) = block else { return Err(script.refuse(first, OTHERS, APART)) };
            let own = |node: &Node<'w>| span(block).contains(span(*node)) && node.start_byte() >= holder.start_byte();
            if let Some(other) = live.iter().find(|node| !own(node)) {
                return Err(script.refuse(*other, OTHERS, APART));
            }
            self.name_slot(unit, slot, &live, holder);
        }
        if let Some(declaration) = declaration {
            self.remove(unit, declaration);
        }
        self.local_slots.insert((unit, slot));
        Ok(())
    }

    /// `this.transport = new Transport(…)` becomes `const transport = new Transport(…)`.
    fn name_slot(&mut self, unit: usize, slot: SymbolId, live: &[Node<'w>], holder: Node<'w>) {
        let file = &self.world.units[unit];
        if !file.is_field(slot) {
            self.edits[unit].insert_first(holder.start_byte(), "const ");
        } else {
            let name = file.field_name(slot).trim_start_matches('#');
            let own = format!("request{}{}", name[..1].to_uppercase(), &name[1..]);
            let name = free_name(&file.script, &[name, &own]);
            for node in live {
                let first = node.start_byte() == holder.start_byte();
                self.edits[unit].replace(span(*node), if first { format!("const {name}") } else { name.clone() });
            }
        }
    }
}

const OTHERS: &str = "the session that another request opened is meant here, and there is none any more";
const EXPORTED: &str = "what holds the session is exported, or declared together with something else";
const APART: &str =
    "make server and transport in the function that answers the request and keep them there, then run again";
const ASKED: &str = "whether there is a session decides something here, and without sessions there never is one";
const DECIDE: &str = "decide this by something else, then run again";

/// Whether a value is only told: nothing is decided by it, but for which of two constants is told.
fn tells(value: Node<'_>) -> bool {
    let mut node = value;
    while let Some(parent) = node.parent() {
        let is = |field: &str| parent.child_by_field_name(field) == Some(node);
        match parent.kind() {
            "pair" | "return_statement" | "template_substitution" => return true,
            "arrow_function" => return is("body"),
            "arguments" => return true,
            "variable_declarator" => return false,
            "ternary_expression" if is("condition") => {
                let constant = |field: &str| {
                    let arm = parent.child_by_field_name(field).map(bare);
                    arm.is_some_and(|arm| matches!(arm.kind(), "string" | "number" | "true" | "false" | "null"))
                };
                if !(constant("consequence") && constant("alternative")) {
                    return false;
                }
            }
            "parenthesized_expression" | "as_expression" => {}
            _ => return false,
        }
        if is_function(parent) {
            return false;
        }
        node = parent;
    }
    false
}
