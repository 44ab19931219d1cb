//! The last look: nothing that is left may still ask for a session.

use tree_sitter::Node;

use super::fold::{Fold, any};
use super::machine::parameters;
use super::world::Unit;
use crate::model::facts::{Span, SymbolId, SymbolKind};
use crate::plan::Site;
use crate::plan::transport::{Fact, Transport};
use crate::render::typescript::script::{Script, bare, enclosing_function, is_statement, span, statement};
use crate::render::{Change, Refused, all};

/// What is wrong with something that is left, and what to do about it.
fn asks_for_session(fact: &Fact) -> Option<(&'static str, &'static str)> {
    match fact {
        Fact::Absent => Some((
            "the session id is used here, and there is none any more",
            "take the use of the id away, or name what it stood for by an argument, then run again",
        )),
        Fact::Table => Some((
            "the table of sessions is used here in a way that has no counterpart without sessions",
            "decide what this is to do for requests instead of sessions, then run again",
        )),
        Fact::Opens => Some((
            "this check lets only requests through that open a session, and what it decides could not be folded",
            "serve every request the same way here, then run again",
        )),
        _ => None,
    }
}

/// `const opens = isInitializeRequest(req.body)` of which log lines alone are left: what they say is still so.
fn is_only_told(unit: &Unit, own: &[Change], at: Span) -> bool {
    let declarator = unit.script.node(at).and_then(|node| node.parent());
    let declarator = declarator.filter(|parent| parent.kind() == "variable_declarator");
    let name = declarator.and_then(|declarator| declarator.child_by_field_name("name"));
    let Some((name, symbol)) = name.and_then(|name| Some((name, unit.symbol(name)?))) else { return false };
    let (mut told, mut elsewhere) = (false, false);
    any(unit.script.tree.root_node(), &mut |node| {
        let used = node.kind() == "identifier" && node != name && unit.symbol(node) == Some(symbol);
        if used && !own.iter().any(|change| change.span.contains(span(node))) {
            let logs = std::iter::successors(node.parent(), Node::parent)
                .take_while(|around| !is_statement(*around))
                .any(|around| unit.fact(around) == Some(&Fact::Log));
            told |= logs;
            elsewhere |= !logs;
        }
        false
    });
    told && !elsewhere
}

/// Whether a comment goes with the changes that no new text replaces.
pub fn loses_comment(script: &Script, changes: &[Change]) -> bool {
    fn comments<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind() == "comment" {
                out.push(child);
            } else {
                comments(child, out);
            }
        }
    }
    let mut all = Vec::new();
    comments(script.tree.root_node(), &mut all);
    all.into_iter().any(|comment| changes.iter().any(|change| change.span.contains(span(comment))))
}

impl<'w> Fold<'w> {
    /// Refuses where a session id or a table of sessions is still used: all such places, one for a line, a use before the declaration.
    /// Where the step is stopped already, what is left for that reason is not told again.
    pub fn left(&self, changes: &[Vec<Change>], stopped: Option<&Refused>) -> Result<(), Refused> {
        let mut found: Vec<(Refused, (&str, usize))> = Vec::new();
        for (index, (unit, own)) in self.world.units.iter().zip(changes).enumerate() {
            let mut spans: Vec<(Span, &Fact)> = unit.facts.iter().map(|(span, fact)| (*span, fact)).collect();
            // A use tells more than the declaration.
            let declares = |span: &Span| unit.module.symbols.iter().any(|symbol| span.contains(symbol.span));
            spans.sort_by_key(|(span, _)| (declares(span), *span));
            let gone =
                |at: Span| own.iter().any(|change| change.span.contains(at) && change.span.start < change.span.end);
            for (at, fact) in spans.into_iter().filter(|(at, _)| !gone(*at)) {
                if *fact == Fact::Opens && is_only_told(unit, own, at) {
                    continue;
                }
                let Some((why, todo)) = asks_for_session(fact) else { continue };
                let line = unit.script.text()[..at.start as usize].matches('\n').count() + 1;
                let place = (unit.script.path.as_str(), line);
                let known = found.iter().any(|(_, known)| *known == place) || (declares(&at) && !found.is_empty());
                if known || stopped.is_some_and(|stopped| declares(&at) || self.left_by(stopped, index, at)) {
                    continue;
                }
                let at = Site { path: unit.script.path.clone(), span: at };
                found.push((Refused { at, why: why.to_owned(), todo: todo.to_owned(), also: Vec::new() }, place));
            }
        }
        all(found.into_iter().map(|(refused, _)| Err(refused)))
    }

    /// Whether code is left because of what stops the step: it is a part of that, or would go with it.
    fn left_by(&self, stopped: &Refused, unit: usize, at: Span) -> bool {
        let script = &self.world.units[unit].script;
        let Some(whole) = script.node(at).map(statement) else { return true };
        let meets = |site: &Site| site.path == script.path && super::meets(site.span, span(whole));
        meets(&stopped.at) || stopped.also.iter().any(|other| meets(&other.at)) || self.is_chore(unit, whole, true)
    }

