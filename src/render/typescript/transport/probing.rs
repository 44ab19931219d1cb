//! What handlers of methods that are gone answer to somebody who has no session, other than an error: a probe may live on it.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::fold::Fold;
use super::routes::{Serves, serves};
use super::world::Function;
use crate::plan::transport::Transport;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, is_function};

/// Methods of responses and contexts that send an answer.
const SENDS: &[&str] =
    &["json", "send", "end", "text", "html", "body", "redirect", "sendFile", "render", "sendStatus", "status", "code", "writeHead"];

impl<'w> Fold<'w> {
    /// Refuses where GET or DELETE without a session is answered with something other than an error.
    pub(super) fn probes(&self, step: &Transport, serving: &FxHashSet<Function>) -> Result<(), Refused> {
        let gone = step.routes.iter().filter(|route| serves(route) == Serves::Gone);
        for handler in gone.flat_map(|route| self.handlers(route)).filter(|handler| !serving.contains(handler)) {
            let body = self.world.function(handler).and_then(|node| node.child_by_field_name("body"));
            let Some(at) = body.and_then(|body| self.success(handler.0, body)) else { continue };
            return Err(self.world.units[handler.0].script.refuse(
                at,
                "a request without a session gets an answer here that is no error, and a health check or a person may live on it",
                "answer it on a path of its own (`/health`), point whatever asks here to that, then run again",
            ));
        }
        Ok(())
    }

    /// The first reached statement that answers with success.
    fn success(&self, unit: usize, node: Node<'w>) -> Option<Node<'w>> {
        if is_function(node) {
            return None;
        }
        if node.kind() != "statement_block" && node.kind().ends_with("_statement") && !self.reached(unit, node) {
            return None;
        }
        let script = &self.world.units[unit].script;
        if matches!(node.kind(), "expression_statement" | "return_statement") {
            let status = status(script, node)?;
            return (status < 400 && !fails_beside(script, node)).then_some(node);
        }
        children(node).into_iter().find_map(|child| self.success(unit, child))
    }
}

/// The status that a statement answers with, where it answers itself: 200 where it names none.
fn status(script: &Script, statement: Node<'_>) -> Option<u32> {
    let mut call = children(statement).first().map(|node| bare(*node))?;
    if call.kind() == "await_expression" {
        call = bare(*children(call).first()?);
    }
    let mut sends = false;
    let mut named = None;
    while call.kind() == "call_expression" {
        let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression")?;
        let name = script.of(callee.child_by_field_name("property")?);
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let number = |index: usize| arguments.get(index).and_then(|node| script.of(*node).parse::<u32>().ok());
        let own = match name {
            "status" | "code" | "sendStatus" | "writeHead" => Some(number(0).unwrap_or(u32::MAX)),
            // `c.json(value, 400)`
            "json" | "text" | "html" | "body" if arguments.len() > 1 => Some(number(1).unwrap_or(u32::MAX)),
            _ => None,
        };
        sends |= SENDS.contains(&name) && !matches!(name, "status" | "code" | "writeHead");
        named = named.or(own);
        call = bare(callee.child_by_field_name("object")?);
    }
    // What is answered is a response, or the context of a request.
    let answers = matches!(call.kind(), "identifier") && is_response(script.of(call));
    (sends && answers).then(|| named.unwrap_or(200))
}

fn is_response(name: &str) -> bool {
    matches!(name, "res" | "response" | "reply" | "c" | "ctx" | "context" | "resp" | "_res")
}

/// Whether the statements around one say that the answer is an error: `res.statusCode = 400; res.end()`, `res.writeHead(400)`.
fn fails_beside(script: &Script, statement: Node<'_>) -> bool {
    let Some(block) = statement.parent() else { return false };
    children(block).into_iter().take_while(|other| *other != statement).any(|other| {
        let text = script.of(other);
        let sets = ["statusCode", "writeHead", ".status", ".code("].iter().any(|word| text.contains(word));
        // A status that is worked out is nothing to judge by.
        sets && other.kind() == "expression_statement" && !["200", "204"].iter().any(|good| text.contains(good))
    })
}
