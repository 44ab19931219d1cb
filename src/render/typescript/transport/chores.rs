//! Code that does nothing any more once there are no sessions: it keeps their table, or tells a log of them.

use tree_sitter::Node;

use super::fold::Fold;
use super::world::Function;
use crate::model::facts::{ExprKind, SymbolKind};
use crate::plan::transport::Fact;
use crate::render::typescript::pure;
use crate::render::typescript::script::{bare, children, enclosing_function, is_function, span};

/// How far calls of helpers are followed.
const DEPTH: usize = 4;

impl<'w> Fold<'w> {
    /// Whether dropping an expression changes nothing.
    pub fn quiet(&self, unit: usize, node: Node<'w>) -> bool {
        self.quiet_within(unit, node, DEPTH)
    }

    fn quiet_within(&self, unit: usize, node: Node<'w>, depth: usize) -> bool {
        let file = &self.world.units[unit];
        if matches!(file.fact(node), Some(Fact::Absent | Fact::Opens | Fact::Table | Fact::Method)) {
            return true;
        }
        if node.kind() == "await_expression" {
            return children(node).into_iter().all(|child| self.quiet_within(unit, child, depth));
        }
        if node.kind() == "call_expression" {
            let arguments = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
            if !arguments.into_iter().all(|argument| self.quiet_within(unit, argument, depth)) {
                return false;
            }
            if let Some(target) = file.calls.get(&span(node)) {
                return depth > 0 && self.function_quiet(*target, depth - 1);
            }
            let of_quiet = || {
                let object =
                    node.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object"));
                object.is_none_or(|object| self.quiet_within(unit, object, depth))
            };
            return self.looks_at_table(unit, node)
                || self.loads_platform(unit, node)
                || pure::is_pure(&file.script, node)
                || self.asks_empty(unit, node)
                || (self.computes(unit, node) && of_quiet());
        }
        if pure::is_pure(&file.script, node) || self.makes_nothing(unit, node) {
            return true;
        }
        match node.kind() {
            "binary_expression"
            | "ternary_expression"
            | "parenthesized_expression"
            | "member_expression"
            | "subscript_expression"
            | "unary_expression"
            | "as_expression"
            | "non_null_expression"
            | "template_string"
            | "template_substitution"
            | "satisfies_expression" => {
                let deletes = node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "delete");
                let typed = matches!(node.kind(), "as_expression" | "satisfies_expression");
                let mut parts = children(node);
                if typed {
                    parts.truncate(1);
                }
                !deletes && parts.into_iter().all(|child| self.quiet_within(unit, child, depth))
            }
            _ => false,
        }
    }

    /// `table.get(…)`, `table.has(…)`.
    fn looks_at_table(&self, unit: usize, call: Node<'w>) -> bool {
        self.table_call(unit, call).is_some_and(|name| {
            matches!(name, "get" | "has" | "hasOwnProperty" | "peek" | "keys" | "values" | "entries" | "find")
        })
    }

    /// `[…].some(isInitializeRequest)` and its like.
    fn asks_empty(&self, unit: usize, call: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let Some(callee) = call.child_by_field_name("function") else { return false };
        let name = callee.child_by_field_name("property").map_or("", |name| script.of(name));
        let asks_own = name == "call" && script.of(callee).ends_with("hasOwnProperty.call");
        (asks_own || matches!(name, "some" | "every" | "find" | "includes" | "isArray" | "startsWith" | "hasOwn"))
            && callee.child_by_field_name("object").is_none_or(|object| self.quiet_within(unit, object, 1))
    }

    /// The method of a table that a call calls.
    pub fn table_call(&self, unit: usize, call: Node<'w>) -> Option<&'w str> {
        let file = &self.world.units[unit];
        let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression")?;
        let object = bare(callee.child_by_field_name("object")?);
        (file.fact(object) == Some(&Fact::Table))
            .then(|| callee.child_by_field_name("property").map(|name| file.script.of(name)))
            .flatten()
    }

    /// Whether all that a function still does is to answer.
    fn function_quiet(&self, target: Function, depth: usize) -> bool {
        let Some(node) = self.world.function(target) else { return false };
        let Some(body) = node.child_by_field_name("body") else { return false };
        if body.kind() != "statement_block" {
            return self.quiet_within(target.0, body, depth);
        }
        children(body).into_iter().all(|statement| self.statement_quiet(target.0, statement, depth))
    }

    fn statement_quiet(&self, unit: usize, node: Node<'w>, depth: usize) -> bool {
        if !self.reached(unit, node) {
            return true;
        }
        match node.kind() {
            "return_statement" => children(node).into_iter().all(|value| self.quiet_within(unit, value, depth)),
            "lexical_declaration" | "variable_declaration" => children(node).into_iter().all(|declarator| {
                declarator.child_by_field_name("value").is_none_or(|value| self.quiet_within(unit, value, depth))
            }),
            "if_statement" => {
                node.child_by_field_name("condition").is_some_and(|condition| self.quiet_within(unit, condition, depth))
                    && [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
                        .into_iter()
                        .flatten()
                        .all(|part| self.statement_quiet(unit, part, depth))
            }
            "statement_block" | "else_clause" => {
                children(node).into_iter().all(|child| self.statement_quiet(unit, child, depth))
            }
            // What was asked of it once, at the start, is asked no more.
            "throw_statement" => self.lenient.get(),
            "expression_statement" if children(node).first().is_some_and(|value| self.sets_own(unit, *value)) => true,
            _ => self.is_chore(unit, node, false),
        }
    }

    /// `seconds ??= 3600` of a variable of the function itself.
    fn sets_own(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let sets = matches!(node.kind(), "assignment_expression" | "augmented_assignment_expression");
        let target = node.child_by_field_name("left").filter(|target| sets && target.kind() == "identifier");
        let symbol = target.and_then(|target| file.symbol(target));
        let own =
            enclosing_function(node).zip(symbol).is_some_and(|(function, symbol)| file.home(symbol) == span(function));
        own && node.child_by_field_name("right").is_some_and(|value| self.quiet(unit, value))
    }

    /// Whether a statement only keeps the table of sessions or tells a log of it. `closing` says that closing transports and
    /// servers counts as well, as it does where sessions end.
    pub fn is_chore(&self, unit: usize, node: Node<'w>, closing: bool) -> bool {
        if self.edits[unit].erased(node) || self.is_eviction(unit, node) {
            return true;
        }
        match node.kind() {
            "comment" | "empty_statement" => true,
            "statement_block" | "else_clause" | "catch_clause" | "finally_clause" => children(node)
                .into_iter()
                .filter(|child| node.kind() != "catch_clause" || child.kind() == "statement_block")
                .all(|child| self.is_chore(unit, child, closing)),
            "expression_statement" => children(node).into_iter().all(|value| self.chore_value(unit, value, closing)),
            "return_statement" => children(node)
                .into_iter()
                .all(|value| self.quiet(unit, value) || self.chore_value(unit, value, closing)),
            "throw_statement" | "continue_statement" | "break_statement" => closing,
            "lexical_declaration" | "variable_declaration" => children(node).into_iter().all(|declarator| {
                declarator.child_by_field_name("value").is_none_or(|value| {
                    self.quiet(unit, value)
                        || self.chore_value(unit, value, closing)
                        || (closing && self.looks(unit, value))
                })
            }),
            "if_statement" => {
                let condition = node.child_by_field_name("condition");
                condition
                    .is_some_and(|condition| self.quiet(unit, condition) || (closing && self.looks(unit, condition)))
                    && [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
                        .into_iter()
                        .flatten()
                        .all(|part| self.is_chore(unit, part, closing))
            }
            "for_in_statement" | "for_statement" => {
                node.child_by_field_name("body").is_some_and(|body| self.is_chore(unit, body, closing))
                    && node.child_by_field_name("right").is_none_or(|right| closing || self.quiet(unit, right))
            }
            "try_statement" => children(node).into_iter().all(|part| self.is_chore(unit, part, closing)),
            _ => false,
        }
    }

    /// A condition that compares and computes, and calls nothing that is not known to look only.
    pub(super) fn looks(&self, unit: usize, node: Node<'w>) -> bool {
        match node.kind() {
            "call_expression" => {
                self.quiet(unit, node)
                    || self.table_call(unit, node).is_some()
                    || (self.computes(unit, node) && children(node).into_iter().all(|part| self.looks(unit, part)))
            }
            "new_expression" => {
                let class = node.child_by_field_name("constructor");
                class.is_some_and(|class| self.world.units[unit].script.of(class) == "Date")
                    && children(node).into_iter().all(|part| self.looks(unit, part))
            }
            "assignment_expression" | "augmented_assignment_expression" | "update_expression" => false,
            _ => children(node).into_iter().all(|child| self.looks(unit, child)),
        }
    }

    /// Whether what a call calls gives back something made of what it is given, and does nothing else.
    fn computes(&self, unit: usize, call: Node<'w>) -> bool {
        const FUNCTIONS: &[&str] =
            &["String", "Boolean", "BigInt", "parseInt", "parseFloat", "Date.now", "performance.now"];
        const METHODS: &[&str] = &[
            "getTime",
            "valueOf",
            "toFixed",
            "toString",
            "toISOString",
            "toLocaleString",
            "slice",
            "substring",
            "padStart",
            "padEnd",
            "includes",
            "startsWith",
            "endsWith",
            "join",
            "trim",
            "toLowerCase",
            "toUpperCase",
            "map",
            "filter",
            "flatMap",
        ];
        let script = &self.world.units[unit].script;
        let Some(callee) = call.child_by_field_name("function") else { return false };
        let name = script.of(callee);
        let method = callee.child_by_field_name("property").map_or("", |property| script.of(property));
        let counts = name == "Number" || name.starts_with("Number.") || name.starts_with("Math.");
        let lists = matches!(name, "Object.values" | "Object.keys" | "Object.entries" | "Array.from");
        counts || lists || FUNCTIONS.contains(&name) || METHODS.contains(&method)
    }

    fn chore_value(&self, unit: usize, value: Node<'w>, closing: bool) -> bool {
        let file = &self.world.units[unit];
        let node = bare(value);
        match node.kind() {
            "assignment_expression" | "augmented_assignment_expression" => {
                let Some(target) = node.child_by_field_name("left").map(bare) else { return false };
                let into_table = target.kind() == "subscript_expression"
                    && target
                        .child_by_field_name("object")
                        .is_some_and(|object| file.fact(bare(object)) == Some(&Fact::Table));
                into_table
                    || self.empties_table(unit, target, node)
                    || self.empties_slot(unit, node)
                    || (closing
                        && (self.quiet_target(unit, target, node)
                            || self.stands_still(unit, node)
                            || self.sums_up(unit, node)))
            }
            "unary_expression" => {
                let deletes = node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "delete");
                let argument = node.child_by_field_name("argument").map(bare);
                match argument {
                    Some(argument) if deletes => argument
                        .child_by_field_name("object")
                        .is_some_and(|object| file.fact(bare(object)) == Some(&Fact::Table)),
                    Some(argument) => self.chore_value(unit, argument, closing),
                    None => false,
                }
            }
            "binary_expression" => {
                children(node).into_iter().all(|side| self.quiet(unit, side) || self.chore_value(unit, side, closing))
            }
            "call_expression" => self.chore_call(unit, node, closing),
            "update_expression" => closing && self.stands_still(unit, node),
            _ => false,
        }
    }

    /// `transports = {}`, `this.sessions = new Map()`.
    fn empties_table(&self, unit: usize, target: Node<'w>, assignment: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let made = assignment.child_by_field_name("right").map(bare);
        assignment.kind() == "assignment_expression"
            && file.fact(target) == Some(&Fact::Table)
            && made.is_some_and(|made| match made.kind() {
                "object" => children(made).is_empty(),
                "new_expression" => made.child_by_field_name("arguments").is_none_or(|list| children(list).is_empty()),
                "call_expression" => file.script.of(made) == "Object.create(null)",
                _ => false,
            })
    }

    /// A note in a record, or in a variable of the code that goes: `entry.lastSeen = Date.now()`.
    fn quiet_target(&self, unit: usize, target: Node<'w>, assignment: Node<'w>) -> bool {
        let value = assignment.child_by_field_name("right");
        target.kind() == "member_expression"
            && value.is_some_and(|value| self.looks(unit, value) || self.sets_timer(unit, bare(value)))
    }

    fn chore_call(&self, unit: usize, call: Node<'w>, closing: bool) -> bool {
        let file = &self.world.units[unit];
        if let Some(name) = self.table_call(unit, call) {
            let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
            return match name {
                "forEach" => arguments.into_iter().all(|callback| self.callback_chore(unit, callback, true)),
                "set" | "put" | "delete" | "clear" | "add" | "push" | "splice" => true,
                _ => self.quiet(unit, call),
            };
        }
        match file.fact(call) {
            Some(Fact::Log) => return true,
            Some(Fact::Emit) => return self.emits_to_logs(unit, call),
            Some(Fact::Close) if closing => return true,
            _ => {}
        }
        let callee = call.child_by_field_name("function");
        let name = callee.map_or("", |callee| file.script.of(callee));
        if closing
            && (matches!(name, "clearTimeout" | "clearInterval")
                || self.collects(unit, call)
                || self.frees_timer(unit, call))
        {
            return true;
        }
        // `x.close().catch(() => {})`.
        if let Some(receiver) = callee
            .filter(|callee| callee.kind() == "member_expression")
            .and_then(|callee| callee.child_by_field_name("object"))
            .map(bare)
            && matches!(
                callee.and_then(|c| c.child_by_field_name("property")).map(|p| file.script.of(p)),
                Some("catch" | "then" | "finally")
            )
            && receiver.kind() == "call_expression"
        {
            let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
            return self.chore_call(unit, receiver, closing)
                && arguments.into_iter().all(|callback| self.callback_chore(unit, callback, closing));
        }
        match file.calls.get(&span(call)) {
            Some(target) => self.function_chore(*target, closing),
            None => false,
        }
    }

    /// `stale.push(id)` on a list of the function itself.
    fn collects(&self, unit: usize, call: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let callee = call.child_by_field_name("function");
        let puts = callee
            .and_then(|callee| callee.child_by_field_name("property"))
            .is_some_and(|name| matches!(file.script.of(name), "push" | "unshift" | "add"));
        let list =
            callee.and_then(|callee| callee.child_by_field_name("object")).filter(|list| list.kind() == "identifier");
        let own =
            list.and_then(|list| file.symbol(list)).zip(enclosing_function(call)).is_some_and(|(symbol, function)| {
                file.declared_by(symbol) != SymbolKind::Parameter && file.home(symbol) == span(function)
            });
        let given = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        puts && own && given.into_iter().all(|value| self.looks(unit, value))
    }

    /// Whether all that a callback does is such a chore.
    pub fn callback_chore(&self, unit: usize, callback: Node<'w>, closing: bool) -> bool {
        if is_function(callback) {
            return self.function_chore((unit, span(callback)), closing);
        }
        self.named_function(unit, callback).is_some_and(|function| self.function_chore(function, closing))
    }

    /// The function of the file that a name is.
    pub(super) fn named_function(&self, unit: usize, name: Node<'w>) -> Option<Function> {
        let file = &self.world.units[unit];
        let symbol = file.module.symbol(file.symbol(name)?);
        let at = match symbol.kind {
            SymbolKind::Function(id) => file.module.function(id).span,
            _ => match file.module.kind(symbol.init?) {
                ExprKind::Function(id) => file.module.function(*id).span,
                _ => return None,
            },
        };
        Some((unit, at))
    }

    /// Whether all that a function does is such a chore.
    pub fn function_chore(&self, target: Function, closing: bool) -> bool {
        if self.chores.borrow().contains(&target) {
            return false;
        }
        let Some(body) = self.world.function(target).and_then(|node| node.child_by_field_name("body")) else {
            return false;
        };
        self.chores.borrow_mut().push(target);
        let chore = if body.kind() == "statement_block" {
            self.is_chore(target.0, body, closing)
        } else {
            self.quiet(target.0, body) || self.chore_value(target.0, body, closing)
        };
        self.chores.borrow_mut().pop();
        chore
    }
}
