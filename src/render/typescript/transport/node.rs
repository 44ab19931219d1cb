//! Servers in which one function receives the requests of every method: what GET and DELETE alone reach turns them away.

use tree_sitter::Node;

use super::fold::{Fold, any};
use super::machine::parameters;
use super::routes::is_node;
use crate::model::facts::Span;
use crate::plan::transport::{Fact, Transport};
use crate::plan::web::Framework;
use crate::render::Refused;
use crate::render::typescript::entry::{Entry, NOT_ALLOWED};
use crate::render::typescript::script::{children, enclosing_function, is_function, span, statement};

impl<'w> Fold<'w> {
    /// Puts the answer to methods that are gone in the place of what they alone reach.
    pub fn node_regions(&mut self, step: &Transport) -> Result<(), Refused> {
        for route in step.routes.iter().filter(|route| is_node(route)) {
            for (unit, at) in self.handlers(route) {
                let Some(handler) = self.world.units[unit].script.node(at) else { continue };
                let mut regions = Vec::new();
                self.regions(unit, handler, &mut regions);
                for region in regions {
                    self.turn_away(unit, handler, region)?;
                }
            }
        }
        Ok(())
    }

    /// The outermost branches that GET or DELETE reach, POST does not, and that have to do with sessions.
    fn regions(&self, unit: usize, node: Node<'w>, out: &mut Vec<Node<'w>>) {
        for child in children(node) {
            let branch = matches!(node.kind(), "if_statement" | "else_clause")
                && matches!(child.kind(), "statement_block" | "expression_statement" | "return_statement");
            if (branch || child.kind() == "switch_case")
                && self.gone_alone(unit, child)
                && self.speaks_of_sessions(unit, child)
            {
                out.push(child);
            } else if !is_function(child) {
                self.regions(unit, child, out);
            }
        }
    }

    fn gone_alone(&self, unit: usize, node: Node<'w>) -> bool {
        let place = (unit, span(node), node.kind_id());
        let [post, get, delete] = &self.by_method;
        !post.contains(&place) && (get.contains(&place) || delete.contains(&place))
    }

