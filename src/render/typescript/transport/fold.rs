//! Takes away the code that the machine found to be decided: branches that are never taken, checks that always hold, chores for a
//! table that is empty.

use std::cell::{Cell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::edits::{Edits, item};
use super::machine::{Findings, Place, functions_in};
use super::servers::Own;
use super::world::{Function, Name, World};
use crate::plan::transport::Fact;
use crate::render::typescript::script::{bare, children, is_function, is_statement, span};
use crate::render::{Change, Refused, all};

/// The folding of all files.
pub struct Fold<'w> {
    /// The files.
    pub world: &'w World,
    /// What the machine found.
    pub findings: Findings,
    /// What it finds with nothing known of sessions: none of our business.
    before: Findings,
    /// The edits, file by file.
    pub edits: Vec<Edits>,
    /// Functions whose chores are being judged.
    pub chores: RefCell<Vec<Function>>,
    /// Blocks that were unwrapped, with the statement in whose place they stand now.
    pub unwrapped: FxHashMap<(usize, usize), Node<'w>>,
    /// What the reader has to know.
    pub notes: Vec<String>,
    /// The shutdown waits for requests now.
    pub drains: bool,
    /// Where a handler of methods that are gone was declared under its new name: the file and the block.
    pub turned_away: Vec<(usize, usize)>,
    /// Helpers that answer methods that are gone, with what they are given.
    pub answering: FxHashSet<Function>,
    /// A handler of the second SDK will serve all methods.
    pub modern: bool,
    /// The function that counts requests, where it has to be called in the handler.
    pub counted_by: Option<Counted>,
    /// Functions that receive requests of every method.
    pub node_handlers: FxHashSet<Function>,
    /// What is looked at was worked out once, at the start: a check of it may go with it.
    pub lenient: Cell<bool>,
    /// What POST, GET and DELETE reach, where one function receives them all.
    pub by_method: [FxHashSet<Place>; 3],
    /// Which way conditions go for POST, where one function receives all methods.
    pub decided_for_post: FxHashMap<Place, Option<bool>>,
    /// Servers that all sessions shared, and how a request builds its own.
    pub own_servers: Vec<Own>,
    /// Places that held one session at a time, and are constants of a request now.
    pub local_slots: FxHashSet<Name>,
    /// Changes of files that the step knows nothing else of.
    pub elsewhere: Vec<Change>,
    /// Timers that are gone: the variables that held them.
    pub timers: FxHashSet<Name>,
    /// The same for fields: the file, the class, the field.
    pub timer_fields: Vec<(usize, Node<'w>, &'w str)>,
}

impl<'w> Fold<'w> {
    /// Prepares a folding.
    pub fn new(world: &'w World, findings: Findings, before: Findings) -> Self {
        let edits = world.units.iter().map(|_| Edits::default()).collect();
        Self {
            world,
            findings,
            before,
            edits,
            chores: RefCell::default(),
            unwrapped: FxHashMap::default(),
            notes: Vec::new(),
            drains: false,
            turned_away: Vec::new(),
            answering: FxHashSet::default(),
            modern: false,
            counted_by: None,
            node_handlers: FxHashSet::default(),
            lenient: Cell::new(false),
            by_method: Default::default(),
            decided_for_post: FxHashMap::default(),
            own_servers: Vec::new(),
            local_slots: FxHashSet::default(),
            elsewhere: Vec::new(),
            timers: FxHashSet::default(),
            timer_fields: Vec::new(),
        }
    }

    /// Folds all files.
    pub fn run(&mut self) -> Result<(), Refused> {
        let roots: Vec<Node<'w>> = self.world.units.iter().map(|unit| unit.script.tree.root_node()).collect();
        all(roots.into_iter().enumerate().map(|(unit, root)| self.walk(unit, root)))
    }

    /// Whether a statement is reached.
    pub fn reached(&self, unit: usize, node: Node<'_>) -> bool {
        self.findings.reached.contains(&(unit, span(node), node.kind_id()))
            || matches!(node.kind(), "else_clause" | "comment")
    }

    pub(super) fn decided(&self, unit: usize, node: Node<'_>) -> Option<bool> {
        let place = (unit, span(node), node.kind_id());
        let already = self.before.decided.get(&place).copied().flatten();
        self.findings.decided.get(&place).copied().flatten().filter(|way| already != Some(*way))
    }

    /// Takes a statement away.
    pub fn remove(&mut self, unit: usize, node: Node<'w>) {
        let at = self.world.units[unit].script.removal(node);
        self.edits[unit].cut(at);
    }

