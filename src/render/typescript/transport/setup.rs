//! The construction of server and transport: no generator, no callbacks of sessions, one variable each, and one close.

use tree_sitter::Node;

use super::edits::item;
use super::fold::{Fold, any};
use super::machine::parameters;
use super::world::Name;
use crate::model::facts::Span;
use crate::plan::transport::Fact;
use crate::render::typescript::entry::Generator;
use crate::render::typescript::script::{bare, children, enclosing_function, span, statement};
use crate::render::{Refused, all};

/// Options of a transport that say how its sessions begin and end.
const CALLBACKS: &[&str] = &["onsessioninitialized", "onsessionclosed"];

impl<'w> Fold<'w> {
    /// All nodes of a file with a fact that are still there.
    pub fn places(&self, unit: usize, wanted: &Fact) -> Vec<Node<'w>> {
        let mut out = self.all_places(unit, wanted);
        out.retain(|node| !self.edits[unit].gone(*node));
        out
    }

    /// All nodes of a file with a fact.
    pub fn all_places(&self, unit: usize, wanted: &Fact) -> Vec<Node<'w>> {
        let file = &self.world.units[unit];
        let mut spans: Vec<Span> =
            file.facts.iter().filter(|(_, fact)| *fact == wanted).map(|(span, _)| *span).collect();
        spans.sort_unstable();
        spans.into_iter().filter_map(|span| file.script.node(span)).collect()
    }

    /// Whether the function around a node runs.
    pub fn runs(&self, unit: usize, node: Node<'w>) -> bool {
        enclosing_function(node).is_none_or(|function| self.findings.ran.contains(&(unit, span(function))))
    }

    /// Takes sessions out of the options of all transports.
    pub fn set_up(&mut self, generator: &dyn Fn(usize) -> Generator) -> Result<(), Refused> {
        let units = 0..self.world.units.len();
        let made: Vec<(usize, Node<'w>)> = units
            .flat_map(|unit| self.places(unit, &Fact::Construct).into_iter().map(move |made| (unit, made)))
            .collect();
        all(made.into_iter().map(|(unit, made)| self.options(unit, made, generator(unit))))
    }

    fn options(&mut self, unit: usize, made: Node<'w>, generator: Generator) -> Result<(), Refused> {
        let file = &self.world.units[unit];
        let arguments = made.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let Some(given) = arguments.first().copied().map(bare) else { return Ok(()) };
        let object = match given.kind() {
            "object" => given,
            "identifier" => file
                .symbol(given)
                .and_then(|symbol| file.module.symbol(symbol).init)
                .and_then(|init| file.script.node(file.module.expr(init).span))
                .map(bare)
                .filter(|node| node.kind() == "object")
                .ok_or_else(|| unseen(self, unit, given))?,
            _ => return Err(unseen(self, unit, given)),
        };
        let mut left = 0;
        let mut generators = Vec::new();
        let mut outcomes = Vec::new();
        for field in children(object) {
            let key = field.child_by_field_name("key").or_else(|| field.child_by_field_name("name")).unwrap_or(field);
            let name = file.script.of(key).trim_matches(['"', '\'']);
            if field.kind() == "spread_element" {
                return Err(unseen(self, unit, field));
            }
            if CALLBACKS.contains(&name) {
                let value = field.child_by_field_name("value").unwrap_or(field);
                let gone = match field.kind() {
                    "method_definition" => self.function_chore((unit, span(field)), true),
                    _ => self.callback_chore(unit, bare(value), true),
                };
                if !gone {
                    outcomes.push(Err(file.script.refuse(
                        field,
                        format!(
                            "`{name}` does more than to keep the table of sessions, and it never runs without them"
                        ),
                        "move what it does to where it belongs now: the tool that makes or ends the state",
                    )));
                    continue;
                }
                self.note_lost_lines(unit, field);
                self.edits[unit].cut(item(&file.script, field));
            } else if name == "eventStore" {
                self.edits[unit].cut(item(&file.script, field));
                self.unused_store(unit, field);
                self.raise("The event store is gone: streams of a sessionless server can't be resumed.");
            } else if name == "sessionIdGenerator" {
                generators.push(field);
            } else {
                left += 1;
            }
        }
        for field in generators {
            match generator {
                Generator::Undefined => self.edits[unit].replace(span(field), "sessionIdGenerator: undefined"),
                Generator::LeftOut if left == 0 => self.edits[unit].cut(span(object)),
                Generator::LeftOut => self.edits[unit].cut(item(&file.script, field)),
            }
        }
        all(outcomes)
    }

    /// The variable of an event store that nothing else uses.
    fn unused_store(&mut self, unit: usize, field: Node<'w>) {
        let file = &self.world.units[unit];
        let value = field.child_by_field_name("value").unwrap_or(field);
        let Some(symbol) = file.symbol(value) else { return };
        let uses = self.uses(unit, (unit, symbol));
        let declarator = uses.iter().filter_map(Node::parent).find(|parent| parent.kind() == "variable_declarator");
        let declaration = declarator.and_then(|declarator| declarator.parent());
        let alone = declaration.filter(|declaration| {
            children(*declaration).len() == 1
                && uses.iter().all(|used| self.edits[unit].gone(*used) || span(*declaration).contains(span(*used)))
        });
        if let Some(declaration) = alone {
            self.remove(unit, declaration);
        }
    }

    /// Raises the level to review, with the reason.
    pub fn raise(&mut self, note: &str) {
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }

    /// `let x; … x = value;` becomes `const x = value;` where only one assignment is left.
    pub fn merge_variables(&mut self) -> Result<(), Refused> {
        for unit in 0..self.world.units.len() {
            let root = self.world.units[unit].script.tree.root_node();
            let mut declarations = Vec::new();
            any(root, &mut |node| {
                if node.kind() == "lexical_declaration" && !self.edits[unit].gone(node) {
                    declarations.push(node);
                }
                false
            });
            for declaration in declarations {
                self.merge_variable(unit, declaration);
            }
        }
        Ok(())
    }

    fn merge_variable(&mut self, unit: usize, declaration: Node<'w>) {
        let file = &self.world.units[unit];
        let script = &file.script;
        if declaration.child_by_field_name("kind").is_none_or(|kind| kind.kind() != "let")
            || !self.runs(unit, declaration)
        {
            return;
        }
        let declarators = children(declaration);
        let [declarator] = declarators.as_slice() else { return };
        let Some(name) = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier") else {
            return;
        };
        let Some(symbol) = file.symbol(name) else { return };
        let value = declarator.child_by_field_name("value");
        // Only what we made so: code of other variables is not ours to tidy.
        let uses = self.uses(unit, (unit, symbol));
        let all = uses.len();
        let live: Vec<Node<'w>> =
            uses.into_iter().filter(|used| !self.edits[unit].gone(*used) && *used != name).collect();
        if live.len() + 1 >= all && value.is_none_or(|value| !self.speaks_of_sessions(unit, value)) {
            return;
        }
        if value.is_some_and(|value| !self.quiet(unit, value) || !self.speaks_of_sessions(unit, value)) {
            return;
        }
        let assigned: Vec<Node<'w>> = live
            .iter()
            .filter_map(|used| used.parent().filter(|parent| parent.child_by_field_name("left") == Some(*used)))
            .filter(|parent| parent.kind() == "assignment_expression")
            .collect();
        let [assignment] = assigned.as_slice() else {
            if let (Some(value), false) = (value, assigned.is_empty()) {
                let typed = declarator.child_by_field_name("type").is_some() || !script.typed();
                if typed {
                    let from = declarator.child_by_field_name("type").unwrap_or(name).end_byte();
                    self.edits[unit].cut(Span::new(from, value.end_byte()));
                }
            }
            return;
        };
        let Some(holder) = assignment.parent().filter(|holder| holder.kind() == "expression_statement") else { return };
        let Some(block) = self.residual_block(unit, holder) else { return };
        let within =
            |used: &&Node<'w>| span(block).contains(span(**used)) && used.start_byte() >= assignment.start_byte();
        if live.iter().filter(within).count() != live.len() {
            // `let session = undefined;` of which a `try` makes something.
            let nothing = value.filter(|value| self.edits[unit].edited(script, *value) == "undefined");
            if let Some(value) = nothing.filter(|_| declarator.child_by_field_name("type").is_none()) {
                self.edits[unit].cut(Span::new(name.end_byte(), value.end_byte()));
            }
            return;
        }
        let Some(right) = assignment.child_by_field_name("right") else { return };
        self.remove(unit, declaration);
        // `transport = created`: one of the two names is enough.
        if let Some(source) = file.symbol(right).filter(|_| right.kind() == "identifier")
            && matches!(file.declared_by(source), crate::model::facts::SymbolKind::Variable { mutable: false })
            && file.home(source) == file.home(symbol)
        {
            let text = script.of(right).to_owned();
            self.remove(unit, holder);
            for used in live.iter().filter(|used| used.parent() != Some(*assignment)) {
                let new = if used.kind() == "shorthand_property_identifier" {
                    format!("{}: {text}", script.of(*used))
                } else {
                    text.clone()
                };
                self.edits[unit].replace(span(*used), new);
            }
            return;
        }
        self.edits[unit].insert(holder.start_byte(), "const ");
    }

    /// The block that a statement stands in once what was unwrapped is.
    pub fn residual_block(&self, unit: usize, node: Node<'w>) -> Option<Node<'w>> {
        let mut block = node.parent()?;
        while let Some(outer) = self.unwrapped.get(&(unit, block.id())) {
            block = outer.parent()?;
        }
        Some(block)
    }

    /// All identifiers that are a symbol, its declaration among them.
    pub fn uses(&self, unit: usize, name: Name) -> Vec<Node<'w>> {
        let file = &self.world.units[unit];
        let mut out = Vec::new();
        any(file.script.tree.root_node(), &mut |node| {
            let named = matches!(
                node.kind(),
                "identifier" | "shorthand_property_identifier" | "shorthand_property_identifier_pattern"
            );
            if named && file.symbol(node) == Some(name.1) && name.0 == unit {
                out.push(node);
            }
            false
        });
        out
    }

    /// Whether a request is answered on a response object of the platform.
    pub fn has_response(&self, unit: usize, answer: Node<'w>) -> bool {
        self.argument(answer, 1).is_some_and(|response| {
            matches!(bare(response).kind(), "identifier" | "member_expression") && !self.edits[unit].gone(response)
        })
    }

    /// The response that a request is answered on.
    pub fn response(&self, unit: usize, answer: Node<'w>) -> String {
        let script = &self.world.units[unit].script;
        self.argument(answer, 1).map_or_else(String::new, |response| self.edits[unit].edited(script, response))
    }

    /// The request and the response of an answer: those that the transport is given, or those of the handler around it, where it is
    /// given a request of the platform-neutral kind and the handler writes the answer.
    pub fn exchange(&self, unit: usize, answer: Node<'w>) -> Option<(String, String)> {
        let script = &self.world.units[unit].script;
        if self.has_response(unit, answer) {
            let request = self.argument(answer, 0)?;
            return Some((self.edits[unit].edited(script, request), self.response(unit, answer)));
        }
        let handler = std::iter::successors(enclosing_function(answer), |function| enclosing_function(*function))
            .find(|function| self.node_handlers.contains(&(unit, span(*function))))?;
        let names: Vec<&str> = parameters(handler)
            .into_iter()
            .map(|parameter| script.of(parameter.child_by_field_name("pattern").unwrap_or(parameter)))
            .collect();
        let written = statement(answer).kind() != "return_statement";
        match names.as_slice() {
            [request, response, ..] if written => Some(((*request).to_owned(), (*response).to_owned())),
            _ => None,
        }
    }

    /// An argument of a call.
    pub fn argument(&self, call: Node<'w>, index: usize) -> Option<Node<'w>> {
        call.child_by_field_name("arguments").and_then(|list| children(list).get(index).copied())
    }
}

fn unseen(fold: &Fold<'_>, unit: usize, node: Node<'_>) -> Refused {
    fold.world.units[unit].script.refuse(
        node,
        "the options of this transport are put together elsewhere",
        "write the options where the transport is constructed, without a session id generator",
    )
}