    fn turn_away(&mut self, unit: usize, handler: Node<'w>, region: Node<'w>) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let names: Vec<&str> = parameters(handler)
            .into_iter()
            .map(|param| script.of(param.child_by_field_name("pattern").unwrap_or(param)))
            .collect();
        let [request, response, ..] = names.as_slice() else {
            return Err(script.refuse(
                handler,
                "this handler takes no response",
                "answer GET and DELETE with 405 here",
            ));
        };
        let entry = Entry { style: &script.style, framework: Framework::Node, request, response, types: None };
        let leaves = any(region, &mut |node| node.kind() == "return_statement");
        let answer = if leaves { entry.answer_and_leave(&NOT_ALLOWED) } else { entry.answer(&NOT_ALLOWED) };
        let newline = script.style.newline;
        let unit_indent = script.style.indent.text();
        if region.kind() == "switch_case" {
            let value = region.child_by_field_name("value");
            let statements: Vec<Node<'w>> = children(region).into_iter().filter(|node| Some(*node) != value).collect();
            let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return Ok(()) };
            let indent = format!("{}{unit_indent}", script.indentation(region));
            let end = if leaves { String::new() } else { format!("{newline}{indent}break;") };
            let text = script.indented(&answer, &indent);
            self.edits[unit].replace(Span::new(first.start_byte(), last.end_byte()), format!("{text}{end}"));
            return Ok(());
        }
        let around = std::iter::successors(Some(region), Node::parent)
            .find(|node| {
                node.kind() == "if_statement" && node.parent().is_none_or(|parent| parent.kind() != "else_clause")
            })
            .unwrap_or(region);
        let indent = script.indentation(around);
        let inner = format!("{indent}{unit_indent}");
        let text = format!("{{{newline}{inner}{}{newline}{indent}}}", script.indented(&answer, &inner));
        self.edits[unit].replace(span(region), text);
        Ok(())
    }

    /// A helper in which all answers of transports are gone was for the methods that are gone.
    pub fn node_helpers(&mut self, step: &Transport) {
        let handlers: Vec<_> =
            step.routes.iter().filter(|route| is_node(route)).flat_map(|route| self.handlers(route)).collect();
        for (unit, at) in handlers {
            let Some(handler) = self.world.units[unit].script.node(at) else { continue };
            for function in self.functions(unit) {
                let own = span(function);
                let script = &self.world.units[unit].script;
                let Some(body) = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block")
                else {
                    continue;
                };
                let answers: Vec<Node<'w>> =
                    self.all_places(unit, &Fact::Handle).into_iter().filter(|node| own.contains(span(*node))).collect();
                let serves = any(function, &mut |node| {
                    matches!(self.world.units[unit].fact(node), Some(Fact::Construct)) && !self.edits[unit].gone(node)
                });
                let gone = !answers.is_empty() && answers.iter().all(|node| self.edits[unit].gone(*node));
                if own == span(handler) || own.contains(span(handler)) || !gone || serves || self.edits[unit].gone(body)
                {
                    continue;
                }
                let names = (self.argument(answers[0], 0), self.argument(answers[0], 1));
                let (Some(request), Some(response)) = names else { continue };
                let (request, response) = (script.of(request), script.of(response));
                let entry = Entry { style: &script.style, framework: Framework::Node, request, response, types: None };
                let indent = script.indentation(function);
                let inner = format!("{indent}{}", script.style.indent.text());
                let newline = script.style.newline;
                let text = script.indented(&entry.answer(&NOT_ALLOWED), &inner);
                self.edits[unit].replace(span(body), format!("{{{newline}{inner}{text}{newline}{indent}}}"));
            }
        }
    }

    /// Turns other methods away where they would reach what serves POST.
    pub fn node_guards(&mut self, step: &Transport) {
        let [_, get, delete] = self.by_method.clone();
        if !step.routes.iter().any(is_node) {
            return;
        }
        for unit in 0..self.world.units.len() {
            let script = &self.world.units[unit].script;
            for answer in self.places(unit, &Fact::Handle) {
                let at = statement(answer);
                let place = (unit, span(at), at.kind_id());
                let guards = get.contains(&place) || delete.contains(&place);
                let counted = self.counted_by.as_ref().filter(|(at, _)| *at == unit).map(|(_, track)| track.clone());
                if !(guards || counted.is_some()) || !self.runs(unit, answer) || !self.has_response(unit, answer) {
                    continue;
                }
                let Some(function) = enclosing_function(answer) else { continue };
                if self.sessionless_already(unit, function) {
                    continue;
                }
                let Some(first) = self.first_of_sessions(unit, function, answer) else { continue };
                let (Some(request), Some(response)) = (self.argument(answer, 0), self.argument(answer, 1)) else {
                    continue;
                };
                let (request, response) = (script.of(request), script.of(response));
                let entry = Entry { style: &script.style, framework: Framework::Node, request, response, types: None };
                let newline = script.style.newline;
                let indent = self.edits[unit].indentation(script, first).to_owned();
                let inner = format!("{indent}{}", script.style.indent.text());
                let post = script.style.string("POST");
                let answer = script.indented(&entry.answer_and_leave(&NOT_ALLOWED), &inner);
                let text = format!(
                    "if ({request}.method !== {post}) {{{newline}{inner}{answer}{newline}{indent}}}{newline}{indent}"
                );
                if let Some(track) = counted {
                    let end = if script.style.semicolons { ";" } else { "" };
                    let text = format!("if (!{track}({response})) return{end}{newline}{indent}");
                    self.edits[unit].insert_first(first.start_byte(), text);
                }
                if guards {
                    self.edits[unit].insert_first(first.start_byte(), text);
                }
            }
        }
    }

    /// The block that stands in the place of a statement.
    fn block_in_place_of(&self, unit: usize, outer: Node<'w>) -> Option<Node<'w>> {
        let (id, _) = self.unwrapped.iter().find(|((at, _), known)| *at == unit && **known == outer)?;
        let mut found = None;
        any(outer, &mut |node| {
            if node.id() == id.1 {
                found = Some(node);
            }
            found.is_some()
        });
        found
    }

    /// The statement with which a function begins to serve sessions, in the block that holds the answer too.
    fn first_of_sessions(&self, unit: usize, function: Node<'w>, answer: Node<'w>) -> Option<Node<'w>> {
        let file = &self.world.units[unit];
        let mut block = function.child_by_field_name("body")?;
        loop {
            let statements = children(block);
            let concerned: Vec<Node<'w>> = statements
                .into_iter()
                .filter(|node| !self.edits[unit].gone(*node) && !is_function(*node))
                .filter(|node| {
                    self.speaks_of_sessions(unit, *node)
                        || any(*node, &mut |inner| {
                            matches!(file.fact(inner), Some(Fact::Construct | Fact::Connect | Fact::Handle))
                        })
                })
                .collect();
            match concerned.as_slice() {
                [only] if only.kind() != "expression_statement" && span(*only).contains(span(answer)) => {
                    let inner = std::iter::successors(Some(statement(answer)), Node::parent)
                        .take_while(|node| *node != *only)
                        .filter(|node| node.kind() == "statement_block")
                        .last();
                    match inner {
                        Some(inner) => block = inner,
                        None => return Some(*only),
                    }
                }
                [first, ..] => match self.block_in_place_of(unit, *first) {
                    Some(inner) => block = inner,
                    None => return Some(*first),
                },
                [] => return None,
            }
        }
    }
}
