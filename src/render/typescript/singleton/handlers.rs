//! Edits of handlers and routes: the body that serves, methods that are turned away.

use tree_sitter::Node;

use super::routes::{Handled, Method, Route};
use super::types::types;
use super::{Code, insert_before, raise};
use crate::model::facts::Span;
use crate::plan::Level;
use crate::plan::web::Framework;
use crate::render::typescript::entry::{Entry, NOT_ALLOWED};
use crate::render::typescript::imports;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{Script, children, span};
use crate::render::{Change, Rendered};

/// Puts `text` in the place of the call, and sees to the methods that go.
pub(super) fn replace(code: &Code<'_>, handled: &Handled<'_>, method: Method, text: String, out: &mut Rendered) {
    let script = code.script;
    let text = match needs_gate(handled, method) {
        true => format!("{}{}{text}", gate_text(code, handled), script.style.newline),
        false => text,
    };
    if handled.handler.child_by_field_name("body") == Some(handled.statement) {
        let (newline, unit) = (script.style.newline, script.style.indent.text());
        let indent = script.indentation(handled.handler);
        let inner = script.indented(&text, &format!("{indent}{unit}"));
        let block = format!("{{{newline}{indent}{unit}{inner}{newline}{indent}}}");
        out.changes.push(script.change(span(handled.statement), block));
    } else {
        out.changes.push(in_place(script, handled.statement, &text));
    }
    make_async(script, handled.handler, out);
    narrow_routes(code, handled, out);
}

/// The change that puts several lines in the place of a statement, which may stand in a line with other code.
fn in_place(script: &Script, statement: Node<'_>, text: &str) -> Change {
    let (newline, unit, indent) = (script.style.newline, script.style.indent.text(), script.indentation(statement));
    let line = script.line_start(statement.start_byte());
    if script.text()[line..statement.start_byte()].trim().is_empty() {
        return script.change(span(statement), script.indented(text, indent));
    }
    let inner = format!("{indent}{unit}");
    let before = script.text()[..statement.start_byte()].trim_end_matches([' ', '\t']).len();
    let rest = &script.text()[statement.end_byte()..];
    let after = statement.end_byte() + rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let next = if script.text()[after..].starts_with('}') { indent } else { inner.as_str() };
    let lines = script.indented(text, &inner);
    script.change(Span::new(before, after), format!("{newline}{inner}{lines}{newline}{next}"))
}

/// Sees to the methods that go where the body stays as it is; `before` is the first statement that belongs to one request.
pub(super) fn gate(code: &Code<'_>, handled: &Handled<'_>, method: Method, before: Node<'_>, out: &mut Rendered) {
    let script = code.script;
    if needs_gate(handled, method) {
        let indent = script.indentation(before);
        let text = script.indented(&gate_text(code, handled), indent);
        let at = before.start_byte();
        out.changes.push(script.change(Span::new(at, at), format!("{text}{}{indent}", script.style.newline)));
    }
    narrow_routes(code, handled, out);
}

/// Whether the handler itself has to turn methods away.
fn needs_gate(handled: &Handled<'_>, method: Method) -> bool {
    match method {
        Method::Below => true,
        Method::Any => handled.routes.iter().any(|route| route.method == Method::Any && route.path.is_empty()),
        Method::Post | Method::Gone => false,
    }
}

fn gate_text(code: &Code<'_>, handled: &Handled<'_>) -> String {
    let (entry, newline) = (code.entry(handled), code.script.style.newline);
    let unit = code.script.style.indent.text();
    let method = match handled.framework {
        Framework::Hono => format!("{}.req.method", handled.request),
        _ => format!("{}.method", handled.request),
    };
    let answer = entry.answer_and_leave(&NOT_ALLOWED);
    let answer = code.script.indented(&answer, &unit);
    let post = code.script.style.string("POST");
    format!("if ({method} !== {post}) {{{newline}{unit}{answer}{newline}}}{newline}")
}

