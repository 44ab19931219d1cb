//! Functions that see a request before its handler does, and look for its session: without sessions they have nothing to do.

use tree_sitter::Node;

use super::edits::item;
use super::fold::{Fold, any};
use super::machine::parameters;
use super::routes::{Serves, is_node, serves};
use super::world::{Function, World};
use crate::model::facts::SymbolKind;
use crate::plan::transport::{Fact, Route, Transport};
use crate::render::Refused;
use crate::render::typescript::in_flight::InFlight;
use crate::render::typescript::script::{bare, children, enclosing_function, is_function, span, statement};

/// Methods that register a function for requests of several routes.
const REGISTERS: &[&str] = &["use", "addHook"];

/// Hooks about sessions of the routes that serve: they see what is sent by POST alone.
pub fn of_post(step: &Transport, world: &World) -> Vec<Function> {
    let serving = step.routes.iter().filter(|route| serves(route) != Serves::Gone && !is_node(route));
    let hooks = serving.flat_map(|route| &route.hooks).filter_map(|site| Some((world.unit(&site.path)?, site.span)));
    hooks.filter(|hook| asks(world, *hook)).collect()
}

/// Whether a function asks for sessions.
pub(super) fn asks(world: &World, (unit, at): Function) -> bool {
    world.function((unit, at)).is_some_and(|function| {
        any(function, &mut |node| {
            matches!(world.units[unit].fact(node), Some(Fact::Absent | Fact::Table | Fact::Opens | Fact::Carried))
        })
    })
}

impl<'w> Fold<'w> {
    /// Takes hooks about sessions off the routes that turn requests away.
    pub fn unhook(&mut self, step: &Transport) {
        let gone = step.routes.iter().filter(|route| serves(route) == Serves::Gone);
        let hooks: Vec<(String, Function)> = gone
            .flat_map(|route| route.hooks.iter().map(|site| (route.at.path.clone(), site)))
            .filter_map(|(path, site)| Some((path, (self.world.unit(&site.path)?, site.span))))
            .collect();
        for (path, hook) in hooks.into_iter().filter(|(_, hook)| asks(self.world, *hook)) {
            for (unit, mention) in self.mentions(step, hook, false) {
                if self.world.units[unit].script.path == path {
                    self.take_off(unit, mention);
                }
            }
        }
    }

    /// Takes hooks away of which nothing is left but to let the request pass.
    pub fn hooks(&mut self, step: &Transport) {
        for unit in 0..self.world.units.len() {
            for function in self.functions(unit) {
                let own = (unit, span(function));
                if self.edits[unit].gone(function) || !asks(self.world, own) || !self.lets_pass(unit, function) {
                    continue;
                }
                let mentions = self.mentions(step, own, true);
                if mentions.is_empty() || !mentions.iter().all(|(at, node)| self.can_go(*at, *node)) {
                    continue;
                }
                for (at, node) in mentions {
                    self.take_off(at, node);
                }
                let declared = statement(function);
                let inline = function.parent().is_some_and(|parent| {
                    matches!(parent.kind(), "arguments" | "array" | "pair" | "parenthesized_expression")
                });
                if !inline && !self.edits[unit].gone(declared) {
                    let whole = declared.parent().filter(|parent| parent.kind() == "export_statement");
                    self.remove(unit, whole.unwrap_or(declared));
                }
            }
        }
        self.undecorate();
    }