    pub(super) fn walk(&mut self, unit: usize, node: Node<'w>) -> Result<(), Refused> {
        if self.edits[unit].gone(node) {
            return Ok(());
        }
        if is_function(node) && !self.findings.ran.contains(&(unit, span(node))) {
            return Ok(());
        }
        if is_statement(node) && self.is_dead(unit, node) {
            self.remove(unit, node);
            return Ok(());
        }
        if self.is_eviction(unit, node) {
            self.remove(unit, node);
            return Ok(());
        }
        match node.kind() {
            "if_statement" => self.fold_if(unit, node),
            "switch_statement" => self.fold_switch(unit, node),
            "ternary_expression" | "binary_expression" => self.fold_choice(unit, node),
            "for_in_statement" if self.decided(unit, node) == Some(false) && self.is_chore(unit, node, true) => {
                if !self.closes(unit, node) && !self.closes_by_calls(unit, node) {
                    self.note_counters(unit, node);
                    self.remove(unit, node);
                }
                Ok(())
            }
            "expression_statement" if self.drops(unit, node) => {
                self.remove(unit, node);
                Ok(())
            }
            "lexical_declaration" | "variable_declaration" if self.is_reaper(unit, node) => {
                if let Some(name) = children(node).first().and_then(|declarator| declarator.child_by_field_name("name"))
                    && let Some(symbol) = self.world.units[unit].symbol(name)
                {
                    self.timers.insert((unit, symbol));
                }
                self.remove(unit, node);
                Ok(())
            }
            // `Math.min(now, ...[])`.
            "spread_element" if self.spreads_nothing(unit, node) => {
                let at = item(&self.world.units[unit].script, node);
                self.edits[unit].cut(at);
                Ok(())
            }
            "call_expression" if self.world.units[unit].fact(node) == Some(&Fact::Log) => {
                self.trim_call(unit, node);
                self.walk_children(unit, node)
            }
            _ => self.walk_children(unit, node),
        }
    }

    /// Whether what is spread among the arguments of a call has become an empty list.
    fn spreads_nothing(&self, unit: usize, node: Node<'w>) -> bool {
        node.parent().is_some_and(|list| list.kind() == "arguments" && children(list).len() > 1)
            && self.decided(unit, node) == Some(false)
            && children(node).into_iter().all(|value| self.quiet(unit, value))
    }

    pub(super) fn walk_children(&mut self, unit: usize, node: Node<'w>) -> Result<(), Refused> {
        all(children(node).into_iter().map(|child| self.walk(unit, child)))
    }

    /// A statement that is never reached though the code around it is.
    pub(super) fn is_dead(&self, unit: usize, node: Node<'w>) -> bool {
        let declares = is_function(node)
            || matches!(
                node.kind(),
                "comment"
                    | "import_statement"
                    | "interface_declaration"
                    | "type_alias_declaration"
                    | "export_statement"
                    | "class_declaration"
                    | "abstract_class_declaration"
                    | "enum_declaration"
                    | "empty_statement"
                    | "ambient_declaration"
                    | "function_signature"
                    | "hash_bang_line"
            );
        let lived = self.before.reached.contains(&(unit, span(node), node.kind_id()));
        if declares || self.reached(unit, node) || !lived {
            return false;
        }
        node.parent().is_some_and(|parent| {
            parent.kind() != "program"
                && (self.reached(unit, parent)
                    || parent.parent().is_some_and(|function| {
                        is_function(function) && self.findings.ran.contains(&(unit, span(function)))
                    }))
        })
    }

    /// Whether a statement of its own does nothing any more.
    pub(super) fn drops(&mut self, unit: usize, node: Node<'w>) -> bool {
        if self.closes_nothing(unit, node) {
            return true;
        }
        let reaper = self.is_reaper(unit, node);
        if (reaper || self.speaks_of_sessions(unit, node)) && !self.closes(unit, node) && !self.ends_all(unit, node) {
            if self.tells_bound(unit, node) {
                return false;
            }
            if self.is_chore(unit, node, false) {
                return !self.trim_log(unit, node) && !self.logs_more(unit, node);
            }
            if self.ends_session(unit, node) {
                self.note_counters(unit, node);
                return true;
            }
            if reaper {
                self.note_counters(unit, node);
                self.held_timer(unit, node);
                return true;
            }
        }
        if self.hears_of_sessions(unit, node) {
            self.note_lost_lines(unit, node);
            return true;
        }
        self.stops_timer(unit, node)
    }

    /// Whether code closes what a table holds: at shutdown that is a matter of its own.
    pub fn closes(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        any(node, &mut |inner| file.fact(inner) == Some(&Fact::Close))
            && !self.is_reaper(unit, node)
            && !self.ends_session(unit, node)
    }

    /// The same, by way of functions that do nothing else: `for (const id of sessions.keys()) await end(id);`.
    pub(super) fn closes_by_calls(&self, unit: usize, node: Node<'w>) -> bool {
        let calls = &self.world.units[unit].calls;
        any(node, &mut |inner| {
            let target = calls.get(&span(inner)).filter(|_| inner.kind() == "call_expression");
            target.is_some_and(|target| {
                let closes = self.world.function(*target).is_some_and(|function| self.closes(target.0, function));
                // Those that are looked for are not all.
                let mut around = std::iter::successors(inner.parent(), Node::parent).take_while(|outer| *outer != node);
                closes && !around.any(|outer| outer.kind() == "if_statement") && self.function_chore(*target, true)
            })
        })
    }

