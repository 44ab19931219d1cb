//! The one close of each request's server.

use tree_sitter::Node;

use super::fold::{Fold, any};
use crate::model::facts::Span;
use crate::plan::transport::Fact;
use crate::render::typescript::script::{bare, children, enclosing_function, leading_comments, span, statement};
use crate::render::{Refused, all};

impl<'w> Fold<'w> {
    /// Sees to it that the server of each request is closed with it.
    pub fn close_servers(&mut self, hook: &dyn Fn(usize, &str, &str) -> String) -> Result<(), Refused> {
        for unit in 0..self.world.units.len() {
            let mut closed = Vec::new();
            for connect in self.places(unit, &Fact::Connect) {
                if self.runs(unit, connect) && enclosing_function(connect).is_some() {
                    closed.extend(self.close_server(unit, connect, hook));
                }
            }
            // The handler of the second SDK closes what it makes.
            if !self.modern {
                self.close_where_answered(unit, &closed, hook)?;
            }
        }
        self.move_servers()
    }

    /// Refuses where the end of a session does more than to keep the table: as nobody is in the table, it would never be done.
    pub fn lost_at_end(&self) -> Result<(), Refused> {
        let mut outcomes = Vec::new();
        for (unit, file) in self.world.units.iter().enumerate() {
            any(file.script.tree.root_node(), &mut |node| {
                let ends = node.kind() == "assignment_expression"
                    && node
                        .child_by_field_name("left")
                        .and_then(|target| target.child_by_field_name("property"))
                        .is_some_and(|name| file.script.of(name) == "onclose");
                let callback = node.child_by_field_name("right").filter(|_| ends && !self.edits[unit].gone(node));
                if let Some(lost) = callback.and_then(|callback| self.lost_in(unit, callback)) {
                    outcomes.push(Err(file.script.refuse(
                        lost,
                        "this is done when a session ends, and only for one that is in the table",
                        "do it whenever the server closes, without asking for the session, then run again",
                    )));
                }
                false
            });
        }
        all(outcomes)
    }

    /// What a callback that runs at a session's end does besides to keep the table, and would not do any more.
    fn lost_in(&self, unit: usize, callback: Node<'w>) -> Option<Node<'w>> {
        let file = &self.world.units[unit];
        let mut lost = None;
        any(callback, &mut |inner| {
            let told = |node: &Node<'w>| matches!(file.fact(*node), Some(Fact::Log | Fact::Close));
            let mut around = std::iter::successors(Some(inner), Node::parent).take_while(|node| *node != callback);
            if inner.kind() == "call_expression"
                && self.edits[unit].gone(inner)
                && !self.speaks_of_sessions(unit, inner)
                && !around.any(|node| told(&node))
            {
                lost = Some(inner);
            }
            lost.is_some()
        });
        lost
    }

    /// Closes the server in the function that connects it; which function that is, where a request is answered there.
    pub(super) fn close_server(
        &mut self,
        unit: usize,
        connect: Node<'w>,
        hook: &dyn Fn(usize, &str, &str) -> String,
    ) -> Option<Node<'w>> {
        let file = &self.world.units[unit];
        let script = &file.script;
        let function = enclosing_function(connect)?;
        if self.sessionless_already(unit, function) {
            return Some(function);
        }
        let at = statement(connect);
        let newline = script.style.newline;
        let built = self.built_for(unit, connect).map(|(server, call)| {
            let end = if script.style.semicolons { ";" } else { "" };
            (format!("const {server} = {call}{end}{newline}{}", self.edits[unit].indentation(script, at)), server)
        });
        if let Some((text, _)) = &built {
            self.edits[unit].insert(at.start_byte(), text.clone());
        }
        let answers: Vec<Node<'w>> = self
            .places(unit, &Fact::Handle)
            .into_iter()
            .filter(|answer| self.runs(unit, *answer) && self.exchange(unit, *answer).is_some())
            .collect();
        let answer = answers.iter().copied().find(|answer| span(function).contains(span(*answer)))?;
        let receiver =
            connect.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object"))?;
        let indent = self.edits[unit].indentation(script, at).to_owned();
        let (_, response) = self.exchange(unit, answer)?;
        let plain = bare(receiver);
        if let Some((_, server)) = built {
            let text = hook(unit, &response, &server);
            self.edits[unit].insert(at.start_byte(), format!("{text}{newline}{indent}"));
            if script.of(plain) != server {
                self.edits[unit].replace(span(receiver), server);
            }
            return Some(function);
        }
        if let Some(made) = self.shared_factory(unit, plain, function) {
            let server = script.of(plain).to_owned();
            let end = if script.style.semicolons { ";" } else { "" };
            let text = hook(unit, &response, &server);
            let made = self.edits[unit].edited(script, made);
            self.edits[unit].insert(
                at.start_byte(),
                format!("const {server} = {made}{end}{newline}{indent}{text}{newline}{indent}"),
            );
            return Some(function);
        }
        if plain.kind() == "identifier"
            || plain.kind() == "member_expression"
                && !any(plain, &mut |n| matches!(n.kind(), "call_expression" | "new_expression"))
        {
            let server = self.edits[unit].edited(script, receiver);
            let text = hook(unit, &response, &server);
            if !self.closes_already(unit, function, &server) {
                let place = self.above(unit, at);
                self.edits[unit].insert(place, format!("{text}{newline}{indent}"));
            }
            return Some(function);
        }
        let server = ["server", "mcpServer", "requestServer"]
            .into_iter()
            .find(|name| !any(function, &mut |node| node.kind() == "identifier" && script.of(node) == *name))
            .unwrap_or("serverOfRequest");
        let text = hook(unit, &response, server);
        let made = if receiver.kind() == "parenthesized_expression" { children(receiver)[0] } else { receiver };
        let made = self.edits[unit].edited(script, made);
        let end = if script.style.semicolons { ";" } else { "" };
        self.edits[unit]
            .insert(at.start_byte(), format!("const {server} = {made}{end}{newline}{indent}{text}{newline}{indent}"));
        self.edits[unit].replace(span(receiver), server);
        Some(function)
    }

