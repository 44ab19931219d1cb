//! What handlers of methods that are gone answer to somebody who has no session, other than an error: a probe may live on it.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::fold::Fold;
use super::hooks;
use super::machine::parameters;
use super::routes::{Serves, serves};
use super::world::Function;
use crate::plan::transport::{Route, Transport};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, is_function};

/// Methods of responses and contexts that send an answer.
const SENDS: &[&str] = &["json", "send", "end", "text", "html", "body", "redirect", "sendFile", "render", "sendStatus"];

impl<'w> Fold<'w> {
    /// Refuses where GET without a session is answered with something other than an error. (DELETE without one ends nothing, whatever it
    /// answers.)
    pub(super) fn probes(&self, step: &Transport, serving: &FxHashSet<Function>) -> Result<(), Refused> {
        // What looks for the session before the handler does turns requests without one away.
        let looked_for = |route: &Route| {
            let mut hooks = route.hooks.iter().filter_map(|site| Some((self.world.unit(&site.path)?, site.span)));
            hooks.any(|hook| hooks::asks(self.world, hook))
        };
        let asked = |route: &Route| route.methods.iter().any(|method| matches!(method.as_str(), "get" | "head"));
        let gone =
            step.routes.iter().filter(|route| serves(route) == Serves::Gone && asked(route) && !looked_for(route));
        for handler in gone.flat_map(|route| self.handlers(route)).filter(|handler| !serving.contains(handler)) {
            let Some(function) = self.world.function(handler) else { continue };
            let script = &self.world.units[handler.0].script;
            let answers = Answers {
                script,
                parameters: parameters(function)
                    .into_iter()
                    .map(|parameter| script.of(parameter.child_by_field_name("pattern").unwrap_or(parameter)))
                    .collect(),
            };
            let body = function.child_by_field_name("body");
            let Some(at) = body.and_then(|body| self.success(handler.0, &answers, body)) else { continue };
            return Err(script.refuse(
                at,
                "a request without a session gets an answer here that is no error, and a health check or a person may live on it",
                "answer it on a path of its own (`/health`), point whatever asks here to that, then run again",
            ));
        }
        Ok(())
    }

    /// The first reached statement that answers with success.
    fn success(&self, unit: usize, answers: &Answers<'_>, node: Node<'w>) -> Option<Node<'w>> {
        let skipped =
            node.kind() != "statement_block" && node.kind().ends_with("_statement") && !self.reached(unit, node);
        if is_function(node) || skipped {
            return None;
        }
        if matches!(node.kind(), "expression_statement" | "return_statement") {
            return answers.succeeds(node).then_some(node);
        }
        children(node).into_iter().find_map(|child| self.success(unit, answers, child))
    }
}

/// What a statement does to the answer of a handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Says {
    /// It sends the answer.
    sends: bool,
    /// The status that it names; a status that is worked out counts as an error.
    status: Option<u32>,
}

/// The answers of one handler.
struct Answers<'s> {
    script: &'s Script,
    /// The names of its parameters: the response, or the context of the request, is one of them.
    parameters: Vec<&'s str>,
}

impl Answers<'_> {
    /// Whether a statement sends an answer of which neither it nor what stands before it says that it is an error.
    fn succeeds(&self, statement: Node<'_>) -> bool {
        let own = self.says(statement);
        let before = || {
            let around = statement.parent().map_or_else(Vec::new, children);
            let before = around.into_iter().take_while(|other| *other != statement);
            before.filter_map(|other| self.says(other).status).last()
        };
        own.sends && own.status.or_else(before).is_none_or(|status| status < 400)
    }

    fn says(&self, statement: Node<'_>) -> Says {
        let Some(mut node) = children(statement).first().map(|node| bare(*node)) else { return Says::default() };
        if node.kind() == "await_expression" {
            node = children(node).first().map_or(node, |inner| bare(*inner));
        }
        match node.kind() {
            "assignment_expression" => self.assigned(node).unwrap_or_default(),
            "call_expression" => self.called(node).unwrap_or_default(),
            _ => Says::default(),
        }
    }

    /// `res.statusCode = 404`; of Koa `ctx.status = 404`, `ctx.body = …`.
    fn assigned(&self, node: Node<'_>) -> Option<Says> {
        let target = node.child_by_field_name("left")?;
        if !self.is_own(target.child_by_field_name("object")?) {
            return None;
        }
        match self.script.of(target.child_by_field_name("property")?) {
            "statusCode" | "status" => {
                Some(Says { sends: false, status: Some(self.number(node.child_by_field_name("right"))) })
            }
            "body" => Some(Says { sends: true, status: None }),
            _ => None,
        }
    }

    /// `res.status(404).json(…)`, `c.json(…, 404)`.
    fn called(&self, mut call: Node<'_>) -> Option<Says> {
        let mut out = Says::default();
        while call.kind() == "call_expression" {
            let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression")?;
            let name = self.script.of(callee.child_by_field_name("property")?);
            let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
            let status = match name {
                "status" | "code" | "sendStatus" | "writeHead" => Some(self.number(arguments.first().copied())),
                "json" | "text" | "html" | "body" if arguments.len() > 1 => {
                    Some(self.number(arguments.get(1).copied()))
                }
                _ => None,
            };
            out.sends |= SENDS.contains(&name);
            out.status = out.status.or(status);
            call = bare(callee.child_by_field_name("object")?);
        }
        self.is_own(call).then_some(out)
    }

    fn number(&self, node: Option<Node<'_>>) -> u32 {
        node.and_then(|node| self.script.of(node).parse().ok()).unwrap_or(u32::MAX)
    }

    fn is_own(&self, node: Node<'_>) -> bool {
        node.kind() == "identifier" && self.parameters.contains(&self.script.of(node))
    }
}
