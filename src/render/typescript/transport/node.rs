//! Servers in which one function receives the requests of every method: what GET and DELETE alone reach turns them away.

use tree_sitter::Node;

use super::fold::{Counted, Fold, any};
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
                let names = self.parameter_names(unit, handler);
                self.turn_regions_away(unit, handler, &names)?;
            }
        }
        // What handlers hand a request on to.
        for unit in 0..self.world.units.len() {
            for answer in self.places(unit, &Fact::Handle) {
                let (Some(function), Some(request), Some(response)) =
                    (enclosing_function(answer), self.argument(answer, 0), self.argument(answer, 1))
                else {
                    continue;
                };
                let script = &self.world.units[unit].script;
                let names = [script.of(request), script.of(response)];
                self.turn_regions_away(unit, function, &names)?;
            }
        }
        Ok(())
    }

    fn parameter_names(&self, unit: usize, function: Node<'w>) -> Vec<&'w str> {
        let script = &self.world.units[unit].script;
        let name = |param: Node<'w>| script.of(param.child_by_field_name("pattern").unwrap_or(param));
        parameters(function).into_iter().map(name).collect()
    }

    fn turn_regions_away(&mut self, unit: usize, function: Node<'w>, names: &[&str]) -> Result<(), Refused> {
        let mut regions = Vec::new();
        self.regions(unit, function, &mut regions);
        regions.retain(|region| !self.edits[unit].gone(*region));
        regions.into_iter().try_for_each(|region| self.turn_away(unit, names, region))?;
        if let Some(body) = function.child_by_field_name("body") {
            self.turn_rest_away(unit, body, names);
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
                && (self.asks_for_session(unit, child) || self.tells_of_session(unit, node, child))
            {
                out.push(child);
            } else if !is_function(child) {
                self.regions(unit, child, out);
            }
        }
    }

    /// Whether code needs a session, and does not only count them.
    fn asks_for_session(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let counts = self.counts(unit);
        let counted = |inner: Node<'w>| counts.iter().any(|count| span(*count).contains(span(inner)));
        any(node, &mut |inner| {
            let needs = match file.fact(inner) {
                Some(Fact::Absent | Fact::Handle) => true,
                Some(Fact::Table) => !counted(inner),
                _ => self.is_absent(unit, inner),
            };
            let called = file.calls.get(&span(inner)).filter(|_| inner.kind() == "call_expression");
            needs
                || called.is_some_and(|target| {
                    let function = self.world.function(*target);
                    !self.only_counts(*target)
                        && function.is_some_and(|function| self.speaks_of_sessions(target.0, function))
                })
        })
    }

    /// `if (req.method !== 'POST') return fail(res, 400, 'a session id is required')`: the method alone decides, and what is answered
    /// is about sessions, or is an error for requests of which no session was found before.
    fn tells_of_session(&self, unit: usize, branch: Node<'w>, region: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let choice = if branch.kind() == "else_clause" { branch.parent() } else { Some(branch) };
        let choice = choice.filter(|choice| choice.kind() == "if_statement");
        let condition = choice.and_then(|choice| choice.child_by_field_name("condition"));
        let by_method = condition.is_some_and(|condition| {
            !any(condition, &mut |node| {
                node.kind() == "call_expression"
                    || (matches!(node.kind(), "identifier" | "member_expression")
                        && !matches!(file.fact(node), Some(Fact::Method | Fact::Absent))
                        && !self.is_absent(unit, node)
                        && node.parent().is_none_or(|parent| file.fact(parent) != Some(&Fact::Method)))
            })
        });
        let tells = any(region, &mut |node| {
            node.kind() == "string_fragment" && file.script.of(node).to_ascii_lowercase().contains("session")
        });
        let fails =
            || any(region, &mut |node| node.kind() == "number" && matches!(file.script.of(node), "400" | "404"));
        let looked = || {
            let before = std::iter::successors(branch.prev_named_sibling(), Node::prev_named_sibling);
            before.into_iter().any(|before| before.kind() == "if_statement" && self.speaks_of_sessions(unit, before))
        };
        by_method && (tells || fails() && looked())
    }

    /// What stands at the end of a block, where POST has left it: `sendJson(res, 400, …'no session'…)`.
    fn turn_rest_away(&mut self, unit: usize, node: Node<'w>, names: &[&str]) {
        for child in children(node).into_iter().filter(|child| !is_function(*child)) {
            self.turn_rest_away(unit, child, names);
        }
        let (Some(rest), [request, response, ..]) = (self.rest(unit, node), names) else { return };
        let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return };
        let script = &self.world.units[unit].script;
        let entry = Entry { style: &script.style, framework: Framework::Node, request, response, types: None };
        let text = match last.kind() {
            "return_statement" => entry.answer_and_leave(&NOT_ALLOWED),
            _ => entry.answer(&NOT_ALLOWED),
        };
        let text = script.indented(&text, script.indentation(*first));
        self.edits[unit].replace(Span::new(first.start_byte(), last.end_byte()), text);
    }

    /// The statements at the end of a block that GET or DELETE reach and POST does not, where they tell that there is no session.
    fn rest(&self, unit: usize, block: Node<'w>) -> Option<Vec<Node<'w>>> {
        if block.kind() != "statement_block" || self.edits[unit].gone(block) {
            return None;
        }
        let plain = |node: &Node<'w>| matches!(node.kind(), "expression_statement" | "return_statement");
        let statements: Vec<Node<'w>> = children(block).into_iter().filter(|node| node.kind() != "comment").collect();
        let from = statements.iter().rposition(|node| !plain(node) || !self.gone_alone(unit, *node))? + 1;
        let rest = statements[from..].to_vec();
        let left = rest.iter().all(|node| !self.edits[unit].gone(*node));
        let script = &self.world.units[unit].script;
        let tells = rest.iter().any(|node| {
            any(*node, &mut |inner| {
                inner.kind() == "string_fragment" && script.of(inner).to_ascii_lowercase().contains("session")
            })
        });
        (left && tells).then_some(rest)
    }

    fn gone_alone(&self, unit: usize, node: Node<'w>) -> bool {
        let place = (unit, span(node), node.kind_id());
        let [post, get, delete] = &self.by_method;
        !post.contains(&place) && (get.contains(&place) || delete.contains(&place))
    }

    fn turn_away(&mut self, unit: usize, names: &[&str], region: Node<'w>) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let [request, response, ..] = names else {
            return Err(script.refuse(region, "this handler takes no response", "answer GET and DELETE with 405 here"));
        };
        let entry = Entry { style: &script.style, framework: Framework::Node, request, response, types: None };
        let leaves = any(region, &mut |node| node.kind() == "return_statement");
        let answer = if leaves { entry.answer_and_leave(&NOT_ALLOWED) } else { entry.answer(&NOT_ALLOWED) };
        let newline = script.style.newline;
        let unit_indent = script.style.indent.text();
        let leave = if script.style.semicolons { "break;" } else { "break" };
        if region.kind() == "switch_case" {
            let value = region.child_by_field_name("value");
            let statements: Vec<Node<'w>> = children(region).into_iter().filter(|node| Some(*node) != value).collect();
            let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return Ok(()) };
            if let ([block], "statement_block") = (statements.as_slice(), first.kind()) {
                let indent = script.indentation(region);
                let inner = format!("{indent}{unit_indent}");
                let end = if leaves { String::new() } else { format!("{newline}{inner}{leave}") };
                let text = format!("{{{newline}{inner}{}{end}{newline}{indent}}}", script.indented(&answer, &inner));
                self.edits[unit].replace(span(*block), text);
                return Ok(());
            }
            let indent = format!("{}{unit_indent}", script.indentation(region));
            let end = if leaves { String::new() } else { format!("{newline}{indent}{leave}") };
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
        for (home, at) in handlers {
            let units = 0..self.world.units.len();
            let all: Vec<_> =
                units.flat_map(|unit| self.functions(unit).into_iter().map(move |one| (unit, one))).collect();
            for (unit, function) in all {
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
                let around = home == unit && own.contains(at);
                let calls = self.calls_of((unit, own));
                let uncalled = !calls.is_empty() && calls.iter().all(|(at, call)| self.edits[*at].gone(*call));
                // In other files, what POST runs as well hands its requests on.
                let first = children(body).first().copied();
                let shared = home != unit && !first.is_some_and(|first| self.gone_alone(unit, first));
                if around || shared || uncalled || !gone || serves || self.edits[unit].gone(body) {
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
                self.answering.insert((unit, own));
                self.edits[unit].replace(span(body), format!("{{{newline}{inner}{text}{newline}{indent}}}"));
            }
        }
    }

    /// Turns other methods away where they would reach what serves POST.
    pub fn node_guards(&mut self, step: &Transport) -> Result<(), Refused> {
        let [_, get, delete] = self.by_method.clone();
        if !step.routes.iter().any(is_node) {
            return Ok(());
        }
        for unit in 0..self.world.units.len() {
            let script = &self.world.units[unit].script;
            for answer in self.places(unit, &Fact::Handle) {
                let at = statement(answer);
                let place = (unit, span(at), at.kind_id());
                let guards = get.contains(&place) || delete.contains(&place);
                let counted = self.counted_by.clone().filter(|counted| counted.unit == unit);
                if !(guards || counted.is_some()) || !self.runs(unit, answer) {
                    continue;
                }
                let Some(function) = enclosing_function(answer) else { continue };
                if self.sessionless_already(unit, function) {
                    continue;
                }
                let Some(first) = self.first_of_sessions(unit, function, answer) else { continue };
                let Some((request, response)) = self.exchange(unit, answer) else { continue };
                let (request, response) = (request.as_str(), response.as_str());
                let entry = Entry { style: &script.style, framework: Framework::Node, request, response, types: None };
                let newline = script.style.newline;
                let indent = self.edits[unit].indentation(script, first).to_owned();
                let inner = format!("{indent}{}", script.style.indent.text());
                let post = script.style.string("POST");
                let answer = script.indented(&entry.answer_and_leave(&NOT_ALLOWED), &inner);
                let text = format!(
                    "if ({request}.method !== {post}) {{{newline}{inner}{answer}{newline}{indent}}}{newline}{indent}"
                );
                if let Some(Counted { track, turns_away, .. }) = counted {
                    let end = if script.style.semicolons { ";" } else { "" };
                    let text = match turns_away {
                        true => format!("if (!{track}({response})) return{end}{newline}{indent}"),
                        false => format!("{track}({response}){end}{newline}{indent}"),
                    };
                    self.edits[unit].insert_first(first.start_byte(), text);
                }
                if guards {
                    self.edits[unit].insert_first(first.start_byte(), text);
                    self.fold_after_guard(unit, first)?;
                }
            }
        }
        Ok(())
    }

    /// What stands behind the guard runs for POST alone.
    fn fold_after_guard(&mut self, unit: usize, first: Node<'w>) -> Result<(), Refused> {
        let Some(block) = self.residual_block(unit, first) else { return Ok(()) };
        let start = first.start_byte();
        let before = std::mem::replace(&mut self.findings.decided, std::mem::take(&mut self.decided_for_post));
        let folded = children(block).into_iter().try_for_each(|node| self.fold_methods(unit, node, start));
        self.decided_for_post = std::mem::replace(&mut self.findings.decided, before);
        folded
    }

    /// Folds what the method of the request decides, from a place on.
    fn fold_methods(&mut self, unit: usize, node: Node<'w>, start: usize) -> Result<(), Refused> {
        if self.edits[unit].gone(node) || is_function(node) || node.end_byte() <= start {
            return Ok(());
        }
        let file = &self.world.units[unit];
        let test = match node.kind() {
            "if_statement" | "ternary_expression" => node.child_by_field_name("condition"),
            "binary_expression" => node.child_by_field_name("left"),
            _ => None,
        };
        let by_method = test.is_some_and(|test| any(test, &mut |inner| file.fact(inner) == Some(&Fact::Method)));
        match (by_method && node.start_byte() >= start && self.decided(unit, node).is_some(), node.kind()) {
            (true, "if_statement") => self.fold_if(unit, node),
            (true, _) => self.fold_choice(unit, node),
            _ => children(node).into_iter().try_for_each(|child| self.fold_methods(unit, child, start)),
        }
    }

    /// The block that stands in the place of a statement.
    pub(super) fn block_in_place_of(&self, unit: usize, outer: Node<'w>) -> Option<Node<'w>> {
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

    /// Whether a statement is a branch that answers something else, and at most tells how many sessions there are: `/health`.
    fn is_apart(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let serves = |inner: Node<'w>| {
            matches!(file.fact(inner), Some(Fact::Construct | Fact::Connect | Fact::Handle | Fact::Build))
        };
        let then = node.child_by_field_name("consequence").filter(|_| node.kind() == "if_statement");
        let last = then.and_then(|then| children(then).last().copied().or(Some(then)));
        let leaves = last.is_some_and(|last| last.kind() == "return_statement");
        // A count is told in another way by now.
        let left = |inner: Node<'w>| !self.edits[unit].gone(inner);
        let needs = |inner: Node<'w>| inner.child_count() == 0 && self.asks_for_session(unit, inner);
        let called = |inner: Node<'w>| {
            let target = self.world.units[unit].calls.get(&span(inner)).filter(|_| inner.kind() == "call_expression");
            target.is_some_and(|target| {
                let function = self.world.function(*target);
                !self.only_counts(*target) && function.is_some_and(|own| self.speaks_of_sessions(target.0, own))
            })
        };
        leaves
            && node.child_by_field_name("alternative").is_none()
            && !any(node, &mut |inner| serves(inner) || left(inner) && (needs(inner) || called(inner)))
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
                .filter(|node| !self.is_apart(unit, *node))
                .filter(|node| {
                    self.speaks_of_sessions(unit, *node)
                        || any(*node, &mut |inner| {
                            matches!(
                                file.fact(inner),
                                Some(Fact::Construct | Fact::Connect | Fact::Handle | Fact::Build)
                            )
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