    /// Whether a function makes a transport that opens no sessions, and none that does.
    pub fn sessionless_already(&self, unit: usize, function: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let has = |wanted: &Fact| any(function, &mut |node| file.fact(node) == Some(wanted));
        has(&Fact::Sessionless) && !has(&Fact::Construct)
    }

    /// What builds a server that all requests share, where it can be built in each of them instead: the variable goes.
    pub(super) fn shared_factory(&mut self, unit: usize, server: Node<'w>, function: Node<'w>) -> Option<Node<'w>> {
        let (declaration, value) = self.built_there(unit, server, function)?;
        self.remove(unit, declaration);
        Some(value)
    }

    /// The declaration of a server that one function alone uses, and the call that builds it.
    pub(super) fn built_there(
        &self,
        unit: usize,
        server: Node<'w>,
        function: Node<'w>,
    ) -> Option<(Node<'w>, Node<'w>)> {
        let file = &self.world.units[unit];
        let symbol = file.symbol(server).filter(|_| server.kind() == "identifier")?;
        if span(function).contains(file.module.symbol(symbol).span) {
            return None;
        }
        let uses = self.uses(unit, (unit, symbol));
        let declared = uses.iter().copied().find(|used| span(*used) == file.module.symbol(symbol).span)?;
        let declarator = declared.parent().filter(|parent| parent.kind() == "variable_declarator")?;
        let declaration = declarator.parent().filter(|declaration| children(*declaration).len() == 1)?;
        let value = declarator.child_by_field_name("value")?;
        let within = uses
            .iter()
            .all(|used| *used == declared || self.edits[unit].gone(*used) || span(function).contains(span(*used)));
        let builds = file.fact(bare(value)) == Some(&Fact::Build);
        if !within || !builds || declaration.parent().is_some_and(|parent| parent.kind() == "export_statement") {
            return None;
        }
        Some((declaration, value))
    }

    /// Whether a function closes a server, or its transport, with the response already.
    pub(super) fn closes_already(&self, unit: usize, function: Node<'w>, server: &str) -> bool {
        let file = &self.world.units[unit];
        any(function, &mut |node| {
            let listens = node.kind() == "call_expression"
                && node
                    .child_by_field_name("function")
                    .and_then(|callee| callee.child_by_field_name("property"))
                    .is_some_and(|name| matches!(file.script.of(name), "on" | "once"))
                && self
                    .argument(node, 0)
                    .is_some_and(|event| file.script.of(event).trim_matches(['"', '\'']) == "close");
            listens
                && self.argument(node, 1).is_some_and(|callback| {
                    any(callback, &mut |inner| {
                        file.fact(inner) == Some(&Fact::Close)
                            && inner
                                .child_by_field_name("function")
                                .and_then(|callee| callee.child_by_field_name("object"))
                                .is_some_and(|object| file.script.of(object) == server)
                    })
                })
        })
    }

    /// Where a helper makes the transport, the handler that uses it closes it.
    pub(super) fn close_where_answered(
        &mut self,
        unit: usize,
        closed: &[Node<'w>],
        hook: &dyn Fn(usize, &str, &str) -> String,
    ) -> Result<(), Refused> {
        for answer in self.places(unit, &Fact::Handle) {
            let within = closed.iter().any(|function| span(*function).contains(span(answer)));
            let Some((_, response)) = self.exchange(unit, answer).filter(|_| !within && self.runs(unit, answer)) else {
                continue;
            };
            let callee = answer.child_by_field_name("function");
            let Some(transport) = callee.and_then(|callee| callee.child_by_field_name("object")) else { continue };
            let (receiver, declared) = self.receiver(unit, answer, transport)?;
            let script = &self.world.units[unit].script;
            let at = statement(answer);
            let text = hook(unit, &response, &receiver);
            let indent = self.edits[unit].indentation(script, at).to_owned();
            let newline = script.style.newline;
            let place = self.above(unit, at);
            self.edits[unit].insert(place, format!("{declared}{text}{newline}{indent}"));
        }
        Ok(())
    }

    /// What a transport that answers can be called, with the declaration that takes for it where the answer makes it on the spot.
    fn receiver(&mut self, unit: usize, answer: Node<'w>, transport: Node<'w>) -> Result<(String, String), Refused> {
        let script = &self.world.units[unit].script;
        let made = self.edits[unit].edited(script, transport);
        if !any(transport, &mut |node| matches!(node.kind(), "call_expression" | "new_expression" | "await_expression"))
        {
            return Ok((made, String::new()));
        }
        let at = statement(answer);
        let around = std::iter::successors(answer.parent(), Node::parent).take_while(|node| *node != at);
        let conditional =
            |node: Node<'w>| matches!(node.kind(), "if_statement" | "ternary_expression" | "binary_expression");
        let decided = |node: Node<'w>| self.decided(unit, node).is_some();
        if around.chain([at]).any(|node| conditional(node) && !decided(node)) {
            return Err(script.refuse(
                answer,
                "the transport is made in the expression that answers, under a condition",
                "keep the transport in a variable of its own before it answers, then run again",
            ));
        }
        let function = enclosing_function(answer).unwrap_or(at);
        let stays = |node: Node<'w>| !self.edits[unit].gone(node);
        let taken = |name: &str| {
            any(function, &mut |node| node.kind() == "identifier" && script.of(node) == name && stays(node))
        };
        let name =
            ["transport", "requestTransport"].into_iter().find(|name| !taken(name)).unwrap_or("transportOfRequest");
        let plain = if transport.kind() == "parenthesized_expression" { children(transport)[0] } else { transport };
        let value = self.edits[unit].edited(script, plain);
        let end = if script.style.semicolons { ";" } else { "" };
        let indent = self.edits[unit].indentation(script, at);
        let declared = format!("const {name} = {value}{end}{}{indent}", script.style.newline);
        self.edits[unit].replace(span(transport), name);
        Ok((name.to_owned(), declared))
    }

    /// Where something is put in above a statement: above the comments that describe it too.
    fn above(&self, unit: usize, at: Node<'w>) -> usize {
        let (start, own) = (leading_comments(&self.world.units[unit].script, at), at.start_byte());
        if start < own && self.edits[unit].touches(Span::new(start, own - 1)) { own } else { start }
    }
}
