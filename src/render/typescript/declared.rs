//! What declares a function and nothing else: it goes with the function, and so do the places that export it by name.

use tree_sitter::Node;

use super::handle::edits::Edits;
use super::script::{Script, children, span};
use super::transport::edits::item;
use crate::render::Refused;

/// Takes a function out, with its declaration and what exports it. Where the declaration says something else as well, nothing is
/// taken out.
pub fn take_out(edits: &mut Edits, script: &Script, function: Node<'_>) -> Result<(), Refused> {
    let refuse = || {
        script.refuse(
            function,
            "the function is declared in a way that is not known",
            "declare it by its own statement, and run again",
        )
    };
    let whole = declaration(script, function).ok_or_else(refuse)?;
    if edits.covers(&script.path, span(whole)) {
        return Ok(());
    }
    match whole.parent().is_some_and(|parent| parent.kind() == "object") {
        true => edits.cut(script, item(script, whole)),
        false => edits.cut(script, script.removal(whole)),
    }
    let named = function.child_by_field_name("name").or_else(|| {
        function.parent().filter(|parent| parent.kind() == "variable_declarator")?.child_by_field_name("name")
    });
    if let Some(name) = named.filter(|_| whole.parent().is_some_and(|parent| parent.kind() == "program")) {
        unexport(edits, script, script.of(name));
    }
    Ok(())
}

/// The declaration: a statement with its `export`, a member of a class, an entry of an object.
fn declaration<'t>(script: &Script, function: Node<'t>) -> Option<Node<'t>> {
    if matches!(function.kind(), "function_declaration" | "generator_function_declaration") {
        return Some(exported(function));
    }
    if function.kind() == "method_definition" {
        return Some(function);
    }
    let parent = function.parent()?;
    match parent.kind() {
        "pair" | "public_field_definition" | "field_definition" => Some(parent),
        "variable_declarator" => {
            let statement = parent.parent()?;
            (children(statement).len() == 1).then(|| exported(statement))
        }
        "assignment_expression" => {
            let left = parent.child_by_field_name("left").map(|left| script.of(left)).unwrap_or_default();
            let exports = left.starts_with("exports.") || left.starts_with("module.exports.");
            parent.parent().filter(|statement| exports && statement.kind() == "expression_statement")
        }
        _ => None,
    }
}

fn exported(statement: Node<'_>) -> Node<'_> {
    statement.parent().filter(|parent| parent.kind() == "export_statement").unwrap_or(statement)
}

/// A name that is gone is exported no more: by a list, or by an assignment of its own.
pub fn unexport(edits: &mut Edits, script: &Script, name: &str) {
    for node in children(script.tree.root_node()) {
        let assignment = children(node).first().copied().filter(|inner| inner.kind() == "assignment_expression");
        let parts = assignment.map(|inner| (inner.child_by_field_name("left"), inner.child_by_field_name("right")));
        let list = match (node.kind(), parts) {
            ("export_statement", _) => children(node).into_iter().find(|clause| clause.kind() == "export_clause"),
            (_, Some((Some(left), Some(right)))) => {
                let left = script.of(left);
                if (left.starts_with("exports.") || left.starts_with("module.exports.")) && script.of(right) == name {
                    edits.cut(script, script.removal(node));
                }
                (left == "module.exports" && right.kind() == "object").then_some(right)
            }
            _ => None,
        };
        let Some(list) = list else { continue };
        let named = |item: &Node<'_>| {
            let value = item.child_by_field_name("value").or_else(|| item.child_by_field_name("name"));
            script.of(value.unwrap_or(*item)) == name
        };
        if let Some(entry) = children(list).into_iter().find(named) {
            edits.cut(script, item(script, entry));
        }
    }
}