    /// Whether a statement calls what closes all sessions by way of other functions: `await sessions.endAll();`.
    fn ends_all(&self, unit: usize, node: Node<'w>) -> bool {
        let calls = &self.world.units[unit].calls;
        any(node, &mut |inner| {
            let target = calls.get(&span(inner)).filter(|_| inner.kind() == "call_expression");
            target.is_some_and(|target| {
                let closes =
                    self.world.function(*target).is_some_and(|function| self.closes_by_calls(target.0, function));
                closes && self.argument(inner, 0).is_none() && self.only_closes(*target)
            })
        })
    }

    /// `transport.onclose = () => { … }` whose body is about the table alone.
    pub(super) fn ends_session(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let Some(assignment) = children(node).first().copied().filter(|inner| inner.kind() == "assignment_expression")
        else {
            return false;
        };
        let (Some(target), Some(value)) =
            (assignment.child_by_field_name("left"), assignment.child_by_field_name("right"))
        else {
            return false;
        };
        let named = target.child_by_field_name("property").is_some_and(|name| file.script.of(name) == "onclose");
        named && self.callback_chore(unit, value, true)
    }

    /// `setInterval(() => { … }, ms)` that looks for sessions to close.
    pub(super) fn is_reaper(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let mut found = false;
        any(node, &mut |inner| {
            if inner.kind() != "call_expression" {
                return false;
            }
            let callee = inner.child_by_field_name("function").map_or("", |callee| file.script.of(callee));
            if !matches!(callee, "setInterval" | "setTimeout") {
                return false;
            }
            let callback = inner.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
            found |= callback.is_some_and(|callback| {
                let function = self.named_function(unit, callback).and_then(|named| self.world.function(named));
                self.speaks_of_sessions(unit, function.unwrap_or(callback)) && self.callback_chore(unit, callback, true)
            });
            true
        });
        found
    }

    /// `this.timer = setInterval(…)`, `timer = setInterval(…)`.
    pub(super) fn held_timer(&mut self, unit: usize, node: Node<'w>) {
        let file = &self.world.units[unit];
        let script = &file.script;
        let target = children(node).first().and_then(|inner| inner.child_by_field_name("left"));
        let named = target.filter(|target| target.kind() == "identifier").and_then(|target| file.symbol(target));
        self.timers.extend(named.map(|symbol| (unit, symbol)));
        let Some(field) = target.filter(|target| target.kind() == "member_expression") else { return };
        let of_this = field.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
        let class = std::iter::successors(field.parent(), Node::parent).find(|node| node.kind() == "class_body");
        if let (true, Some(class), Some(name)) = (of_this, class, field.child_by_field_name("property")) {
            self.timer_fields.push((unit, class, script.of(name)));
        }
    }

    /// `clearInterval(reaper)`, `reaper.unref()` of a timer that is gone; code around such a call is not meant.
    pub(super) fn stops_timer(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let timer = |node: Node<'w>| {
            node.kind() == "identifier" && file.symbol(node).is_some_and(|symbol| self.timers.contains(&(unit, symbol)))
        };
        let Some(call) = children(node).first().copied().filter(|call| call.kind() == "call_expression") else {
            return false;
        };
        let Some(callee) = call.child_by_field_name("function") else { return false };
        match callee.child_by_field_name("object") {
            Some(object) => timer(bare(object)),
            None => {
                let given = call.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
                matches!(file.script.of(callee), "clearInterval" | "clearTimeout")
                    && given.is_some_and(|given| timer(bare(given)))
            }
        }
    }

    /// Whether code has to do with sessions, itself or in what it calls.
    pub fn speaks_of_sessions(&self, unit: usize, node: Node<'w>) -> bool {
        self.speaks(unit, node, 3)
    }

    pub(super) fn speaks(&self, unit: usize, node: Node<'w>, depth: usize) -> bool {
        let file = &self.world.units[unit];
        any(node, &mut |inner| {
            let known = matches!(file.fact(inner), Some(Fact::Absent | Fact::Table | Fact::Carried | Fact::Slot));
            known
                || self.is_absent(unit, inner)
                || (depth > 0
                    && inner.kind() == "call_expression"
                    && file.calls.get(&span(inner)).is_some_and(|target| {
                        self.world.function(*target).is_some_and(|function| self.speaks(target.0, function, depth - 1))
                    }))
        })
    }

    /// Whether an identifier is a variable that only ever holds an absent session id.
    pub fn is_absent(&self, unit: usize, node: Node<'w>) -> bool {
        matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && self.world.units[unit].symbol(node).is_some_and(|symbol| self.findings.absent.contains(&(unit, symbol)))
    }

    /// All functions of a file.
    pub fn functions(&self, unit: usize) -> Vec<Node<'w>> {
        let mut out = Vec::new();
        functions_in(self.world.units[unit].script.tree.root_node(), &mut out);
        out
    }
}

/// A function that counts requests where the handler calls it.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The file of the handler.
    pub unit: usize,
    /// Its name.
    pub track: String,
    /// It says whether the request may go on.
    pub turns_away: bool,
}

/// Whether any node within (or the node itself) is so.
pub fn any<'t>(node: Node<'t>, test: &mut impl FnMut(Node<'t>) -> bool) -> bool {
    test(node) || children(node).into_iter().any(|child| any(child, test))
}