    /// Whether all that is left of a function hands the request on.
    fn lets_pass(&self, unit: usize, function: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let Some(body) = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block") else {
            return false;
        };
        let names: Vec<&str> = parameters(function)
            .into_iter()
            .map(|param| script.of(param.child_by_field_name("pattern").unwrap_or(param)))
            .collect();
        let passes = |node: Node<'w>| {
            let node = bare(node);
            let node = if node.kind() == "await_expression" { children(node)[0] } else { node };
            let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
            let last = names.last().filter(|_| names.len() > 1);
            callee.is_some_and(|callee| last == Some(&script.of(callee)))
                && node.child_by_field_name("arguments").is_some_and(|list| children(list).is_empty())
        };
        let left: Vec<Node<'w>> = self.statements_left(unit, body);
        let plain = match left.as_slice() {
            [] => true,
            [only] if matches!(only.kind(), "return_statement" | "expression_statement") => {
                children(*only).into_iter().all(passes)
            }
            _ => false,
        };
        plain && self.edits[unit].touches(span(body))
    }

    /// The statements of a block that are left, those of blocks that were unwrapped among them.
    fn statements_left(&self, unit: usize, block: Node<'w>) -> Vec<Node<'w>> {
        let mut out = Vec::new();
        for node in children(block).into_iter().filter(|node| node.kind() != "comment") {
            match self.block_in_place_of(unit, node) {
                Some(inner) if inner.kind() == "statement_block" => out.extend(self.statements_left(unit, inner)),
                Some(inner) => out.push(inner),
                None if self.edits[unit].gone(node) || self.only_looks_up(unit, node) => {}
                None => out.push(node),
            }
        }
        out
    }

    /// `const { 'mcp-session-id': id } = req.headers`: whatever used it is looked at by itself.
    fn only_looks_up(&self, unit: usize, node: Node<'w>) -> bool {
        node.kind() == "lexical_declaration"
            && children(node)
                .into_iter()
                .all(|one| one.child_by_field_name("value").is_none_or(|value| self.quiet(unit, value)))
    }

    /// Where routes name a function: the identifiers, or the function itself. `anywhere` counts registrations for several routes too.
    fn mentions(&self, step: &Transport, own: Function, anywhere: bool) -> Vec<(usize, Node<'w>)> {
        let Some(function) = self.world.function(own) else { return Vec::new() };
        let within = |unit: usize, node: Node<'w>| {
            let path = &self.world.units[unit].script.path;
            step.routes.iter().any(|route| {
                route.at.path == *path
                    && route.at.span.contains(span(node))
                    && (anywhere || serves(route) == Serves::Gone)
            })
        };
        let Some(name) = self.name_of(own.0, function) else {
            if let Some(factory) = self.made_by(own.0, function) {
                let mut calls = self.calls_of((own.0, span(factory)));
                calls.retain(|(unit, call)| within(*unit, *call) && !self.edits[*unit].gone(*call));
                return calls;
            }
            let registered = anywhere && self.registration(own.0, function).is_some();
            return if registered || within(own.0, function) { vec![(own.0, function)] } else { Vec::new() };
        };
        let text = self.world.units[own.0].script.of(name);
        let mut out = Vec::new();
        for (unit, file) in self.world.units.iter().enumerate() {
            any(file.script.tree.root_node(), &mut |node| {
                let named = node.kind() == "identifier" && node != name && file.script.of(node) == text;
                let ours = |node: Node<'w>| match file.symbol(node).map(|symbol| (symbol, file.declared_by(symbol))) {
                    Some((_, SymbolKind::Import(_))) => unit != own.0,
                    Some((symbol, _)) => unit == own.0 && self.world.units[own.0].symbol(name) == Some(symbol),
                    None => false,
                };
                let imports = std::iter::successors(Some(node), Node::parent)
                    .any(|around| matches!(around.kind(), "import_statement" | "export_clause"));
                if named && !imports && ours(node) && (anywhere || within(unit, node)) && !self.edits[unit].gone(node) {
                    out.push((unit, node));
                }
                false
            });
        }
        out
    }

    /// The function that all it does is to make another: `function requireSession(sessions) { return (req, res, next) => { … }; }`.
    fn made_by(&self, unit: usize, function: Node<'w>) -> Option<Node<'w>> {
        let factory = enclosing_function(function)?;
        let body = factory.child_by_field_name("body")?;
        let only = match children(body).as_slice() {
            [only] if body.kind() == "statement_block" && only.kind() == "return_statement" => {
                children(*only).first().copied()?
            }
            _ => body,
        };
        (bare(only) == function && self.name_of(unit, factory).is_some()).then_some(factory)
    }

    fn name_of(&self, unit: usize, function: Node<'w>) -> Option<Node<'w>> {
        let named = match function.kind() {
            "function_declaration" => function.child_by_field_name("name"),
            _ => function
                .parent()
                .filter(|parent| parent.kind() == "variable_declarator")
                .and_then(|parent| parent.child_by_field_name("name")),
        };
        named.filter(|name| self.world.units[unit].symbol(*name).is_some())
    }

    /// Whether a mention can go: it is one of several arguments, the value of an option, an element of a list.
    fn can_go(&self, unit: usize, mention: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let Some(parent) = mention.parent() else { return false };
        match parent.kind() {
            "array" | "pair" => true,
            "arguments" => {
                let call = parent.parent().and_then(|call| call.child_by_field_name("function"));
                let method = call.and_then(|callee| callee.child_by_field_name("property")).map(|name| script.of(name));
                let others = children(parent).into_iter().filter(|node| *node != mention);
                match method {
                    Some(name) if REGISTERS.contains(&name) => others.into_iter().all(|node| node.kind() == "string"),
                    Some(_) => others.into_iter().any(|node| is_function(bare(node)) || node.kind() == "identifier"),
                    None => false,
                }
            }
            _ => false,
        }
    }

    /// The call that registers a function for requests of several routes.
    fn registration(&self, unit: usize, mention: Node<'w>) -> Option<Node<'w>> {
        let call = mention.parent().filter(|parent| parent.kind() == "arguments")?.parent()?;
        let method = call.child_by_field_name("function")?.child_by_field_name("property")?;
        REGISTERS.contains(&self.world.units[unit].script.of(method)).then_some(call)
    }

    fn take_off(&mut self, unit: usize, mention: Node<'w>) {
        let script = &self.world.units[unit].script;
        let Some(parent) = mention.parent() else { return };
        let registers = self.registration(unit, mention);
        let alone = children(parent).len() == 1;
        let at = match (registers, parent.kind()) {
            (Some(call), _) => return self.remove(unit, statement(call)),
            (None, "pair") => item(script, parent),
            (None, "array") if alone => match parent.parent() {
                Some(pair) if pair.kind() == "pair" => item(script, pair),
                _ => item(script, parent),
            },
            _ => item(script, mention),
        };
        self.edits[unit].cut(at);
    }

    /// Puts one more element before another; one that begins a line gets a line before it.
    pub(super) fn put_before(&mut self, unit: usize, at: Node<'w>, text: &str) {
        let script = &self.world.units[unit].script;
        let line = script.line_start(at.start_byte());
        let alone = script.text()[line..at.start_byte()].trim().is_empty();
        let apart = if alone { format!("{}{}", script.style.newline, script.indentation(at)) } else { " ".to_owned() };
        self.edits[unit].insert(at.start_byte(), format!("{text},{apart}"));
    }

    /// The handler of a plain server counts a request before it hands it on to the file that answers.
    pub(super) fn count_in_handler(
        &mut self,
        unit: usize,
        route: &Route,
        flight: &InFlight<'_>,
    ) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let mut calls = Vec::new();
        for handler in self.handlers(route).into_iter().filter(|(at, _)| *at == unit) {
            let Some(function) = self.world.function(handler) else { continue };
            any(function, &mut |node| {
                let target = self.world.units[unit].calls.get(&span(node)).filter(|_| node.kind() == "call_expression");
                let leads = target.is_some_and(|target| self.leads_to_answer(*target, 4));
                if leads && self.is_run_by(unit, function, node) && !self.edits[unit].gone(node) {
                    calls.push(node);
                }
                leads
            });
        }
        let in_block = |call: &Node<'w>| {
            let block = statement(*call).parent();
            block.is_some_and(|block| matches!(block.kind(), "statement_block" | "switch_case"))
        };
        if calls.is_empty() || !calls.iter().all(in_block) {
            return Err(script.refuse(
                script.node(route.at.span).unwrap_or_else(|| script.tree.root_node()),
                "sessions are counted or closed here, and the call that hands requests on to the file that answers them is not seen",
                "call the function that answers in a statement of its own here, then run again",
            ));
        }
        for at in calls.into_iter().map(statement) {
            let apart = format!("{}{}", script.style.newline, self.edits[unit].indentation(script, at));
            self.edits[unit].insert(at.start_byte(), format!("{}{apart}", flight.hook()));
        }
        Ok(())
    }

    /// Whether code stands in a handler itself, or in a function that the handler runs last: `const route = async () => { … }`, and
    /// `route().catch(fail);` at its end.
    fn is_run_by(&self, unit: usize, handler: Node<'w>, node: Node<'w>) -> bool {
        let Some(inner) = enclosing_function(node) else { return false };
        if inner == handler {
            return true;
        }
        let name = inner
            .parent()
            .filter(|parent| parent.kind() == "variable_declarator" && enclosing_function(inner) == Some(handler))
            .and_then(|declarator| declarator.child_by_field_name("name"));
        let symbol = name.and_then(|name| self.world.units[unit].symbol(name));
        let uses = symbol.map_or_else(Vec::new, |symbol| self.uses(unit, (unit, symbol)));
        let mut uses = uses.into_iter().filter(|used| Some(*used) != name);
        let (Some(used), None) = (uses.next(), uses.next()) else { return false };
        let last = handler.child_by_field_name("body").and_then(|body| children(body).last().copied());
        let called = used.parent().is_some_and(|call| call.child_by_field_name("function") == Some(used));
        called
            && enclosing_function(used) == Some(handler)
            && last.is_some_and(|last| last.kind() == "expression_statement" && last == statement(used))
    }

    /// Whether a function answers requests, itself or in what it calls.
    fn leads_to_answer(&self, (unit, at): Function, depth: usize) -> bool {
        let answers = self.places(unit, &Fact::Handle).into_iter().any(|node| at.contains(span(node)));
        let calls = self.world.units[unit].calls.iter().filter(|(call, _)| at.contains(**call));
        answers || depth > 0 && calls.into_iter().any(|(_, target)| self.leads_to_answer(*target, depth - 1))
    }
}
