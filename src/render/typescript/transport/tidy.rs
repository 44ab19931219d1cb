//! What folding leaves behind: functions that nothing calls, parameters that nothing reads, tables that nothing uses.

use tree_sitter::Node;

use super::edits::item;
use super::fold::{Fold, any};
use super::machine::parameters;
use super::world::Function;
use crate::model::facts::Span;
use crate::plan::loggers::names_logger;
use crate::plan::transport::{Fact, Transport};
use crate::render::typescript::script::{children, enclosing_function, is_function, span, statement};

impl<'w> Fold<'w> {
    /// Takes away what nothing needs any more, to a fixpoint.
    pub fn tidy(&mut self, step: &Transport) {
        loop {
            let before = self.edits.iter().map(super::edits::Edits::count).sum::<usize>();
            self.last_returns();
            for unit in 0..self.world.units.len() {
                for function in self.functions(unit) {
                    self.tidy_function(unit, function);
                }
            }
            self.unused_values(step);
            self.hollow_functions();
            self.unused_timers();
            self.unused_timer_variables();
            self.tables(step);
            self.silent_emitters();
            if self.edits.iter().map(super::edits::Edits::count).sum::<usize>() == before {
                break;
            }
        }
    }

    /// Calls of functions of which folding left nothing: `await this.closeSession();`.
    fn hollow_functions(&mut self) {
        for unit in 0..self.world.units.len() {
            for function in self.functions(unit) {
                let own = (unit, span(function));
                let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
                let hollow = body.is_some_and(|body| {
                    !children(body).is_empty() && !self.edits[unit].gone(body) && self.hollow(unit, body)
                });
                if !hollow || !self.world.units[unit].closed.contains(&own.1) {
                    continue;
                }
                let mut calls = self.calls_of(own);
                calls.retain(|(at, call)| !self.edits[*at].gone(*call));
                let alone = |call: Node<'w>| {
                    let mut around = call;
                    while let Some(parent) = around.parent().filter(|parent| {
                        matches!(parent.kind(), "await_expression" | "unary_expression" | "parenthesized_expression")
                    }) {
                        around = parent;
                    }
                    around.parent().filter(|parent| parent.kind() == "expression_statement")
                };
                let quiet = |(at, call): &(usize, Node<'w>)| {
                    let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
                    arguments.into_iter().all(|argument| self.quiet(*at, argument))
                };
                if !calls.iter().all(quiet) || !calls.iter().all(|(_, call)| alone(*call).is_some()) {
                    continue;
                }
                for (at, whole) in calls.into_iter().filter_map(|(at, call)| Some((at, alone(call)?))) {
                    self.remove(at, whole);
                }
            }
        }
    }

    /// Variables that nothing reads any more, and whose value is got without doing anything.
    fn unused_values(&mut self, step: &Transport) {
        for unit in 0..self.world.units.len() {
            let file = &self.world.units[unit];
            let mut declarators = Vec::new();
            any(file.script.tree.root_node(), &mut |node| {
                if node.kind() == "variable_declarator" && !self.edits[unit].gone(node) && self.runs(unit, node) {
                    declarators.push(node);
                }
                false
            });
            for declarator in declarators {
                let name = declarator.child_by_field_name("name");
                let (Some(name), Some(value)) = (name, declarator.child_by_field_name("value")) else { continue };
                let Some(names) = bound_names(name) else { continue };
                let dead = names.iter().all(|name| {
                    let uses = file.symbol(*name).map_or_else(Vec::new, |symbol| self.uses(unit, (unit, symbol)));
                    uses.len() > 1 && uses.iter().all(|used| used == name || self.edits[unit].gone(*used))
                });
                let alone = declarator.parent().filter(|declaration| {
                    children(*declaration).len() == 1
                        && declaration.parent().is_some_and(|parent| parent.kind() != "export_statement")
                });
                let Some(declaration) = alone.filter(|_| dead) else { continue };
                self.lenient.set(self.is_set_up(step, unit, declaration));
                let quiet = self.quiet(unit, value) || self.is_logger_of(unit, value);
                self.lenient.set(false);
                if quiet {
                    self.note_option(unit, value);
                    self.remove(unit, declaration);
                }
            }
        }
    }

    /// `import('node:crypto')`: a module of the platform does nothing when it is loaded.
    pub(super) fn loads_platform(&self, unit: usize, call: Node<'w>) -> bool {
        let loads = call.child_by_field_name("function").is_some_and(|callee| callee.kind() == "import");
        let module = self.argument(call, 0).map_or("", |module| self.world.units[unit].script.of(module));
        let module = module.trim_matches(['"', '\'']);
        loads && (module.starts_with("node:") || module == "crypto")
    }

    /// Whether code runs where routes are registered, and for no request: what a request's code works out may be a check that the
    /// request has to pass.
    fn is_set_up(&self, step: &Transport, unit: usize, node: Node<'w>) -> bool {
        let path = &self.world.units[unit].script.path;
        let registers = |function: Node<'w>| {
            let here = step.routes.iter().filter(|route| route.at.path == *path);
            here.into_iter().any(|route| span(function).contains(route.at.span))
        };
        let mut handlers = step.routes.iter().flat_map(|route| self.handlers(route));
        enclosing_function(node).is_none_or(registers)
            && !handlers.any(|(at, handler)| at == unit && handler.contains(span(node)))
    }

    /// `log.child({ … })`: a logger that says something more.
    fn is_logger_of(&self, unit: usize, value: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let callee = value.child_by_field_name("function").filter(|_| value.kind() == "call_expression");
        callee.is_some_and(|callee| {
            let name = callee.child_by_field_name("property").is_some_and(|name| script.of(name) == "child");
            let object = callee.child_by_field_name("object").map_or("", |object| script.of(object));
            name && names_logger(object.rsplit('.').next().unwrap_or(object))
        })
    }

    fn tidy_function(&mut self, unit: usize, function: Node<'w>) {
        let file = &self.world.units[unit];
        let own = (unit, span(function));
        if self.edits[unit].gone(function) {
            return;
        }
        if self.is_unused_method(unit, function) {
            self.remove(unit, function);
            return;
        }
        if !file.closed.contains(&own.1) {
            return;
        }
        let calls = self.calls_of(own);
        let live: Vec<(usize, Node<'w>)> =
            calls.iter().copied().filter(|(at, call)| !self.edits[*at].gone(*call)).collect();
        // What was called, and is not any more.
        if live.is_empty() && !calls.is_empty() {
            // How a server is closed is not for sessions alone.
            if function.kind() != "method_definition" || !self.closes_its_own(unit, function) {
                self.remove_function(unit, function);
            }
            return;
        }
        if self.findings.ran.contains(&own) && !self.answering.contains(&own) {
            self.tidy_parameters(own, function, &live);
            self.tidy_type(own, function);
        }
    }

    /// Whether a method closes a server or transport that has nothing to do with the table of sessions.
    fn closes_its_own(&self, unit: usize, function: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        any(function, &mut |node| file.fact(node) == Some(&Fact::Close)) && !self.speaks_of_sessions(unit, function)
    }

    /// Whether a method that only its class sees was called there, and is not any more.
    fn is_unused_method(&self, unit: usize, function: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let Some(class) = function.parent().filter(|parent| parent.kind() == "class_body") else { return false };
        let Some(name) = function.child_by_field_name("name").map(|name| script.of(name)) else { return false };
        let mut cursor = function.walk();
        let private = name.starts_with('#')
            || function
                .children(&mut cursor)
                .any(|child| child.kind() == "accessibility_modifier" && script.of(child) == "private");
        let (mut all, mut live) = (0, 0);
        any(class, &mut |node| {
            let used = node.kind() == "member_expression"
                && node.child_by_field_name("property").is_some_and(|property| script.of(property) == name);
            if used && !span(function).contains(span(node)) {
                all += 1;
                live += usize::from(!self.edits[unit].gone(node));
            }
            false
        });
        private && all > 0 && live == 0
    }

    /// A declaration, with the `export` in front of it.
    pub(super) fn remove_declaration(&mut self, unit: usize, node: Node<'w>) {
        let whole = node.parent().filter(|parent| parent.kind() == "export_statement").unwrap_or(node);
        self.remove(unit, whole);
    }

    /// The calls of a function.
    pub(super) fn calls_of(&self, function: Function) -> Vec<(usize, Node<'w>)> {
        let mut out = Vec::new();
        for (unit, file) in self.world.units.iter().enumerate() {
            for (at, target) in &file.calls {
                if *target == function
                    && let Some(node) = file.script.node(*at)
                {
                    out.push((unit, node));
                }
            }
        }
        out
    }

    /// Parameters that nothing reads any more.
    fn tidy_parameters(&mut self, own: Function, function: Node<'w>, calls: &[(usize, Node<'w>)]) {
        let (unit, _) = own;
        let file = &self.world.units[unit];
        let params = parameters(function);
        for (index, param) in params.iter().enumerate() {
            let name = param.child_by_field_name("pattern").unwrap_or(*param);
            if name.kind() != "identifier" || self.edits[unit].gone(*param) {
                continue;
            }
            let Some(symbol) = file.symbol(name) else { continue };
            let uses = self.uses(unit, (unit, symbol));
            let read = uses.len() < 2 || uses.into_iter().any(|used| used != name && !self.edits[unit].gone(used));
            // Arguments before it that are gone would count as well.
            let plain = calls.iter().all(|(_, call)| {
                let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
                arguments.iter().all(|argument| argument.kind() != "spread_element")
            });
            let quiet = calls.iter().all(|(caller, call)| {
                let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
                arguments.get(index).is_none_or(|argument| self.quiet(*caller, *argument))
            });
            if read || !plain || !quiet || function.child_by_field_name("parameter").is_some() {
                continue;
            }
            let at = item(&file.script, *param);
            self.edits[unit].cut(at);
            self.tell_parameter(unit, function, name);
            for (caller, call) in calls {
                let argument =
                    call.child_by_field_name("arguments").and_then(|list| children(list).get(index).copied());
                if let Some(argument) = argument {
                    let at = item(&self.world.units[*caller].script, argument);
                    self.edits[*caller].cut(at);
                }
            }
        }
    }

    /// What others may call is told to take less: tests are not looked into.
    fn tell_parameter(&mut self, unit: usize, function: Node<'w>, parameter: Node<'w>) {
        let script = &self.world.units[unit].script;
        let exported = function.parent().is_some_and(|parent| parent.kind() == "export_statement");
        if let Some(name) = function.child_by_field_name("name").filter(|_| exported) {
            self.raise(&format!(
                "`{}` takes no `{}` any more: tests and others that call it have to leave it out.",
                script.of(name),
                script.of(parameter)
            ));
        }
    }

    /// A written type that allows for nothing, where there always is something.
    fn tidy_type(&mut self, own: Function, function: Node<'w>) {
        let (unit, _) = own;
        if !self.findings.always.contains(&own) {
            return;
        }
        let Some(ty) = function.child_by_field_name("return_type") else { return };
        let script = &self.world.units[unit].script;
        let mut unions = Vec::new();
        any(ty, &mut |node| {
            if node.kind() == "union_type" {
                unions.push(node);
            }
            matches!(node.kind(), "object_type" | "function_type")
        });
        for union in unions.into_iter().take(1) {
            let parts = children(union);
            for (index, part) in parts.iter().enumerate() {
                if !matches!(script.of(*part), "undefined" | "null") || self.edits[unit].gone(*part) {
                    continue;
                }
                let at = match (index.checked_sub(1).map(|before| parts[before]), parts.get(index + 1)) {
                    (Some(before), _) => Span::new(before.end_byte(), part.end_byte()),
                    (None, Some(after)) => Span::new(part.start_byte(), after.start_byte()),
                    (None, None) => continue,
                };
                self.edits[unit].cut(at);
            }
        }
    }

    /// Tables of which no use is left.
    fn tables(&mut self, step: &Transport) {
        for table in &step.tables {
            let Some(unit) = self.world.unit(&table.path) else { continue };
            let file = &self.world.units[unit];
            let Some(name) = file.script.node(table.span) else { continue };
            if self.edits[unit].gone(name) {
                continue;
            }
            let declaration = match name.parent().map(|parent| (parent, parent.kind())) {
                Some((declarator, "variable_declarator")) => {
                    declarator.parent().filter(|declaration| children(*declaration).len() == 1)
                }
                Some((field, "public_field_definition" | "field_definition")) => Some(field),
                _ => None,
            };
            let Some(declaration) = declaration else { continue };
            let used = (0..self.world.units.len()).any(|at| {
                self.places(at, &Fact::Table)
                    .into_iter()
                    .any(|node| !span(declaration).contains(span(node)) || at != unit)
            });
            // Another table's uses count as well: all go, or what is left is found by the last check.
            if !used {
                self.remove_declaration(unit, declaration);
            }
        }
    }

    /// Whether nothing runs in a function after a block.
    fn ends_function(&self, unit: usize, block: Node<'w>) -> bool {
        let Some(around) = block.parent() else { return false };
        if around.kind() != "try_statement" {
            return is_function(around);
        }
        let last =
            around.child_by_field_name("body") == Some(block) && around.child_by_field_name("finalizer").is_none();
        let body = around.parent().filter(|body| body.parent().is_some_and(is_function));
        last && body.is_some_and(|body| {
            children(body)
                .into_iter()
                .all(|node| node.start_byte() <= around.start_byte() || self.edits[unit].gone(node))
        })
    }

    /// `return;` at the end of a function, or of a `try` with which it ends.
    fn last_returns(&mut self) {
        for unit in 0..self.world.units.len() {
            let blocks: Vec<Node<'w>> =
                self.unwrapped.iter().filter(|((at, _), _)| *at == unit).map(|(_, outer)| *outer).collect();
            for outer in blocks {
                let Some(body) = self.residual_block(unit, outer) else { continue };
                let ends = self.ends_function(unit, body);
                let after = children(body).into_iter().filter(|node| node.start_byte() >= outer.end_byte());
                if !ends || after.into_iter().any(|node| !self.edits[unit].gone(node)) {
                    continue;
                }
                let inner = self
                    .unwrapped
                    .iter()
                    .find(|((at, _), known)| *at == unit && **known == outer)
                    .map(|((_, id), _)| *id);
                let mut below = vec![outer];
                let block = std::iter::from_fn(|| {
                    let node = below.pop()?;
                    below.extend(children(node));
                    Some(node)
                })
                .find(|node| Some(node.id()) == inner);
                let last = block
                    .and_then(|block| children(block).into_iter().rev().find(|node| !self.edits[unit].gone(*node)));
                if let Some(last) = last.filter(|last| last.kind() == "return_statement" && children(*last).is_empty())
                {
                    self.remove(unit, statement(last));
                }
            }
        }
    }
}

/// The names that a declaration binds, where it takes fields by their names at most: `{ id, entry: open }`.
fn bound_names(pattern: Node<'_>) -> Option<Vec<Node<'_>>> {
    if pattern.kind() == "identifier" {
        return Some(vec![pattern]);
    }
    if pattern.kind() != "object_pattern" {
        return None;
    }
    let fields = children(pattern).into_iter();
    let names: Option<Vec<Node<'_>>> = fields
        .map(|field| match field.kind() {
            "shorthand_property_identifier_pattern" => Some(field),
            "pair_pattern" => field.child_by_field_name("value").filter(|value| value.kind() == "identifier"),
            _ => None,
        })
        .collect();
    names.filter(|names| !names.is_empty())
}