    /// Whether what a method is called on is found where it lives longer than the request.
    pub(super) fn receiver_outlives(&self, unit: usize, answer: Node<'w>, step: &Transport) -> bool {
        match answer.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object")) {
            Some(receiver) => self.outlives(unit, receiver, step, 3),
            None => true,
        }
    }

    /// Whether a value lives longer than the request. `depth` bounds how far it is followed to where it was handed in.
    fn outlives(&self, unit: usize, value: Node<'w>, step: &Transport, depth: usize) -> bool {
        let file = &self.world.units[unit];
        let mut root = bare(value);
        let local = |node: Node<'w>| file.slot(node).is_some_and(|slot| self.local_slots.contains(&(unit, slot)));
        if std::iter::successors(Some(root), |node| node.child_by_field_name("object").map(bare)).any(local) {
            return false;
        }
        while let Some(object) = root.child_by_field_name("object").filter(|_| root.kind() != "call_expression") {
            root = bare(object);
        }
        match root.kind() {
            "identifier" => {
                let Some(symbol) = file.symbol(root) else { return true };
                let home = file.home(symbol);
                let handlers: Vec<Span> = step
                    .routes
                    .iter()
                    .flat_map(|route| self.handlers(route))
                    .filter(|(at, _)| *at == unit)
                    .map(|(_, at)| at)
                    .collect();
                if file.declared_by(symbol) == SymbolKind::Parameter && depth > 0 && !handlers.contains(&home) {
                    let given = self.given(unit, symbol);
                    if !given.is_empty() {
                        return given.into_iter().any(|(at, value)| self.outlives(at, value, step, depth - 1));
                    }
                }
                // The functions around the answer, up to the handler of the request.
                let mut around = enclosing_function(root);
                while let Some(function) = around {
                    if span(function) == home {
                        return false;
                    }
                    if handlers.contains(&span(function)) {
                        return true;
                    }
                    around = enclosing_function(function);
                    if around.is_some_and(|outer| !handlers.iter().any(|handler| handler.contains(span(outer)))) {
                        return true;
                    }
                }
                true
            }
            // `(await create()).handleRequest(…)`, `new Transport(…).handleRequest(…)`.
            "call_expression" | "new_expression" => false,
            "this" if depth > 0 => {
                let around = std::iter::successors(enclosing_function(root), |function| enclosing_function(*function));
                let method = around.into_iter().find(|function| function.kind() == "method_definition");
                let calls = method.map_or_else(Vec::new, |method| self.calls_of((unit, span(method))));
                let receiver = |call: Node<'w>| call.child_by_field_name("function")?.child_by_field_name("object");
                let live = calls.into_iter().filter(|(at, call)| !self.edits[*at].gone(*call) && self.runs(*at, *call));
                let receivers: Vec<_> = live.map(|(at, call)| Some((at, receiver(call)?))).collect();
                receivers.is_empty()
                    || receivers.into_iter().any(|found| match found {
                        Some((at, value)) if bare(value).kind() != "this" => self.outlives(at, value, step, depth - 1),
                        _ => true,
                    })
            }
            _ => true,
        }
    }

    /// What the calls that are left hand in for a parameter.
    fn given(&self, unit: usize, symbol: SymbolId) -> Vec<(usize, Node<'w>)> {
        let file = &self.world.units[unit];
        let home = file.home(symbol);
        let index = self.world.function((unit, home)).and_then(|function| {
            let own = |param: &Node<'w>| param.child_by_field_name("pattern").unwrap_or(*param);
            parameters(function).iter().position(|param| file.symbol(own(param)) == Some(symbol))
        });
        let Some(index) = index else { return Vec::new() };
        let calls = self.calls_of((unit, home)).into_iter();
        let live = calls.filter(|(at, call)| !self.edits[*at].gone(*call) && self.runs(*at, *call));
        live.filter_map(|(at, call)| Some((at, self.argument(call, index)?))).collect()
    }

    /// Refuses where nothing is left that answers a request, or where a transport is made once for all of them.
    pub fn serves_still(&self, step: &Transport) -> Result<(), Refused> {
        let mut answers = 0;
        let mut outcomes = Vec::new();
        for unit in 0..self.world.units.len() {
            let script = &self.world.units[unit].script;
            for answer in self.places(unit, &Fact::Handle).into_iter().filter(|node| self.runs(unit, *node)) {
                answers += 1;
                if self.receiver_outlives(unit, answer, step) {
                    outcomes.push(Err(script.refuse(
                        statement(answer),
                        "the transport that answers here is kept from one request to the next",
                        "make server and transport in the handler of each request",
                    )));
                }
            }
            for connect in self.places(unit, &Fact::Connect).into_iter().filter(|node| self.runs(unit, *node)) {
                let shared = enclosing_function(connect).is_some()
                    && self.receiver_outlives(unit, connect, step)
                    && !self.edits[unit].declares_again(span(statement(connect)).start as usize);
                if shared {
                    outcomes.push(Err(script.refuse(
                        statement(connect),
                        "this server is shared by all requests, and a server can be connected to one transport only",
                        "build the server in a function, and call that in the handler of each request",
                    )));
                }
            }
            for made in self.places(unit, &Fact::Construct) {
                if enclosing_function(made).is_none() {
                    outcomes.push(Err(script.refuse(
                        statement(made),
                        "this transport is made once and serves every request",
                        "make server and transport in the handler of each request",
                    )));
                }
            }
        }
        match (answers, step.routes.first()) {
            (0, Some(route)) if outcomes.is_empty() => Err(Refused {
                at: route.at.clone(),
                why: "no code is left here that answers a request".to_owned(),
                todo: "build server and transport in this handler, connect them and hand the request over".to_owned(),
                also: Vec::new(),
            }),
            _ => all(outcomes),
        }
    }
}
