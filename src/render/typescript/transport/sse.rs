//! The HTTP+SSE transport, which always has a session: its routes go.

use rustc_hash::FxHashSet;

use tree_sitter::Node;

use super::fold::Fold;
use crate::model::facts::Span;
use crate::plan::transport::{Fact, Transport};
use crate::render::typescript::scope;
use crate::render::typescript::script::{bare, children, span, statement};
use crate::render::{Refused, all};

impl Fold<'_> {
    /// Takes the routes of the HTTP+SSE transport away.
    pub fn without_sse(&mut self, step: &Transport) -> Result<(), Refused> {
        let mut outcomes = Vec::new();
        for route in &step.sse {
            let Some(unit) = self.world.unit(&route.at.path) else { continue };
            let script = &self.world.units[unit].script;
            let Some(call) = script.node(route.at.span) else { continue };
            let at = statement(call);
            let whole = at.kind() == "expression_statement" && children(at).first() == Some(&call);
            let registers = call.child_by_field_name("function").is_some_and(|callee| {
                callee.child_by_field_name("object").is_some_and(|app| bare(app).kind() != "call_expression")
            });
            if self.serves_sse_alone(step, unit, call) {
                outcomes.push(Err(script.refuse(
                    call,
                    "nothing else is registered with this application: whoever starts it would find nothing there",
                    "take it away together with what starts it, or give it a file of its own, then run this again",
                )));
                continue;
            }
            if !whole || !registers {
                outcomes.push(Err(script.refuse(
                    call,
                    "this serves the HTTP+SSE transport, which always has a session, together with something else",
                    "take the HTTP+SSE endpoint away, or give it a route of its own, then run again",
                )));
                continue;
            }
            self.remove(unit, at);
        }
        // Handlers are left without a route, and so is what they alone call; what else makes such a transport stays.
        let handlers = step.sse.iter().flat_map(|route| self.handlers(route)).collect();
        let theirs = self.world.with_called(handlers, &FxHashSet::default());
        for (unit, file) in self.world.units.iter().enumerate() {
            for made in self.places(unit, &Fact::Sse) {
                let used = self.runs(unit, made);
                let handler = theirs.iter().any(|(at, function)| *at == unit && function.contains(span(made)));
                if used && !handler && !self.world.within_apart(unit, span(made)) {
                    outcomes.push(Err(file.script.refuse(
                        made,
                        "an HTTP+SSE transport is made here, and it always has a session",
                        "take the HTTP+SSE endpoint away, then run again",
                    )));
                }
            }
        }
        for (unit, at) in theirs {
            self.remove_handler(unit, at);
        }
        all(outcomes)
    }

    /// Whether a route stands on an application that no other transport is served on.
    fn serves_sse_alone(&self, step: &Transport, unit: usize, call: Node<'_>) -> bool {
        let script = &self.world.units[unit].script;
        let application = |call: Node<'_>| {
            let app = call.child_by_field_name("function")?.child_by_field_name("object")?;
            let declared = scope::declaration(script, app, script.of(app)).filter(|_| app.kind() == "identifier")?;
            let made = declared.parent().and_then(|declarator| declarator.child_by_field_name("value"))?;
            // What is mounted belongs to another.
            (bare(made).kind() == "call_expression" && !script.of(made).contains("Router(")).then_some(span(declared))
        };
        let Some(own) = application(call) else { return false };
        let here = step.routes.iter().filter(|route| route.at.path == script.path);
        !here.filter_map(|route| script.node(route.at.span)).any(|other| {
            let mut inner = Some(other);
            std::iter::from_fn(|| {
                let node = inner?;
                inner = node.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object"));
                Some(node)
            })
            .any(|node| application(node) == Some(own))
        })
    }

    /// Says so where the endpoint went, by itself or with the branch of a handler.
    pub fn tell_sse(&mut self) {
        let gone = (0..self.world.units.len())
            .any(|unit| self.all_places(unit, &Fact::Sse).into_iter().any(|made| self.edits[unit].gone(made)));
        if gone {
            self.raise("The HTTP+SSE endpoint is gone: clients that know no other transport can't connect any more.");
        }
    }

    /// A handler that was declared on its own, and that no route names any more.
    pub(super) fn remove_handler(&mut self, unit: usize, at: Span) {
        let Some(function) = self.world.units[unit].script.node(at).filter(|node| !self.edits[unit].gone(*node)) else {
            return;
        };
        let declaration = match function.parent().filter(|parent| parent.kind() == "variable_declarator") {
            Some(declarator) => declarator.parent(),
            None if matches!(function.kind(), "function_declaration" | "method_definition") => Some(function),
            None => function.parent().filter(|parent| parent.kind().ends_with("field_definition")),
        };
        if let Some(declaration) = declaration {
            let whole =
                declaration.parent().filter(|parent| parent.kind() == "export_statement").unwrap_or(declaration);
            self.remove(unit, whole);
        }
    }
}