/// `app.all` becomes `app.post`, with a route behind it that turns the rest away.
fn narrow_routes(code: &Code<'_>, handled: &Handled<'_>, out: &mut Rendered) {
    let script = code.script;
    if handled.only.is_some() {
        return;
    }
    for route in handled.routes.iter().filter(|route| route.method == Method::Any && !route.path.is_empty()) {
        out.changes.push(script.change(span(route.registers), "post"));
        let (newline, indent) = (script.style.newline, script.indentation(route.statement));
        let text = script.indented(&code.entry(handled).not_allowed_route(route.app, route.path), indent);
        let at = route.statement.end_byte();
        out.changes.push(script.change(Span::new(at, at), format!("{newline}{newline}{indent}{text}")));
    }
}

/// The call answers a method that goes, within a handler that answers others too.
pub(super) fn turn_away(code: &Code<'_>, handled: &Handled<'_>, out: &mut Rendered) {
    if handled.only != Some(Method::Gone) {
        return;
    }
    let script = code.script;
    let indent = script.indentation(handled.statement);
    let text = script.indented(&code.entry(handled).answer(&NOT_ALLOWED), indent);
    out.changes.push(script.change(span(handled.statement), text));
}

/// Routes of methods that go: their handler becomes one that says so.
pub(super) fn turn_away_routes(code: &Code<'_>, out: &mut Rendered) {
    let script = code.script;
    let mut routes: Vec<(&Handled<'_>, Route<'_>)> = Vec::new();
    for handled in code.handled.iter().filter(|handled| handled.only.is_none()) {
        for route in handled.routes.iter().filter(|route| route.method == Method::Gone) {
            if !routes.iter().any(|(_, known)| known.argument == route.argument) {
                routes.push((handled, *route));
            }
        }
    }
    routes.sort_by_key(|(_, route)| route.argument.start_byte());
    let Some((handled, first)) = routes.first().copied() else { return };
    let entry = code.entry(handled);
    let typed = if script.typed() { types(script, handled.framework) } else { None };
    let named = routes.len() > 1 && (!script.typed() || typed.is_some()) && same_block(&routes);
    if !named {
        for (handled, route) in routes {
            let handler = code.entry(handled).not_allowed_handler();
            let text = script.indented(&handler, script.indentation(route.statement));
            out.changes.push(script.change(span(route.argument), text));
        }
        return;
    }
    let name = free_name(script, &["methodNotAllowed", "answerMethodNotAllowed"]);
    let annotated = typed.as_ref().map(|typed| (typed.request.as_str(), typed.response.as_str()));
    let handler = Entry { types: annotated, ..entry }.not_allowed_handler();
    let end = if script.style.semicolons { ";" } else { "" };
    insert_before(script, first.statement, &format!("const {name} = {handler}{end}"), out);
    out.changes.extend(routes.iter().map(|(_, route)| script.change(span(route.argument), name.clone())));
    if let Some(typed) = typed {
        out.changes.extend(imports::add(script, &typed.wanted(false)));
    }
}

fn same_block(routes: &[(&Handled<'_>, Route<'_>)]) -> bool {
    routes.windows(2).all(|pair| pair[0].1.statement.parent() == pair[1].1.statement.parent())
}

/// Lets a handler wait.
pub(super) fn make_async(script: &Script, handler: Node<'_>, out: &mut Rendered) {
    let mut cursor = handler.walk();
    if handler.children(&mut cursor).any(|child| child.kind() == "async") {
        return;
    }
    let at = match handler.kind() {
        "method_definition" => {
            handler.child_by_field_name("name").map_or(handler.start_byte(), |name| name.start_byte())
        }
        _ => handler.start_byte(),
    };
    let change = script.change(Span::new(at, at), "async ");
    if out.changes.contains(&change) {
        return;
    }
    out.changes.push(change);
    let returns = handler.child_by_field_name("return_type").map(children).unwrap_or_default();
    if let Some(returns) = returns.first().filter(|returns| script.of(**returns) == "void") {
        out.changes.push(script.change(span(*returns), "Promise<void>"));
    } else if !returns.is_empty() {
        raise(out, Level::Review);
    }
}
