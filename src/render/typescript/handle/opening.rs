//! A statement that a function begins with, and waits for.

use tree_sitter::Node;

use super::edits::Edits;
use super::mode;
use crate::model::facts::Span;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children};

/// Begins a function with a statement, given without its semicolon. The function becomes asynchronous if it was not.
pub fn begin(script: &Script, edits: &mut Edits, function: Node<'_>, statement: &str) -> Result<(), Refused> {
    let end = if script.style.semicolons { ";" } else { "" };
    let text = format!("{statement}{end}");
    let body = function.child_by_field_name("body");
    let body = body.ok_or_else(|| script.refuse(function, "this function has no body", "run again"))?;
    mode::asynchronous(edits, script, function);
    if body.kind() == "statement_block" {
        block(script, edits, body, &text);
    } else {
        expression(script, edits, function, body, &text)?;
    }
    Ok(())
}

fn block(script: &Script, edits: &mut Edits, body: Node<'_>, text: &str) {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).next();
    let at = body.start_byte() + 1;
    let line = first.filter(|first| first.start_position().row > body.start_position().row);
    match (first, line) {
        (_, Some(first)) => {
            edits.insert(script, at, format!("{}{}{text}", script.style.newline, script.indentation(first)));
        }
        (Some(_), None) => edits.insert(script, at, format!(" {text}{}", separator(script))),
        (None, None) => edits.replace(script, Span::new(at, body.end_byte() - 1), format!(" {text} ")),
    }
}

/// What two statements on one line need between them, where the file has no semicolons.
fn separator(script: &Script) -> &'static str {
    if script.style.semicolons { "" } else { ";" }
}

/// A body that is an expression becomes a block that returns it.
fn expression(
    script: &Script,
    edits: &mut Edits,
    function: Node<'_>,
    body: Node<'_>,
    text: &str,
) -> Result<(), Refused> {
    let newline = script.style.newline;
    let base = script.indentation(function).to_owned();
    let unit = script.style.indent.text();
    let end = if script.style.semicolons { ";" } else { "" };
    let wrapped = (body.kind() == "parenthesized_expression").then(|| children(body)).filter(|inner| inner.len() == 1);
    let value = wrapped.map_or(body, |inner| inner[0]);
    let opening = format!("{{{newline}{base}{unit}{text}{newline}{base}{unit}return ");
    let closing = format!("{end}{newline}{base}}}");
    let arrow = body.prev_sibling().filter(|arrow| arrow.kind() == "=>");
    let broken = arrow.filter(|arrow| arrow.end_position().row < body.start_position().row && value == body);
    if let Some(arrow) = broken {
        edits.replace(script, Span::new(arrow.end_byte(), body.start_byte()), format!(" {opening}"));
        edits.insert(script, body.end_byte(), closing);
    } else if value == body {
        edits.insert(script, body.start_byte(), opening);
        edits.insert(script, body.end_byte(), closing);
    } else {
        edits.replace(script, Span::new(body.start_byte(), value.start_byte()), opening);
        edits.replace(script, Span::new(value.end_byte(), body.end_byte()), closing);
    }
    let several = value.start_position().row < value.end_position().row;
    if several && holds_long_template(script, value) {
        return Err(script.refuse(
            value,
            "a text of several lines stands in this expression",
            "write the handler as a block",
        ));
    }
    let mut at = script.line_end(value.start_byte());
    while at < value.end_byte() {
        if !script.text()[at..].starts_with(['\n', '\r']) {
            edits.insert(script, at, unit.clone());
        }
        at = script.line_end(at);
    }
    Ok(())
}

fn holds_long_template(script: &Script, node: Node<'_>) -> bool {
    node.kind() == "template_string" && script.of(node).contains('\n')
        || children(node).into_iter().any(|child| holds_long_template(script, child))
}
