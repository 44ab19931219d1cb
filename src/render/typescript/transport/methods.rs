//! Routes of all methods: POST serves, a route beside it turns the rest away.

use tree_sitter::Node;

use super::fold::{Fold, any};
use super::routes::framework;
use crate::plan::transport::Route;
use crate::plan::web::Framework;
use crate::render::Refused;
use crate::render::typescript::entry::Entry;
use crate::render::typescript::script::{bare, children, span, statement};

impl<'w> Fold<'w> {
    /// A route of all methods becomes one for POST, and one that turns the rest away.
    pub(super) fn all(&mut self, route: &Route) -> Result<(), Refused> {
        let Some(unit) = self.world.unit(&route.at.path) else { return Ok(()) };
        let script = &self.world.units[unit].script;
        let framework = framework(route, script)?;
        // Its methods are told apart in its body.
        if framework == Framework::Node {
            return Ok(());
        }
        let Some(call) = script.node(route.at.span) else { return Ok(()) };
        let stop = |node: Node<'_>| {
            script.refuse(
                node,
                "the methods that this route is for can't be told",
                "register the handler for POST alone, and answer other methods with 405",
            )
        };
        let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression");
        let Some(callee) = callee else { return Err(stop(call)) };
        let (Some(app), Some(method)) = (callee.child_by_field_name("object"), callee.child_by_field_name("property"))
        else {
            return Err(stop(call));
        };
        if framework == Framework::Fastify && script.of(method) == "route" {
            return self.route_object(unit, call, app);
        }
        if framework == Framework::Hono && script.of(method) == "on" {
            return self.listed_methods(unit, call, app);
        }
        if !matches!(script.of(method), "all" | "use") {
            return Err(stop(call));
        }
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let chained = bare(app).kind() == "call_expression";
        let path = match arguments.as_slice() {
            [path, _, ..] if !chained => *path,
            [_] | [] if !chained => return Err(stop(call)),
            _ => app,
        };
        let (request, response) = framework.names();
        let entry = Entry { style: &script.style, framework, request, response, types: None };
        let indent = self.edits[unit].indentation(script, statement(call)).to_owned();
        let newline = script.style.newline;
        self.edits[unit].replace(span(method), "post");
        if chained {
            let text = script.indented(&entry.not_allowed_handler(), self.edits[unit].indentation(script, call));
            self.edits[unit].insert(call.end_byte(), format!(".all({text})"));
            return Ok(());
        }
        if any(app, &mut |node| node.kind() == "call_expression") {
            return Err(stop(call));
        }
        let text = script.indented(&entry.not_allowed_route(script.of(app), script.of(path)), &indent);
        self.edits[unit].insert(statement(call).end_byte(), format!("{newline}{newline}{indent}{text}"));
        Ok(())
    }

    /// `app.on(['GET', 'POST'], path, handler)`.
    pub(super) fn listed_methods(&mut self, unit: usize, call: Node<'w>, app: Node<'w>) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let (Some(methods), Some(path)) = (self.argument(call, 0), self.argument(call, 1)) else { return Ok(()) };
        if methods.kind() != "array" || app.kind() != "identifier" {
            return Err(script.refuse(
                call,
                "the methods that this route is for can't be told",
                "register the handler for POST alone, and answer other methods with 405",
            ));
        }
        let entry = Entry { style: &script.style, framework: Framework::Hono, request: "c", response: "", types: None };
        let at = statement(call);
        let indent = script.indentation(at);
        let newline = script.style.newline;
        let text = script.indented(&entry.not_allowed_route(script.of(app), script.of(path)), indent);
        self.edits[unit].replace(span(methods), script.style.string("POST"));
        self.edits[unit].insert(at.end_byte(), format!("{newline}{newline}{indent}{text}"));
        Ok(())
    }

    /// `fastify.route({ method: [...], url, handler })`.
    pub(super) fn route_object(&mut self, unit: usize, call: Node<'w>, app: Node<'w>) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let object = self.argument(call, 0).filter(|object| object.kind() == "object");
        let field = |name: &str| {
            children(object?)
                .into_iter()
                .find(|pair| pair.child_by_field_name("key").is_some_and(|key| script.of(key) == name))
                .and_then(|pair| pair.child_by_field_name("value"))
        };
        let (Some(method), Some(url)) = (field("method"), field("url")) else {
            return Err(script.refuse(
                call,
                "the methods that this route is for can't be told",
                "register it for POST alone",
            ));
        };
        let entry = Entry {
            style: &script.style,
            framework: Framework::Fastify,
            request: "request",
            response: "reply",
            types: None,
        };
        let at = statement(call);
        let indent = script.indentation(at);
        let newline = script.style.newline;
        let text = script.indented(&entry.not_allowed_route(script.of(app), script.of(url)), indent);
        self.edits[unit].replace(span(method), script.style.string("POST"));
        self.edits[unit].insert(at.end_byte(), format!("{newline}{newline}{indent}{text}"));
        Ok(())
    }
}
