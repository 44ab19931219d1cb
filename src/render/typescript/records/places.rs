//! Statements after others, also where there was room for one alone.

use tree_sitter::Node;

use super::super::handle::edits::Edits;
use super::super::script::{Script, is_statement, span};
use crate::render::Refused;

/// Puts a statement after the one that an expression is, or stands in.
pub fn after(edits: &mut Edits, script: &Script, node: Node<'_>, text: &str) -> Result<(), Refused> {
    let end = if script.style.semicolons { ";" } else { "" };
    let mut outer = node;
    while let Some(parent) = outer.parent() {
        let through = match parent.kind() {
            "await_expression" | "parenthesized_expression" => true,
            "assignment_expression" => parent.child_by_field_name("left") == Some(outer),
            "unary_expression" => parent.child(0).is_some_and(|sign| matches!(script.of(sign), "delete" | "void")),
            _ => false,
        };
        if !through {
            break;
        }
        outer = parent;
    }
    let refused = || {
        script.refuse(node, "no statement can be put after this one", "write it as a statement of its own, in braces")
    };
    let parent = outer.parent().ok_or_else(refused)?;
    let newline = script.style.newline;
    if parent.kind() == "expression_statement" && is_statement(parent) {
        let indent = script.indentation(parent);
        edits.insert(script, parent.end_byte(), format!("{newline}{indent}{text}{end}"));
        return Ok(());
    }
    let alone = match parent.kind() {
        // The only statement of an `if`.
        "expression_statement" => Some(parent),
        "arrow_function" if parent.child_by_field_name("body") == Some(outer) => Some(outer),
        _ => None,
    };
    let alone = alone.ok_or_else(refused)?;
    let base = script.indentation(alone).to_owned();
    let unit = script.style.indent.text();
    let own = span(alone);
    let bare = if alone == outer { without_void(script, outer) } else { outer };
    edits.insert(script, own.start as usize, format!("{{{newline}{base}{unit}"));
    if bare.start_byte() > own.start as usize {
        edits.cut(script, crate::model::facts::Span::new(own.start as usize, bare.start_byte()));
    }
    let first = if script.of(alone).ends_with(';') { "" } else { end };
    edits.insert(script, own.end as usize, format!("{first}{newline}{base}{unit}{text}{end}{newline}{base}}}"));
    Ok(())
}

/// `void` says that a value is not answered; a block says so itself.
fn without_void<'t>(script: &Script, node: Node<'t>) -> Node<'t> {
    match node.kind() {
        "unary_expression" if node.child(0).is_some_and(|sign| script.of(sign) == "void") => {
            node.child_by_field_name("argument").unwrap_or(node)
        }
        _ => node,
    }
}
