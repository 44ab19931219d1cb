//! The HTTP+SSE transport, which always has a session: its routes go.

use super::fold::Fold;
use crate::model::facts::Span;
use crate::plan::transport::{Fact, Transport};
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
            if !whole || !registers {
                outcomes.push(Err(script.refuse(
                    call,
                    "this serves the HTTP+SSE transport, which always has a session, together with something else",
                    "take the HTTP+SSE endpoint away, or give it a route of its own, then run again",
                )));
                continue;
            }
            self.remove(unit, at);
            self.raise("The HTTP+SSE endpoint is gone: clients that know no other transport can't connect any more.");
        }
        for (unit, file) in self.world.units.iter().enumerate() {
            for made in self.places(unit, &Fact::Sse) {
                let used = self.runs(unit, made);
                // A handler by name is left without a route; what else makes such a transport stays.
                let handler = step
                    .sse
                    .iter()
                    .flat_map(|route| self.handlers(route))
                    .any(|(at, span_of)| at == unit && span_of.contains(span(made)));
                if used && !handler {
                    outcomes.push(Err(file.script.refuse(
                        made,
                        "an HTTP+SSE transport is made here, and it always has a session",
                        "take the HTTP+SSE endpoint away, then run again",
                    )));
                }
            }
        }
        for (unit, at) in step.sse.iter().flat_map(|route| self.handlers(route)).collect::<Vec<_>>() {
            self.remove_handler(unit, at);
        }
        all(outcomes)
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
