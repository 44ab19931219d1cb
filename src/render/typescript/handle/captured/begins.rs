//! What the constructor does to the fields beside giving them their first values is done to each new record.

use tree_sitter::Node;

use super::super::create;
use super::super::edits::Edits;
use super::fields;
use super::record::Record;
use crate::model::facts::Span;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, enclosing_function, is_function, span, statement};

/// The statements of the constructor that fill the record, as lines for the tool that creates one, without them in the constructor.
pub fn take_out(record: &Record<'_>, edits: &mut Edits) -> Result<Vec<String>, Refused> {
    let script = record.script;
    let mut lines = Vec::new();
    for own in statements(record)? {
        let text = moved(record, own)?;
        lines.extend(create::unindented(script, own, &text));
        edits.cut(script, script.removal(own));
    }
    Ok(lines)
}

/// The statements, each once, in their order.
fn statements<'a>(record: &Record<'a>) -> Result<Vec<Node<'a>>, Refused> {
    let mut out: Vec<Node<'a>> = Vec::new();
    let fields = record.captured.locals.iter().filter_map(|local| local.field.as_ref());
    for site in fields.flat_map(|field| &field.filled).chain(&record.captured.begins) {
        let (script, node) = record.scripts.expression(site)?;
        let own = statement(node);
        let constructor = enclosing_function(node).filter(|function| {
            function.child_by_field_name("name").is_some_and(|name| script.of(name) == "constructor")
        });
        let direct = constructor.is_some_and(|function| function.child_by_field_name("body") == own.parent());
        if script.path != record.script.path || !direct || own.kind() != "expression_statement" {
            return Err(beside(script, node));
        }
        if !out.contains(&own) {
            out.push(own);
        }
    }
    out.sort_by_key(Node::start_byte);
    Ok(out)
}

/// A statement as it is done to a record: it may speak of nothing else that the constructor has.
fn moved(record: &Record<'_>, own: Node<'_>) -> Result<String, Refused> {
    let script = record.script;
    fields::independent(script, own)?;
    let mut swaps: Vec<(Span, String)> = Vec::new();
    let mut stack = vec![own];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "await_expression" | "yield_expression" | "comment" | "arguments_object" => {
                return Err(beside(script, node));
            }
            "this" => {
                let member = node.parent().filter(|parent| parent.kind() == "member_expression");
                let member = member.ok_or_else(|| beside(script, node))?;
                swaps.push(swap(record, member).ok_or_else(|| beside(script, member))?);
            }
            _ if is_function(node) && node.kind() != "arrow_function" => return Err(beside(script, node)),
            _ => stack.extend(children(node)),
        }
    }
    swaps.sort_by_key(|(span, _)| span.start);
    let mut text = String::new();
    let mut from = own.start_byte();
    for (span, new) in swaps {
        text.push_str(&script.text()[from..span.start as usize]);
        text.push_str(&new);
        from = span.end as usize;
    }
    text.push_str(&script.text()[from..own.end_byte()]);
    let end = if script.style.semicolons && !text.ends_with(';') { ";" } else { "" };
    Ok(format!("{text}{end}"))
}

/// What stands for `this.name` where it is done to a record: the field there, or a method that is handed the record.
fn swap(record: &Record<'_>, member: Node<'_>) -> Option<(Span, String)> {
    let script = record.script;
    let name = script.of(member.child_by_field_name("property")?);
    let variable = record.variables.iter().find(|variable| script.of(variable.name) == name);
    if let Some(variable) = variable {
        let field = format!("{}.{}", record.name, variable.label(script));
        return Some((span(member), if record.whole { record.name.clone() } else { field }));
    }
    let call = member.parent().filter(|call| call.child_by_field_name("function") == Some(member))?;
    if !record.captured.begins.iter().any(|site| site.span == span(call)) {
        return None;
    }
    let list = call.child_by_field_name("arguments")?;
    let comma = if children(list).is_empty() { "" } else { ", " };
    let open = Span::new(list.start_byte(), list.start_byte() + 1);
    Some((open, format!("({}{comma}", record.name)))
}

fn beside(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "the constructor does more here than to fill the state",
        "fill the fields in statements of their own, of nothing that the constructor is given",
    )
}
