//! Where a value is written back: behind the statement that changes it, as far out as no way leads past.

use tree_sitter::Node;

use super::changed::VISITING;
use crate::render::typescript::script::{Script, children, is_function, span};

/// The statement behind which a change is written back; `None` where there is no place for a statement.
pub fn after<'t>(script: &Script, function: Node<'t>, change: Node<'t>, declared: Node<'_>) -> Option<Node<'t>> {
    let mut found: Option<Node<'t>> = None;
    let mut node = change;
    loop {
        let parent = node.parent()?;
        if is_function(node) {
            // What is called later changes the value later.
            is_called_at_once(script, node).then_some(())?;
            found = None;
        }
        if is_list(parent) && node.kind() != "comment" {
            let declares = span(node).contains(span(declared));
            match found {
                Some(inner) if declares || may_leave(node, inner) => break,
                _ => found = Some(node),
            }
        }
        if parent == function {
            break;
        }
        node = parent;
    }
    let asked = |found: &Node<'_>| {
        let condition = found.child_by_field_name("condition").filter(|_| found.kind() == "if_statement");
        condition.is_some_and(|condition| span(condition).contains(span(change))) && leaves_behind(*found, 0)
    };
    let leaves = |found: &Node<'_>| matches!(found.kind(), "return_statement" | "throw_statement") || ends(*found);
    found.filter(|found| !leaves(found) && !asked(found))
}

fn is_list(node: Node<'_>) -> bool {
    matches!(node.kind(), "statement_block" | "switch_case" | "switch_default")
}

/// Whether a function is handed to a method that calls it for each part, before anything else happens.
fn is_called_at_once(script: &Script, function: Node<'_>) -> bool {
    let call = function.parent().and_then(|list| list.parent()).filter(|call| call.kind() == "call_expression");
    let method = call
        .and_then(|call| call.child_by_field_name("function"))
        .and_then(|callee| callee.child_by_field_name("property"));
    method.is_some_and(|method| VISITING.contains(&script.of(method)))
}

/// Whether the function may be left within a statement, behind another that is part of it.
fn may_leave(statement: Node<'_>, inner: Node<'_>) -> bool {
    let loops = matches!(statement.kind(), "for_statement" | "for_in_statement" | "while_statement" | "do_statement");
    let from = if loops { statement.start_byte() } else { inner.end_byte() };
    leaves_behind(statement, from)
}

fn leaves_behind(node: Node<'_>, from: usize) -> bool {
    let leaves = node.kind() == "return_statement" && node.start_byte() >= from;
    leaves || children(node).into_iter().any(|child| !is_function(child) && leaves_behind(child, from))
}

/// Whether nothing runs behind a statement.
fn ends(statement: Node<'_>) -> bool {
    match statement.kind() {
        "return_statement" | "throw_statement" => true,
        "statement_block" => children(statement).last().is_some_and(|last| ends(*last)),
        "if_statement" => ["consequence", "alternative"]
            .iter()
            .all(|part| statement.child_by_field_name(part).is_some_and(|part| ends(else_of(part)))),
        _ => false,
    }
}

fn else_of(node: Node<'_>) -> Node<'_> {
    if node.kind() == "else_clause" { children(node).first().copied().unwrap_or(node) } else { node }
}

/// Of several places in one list, the last before the function may be left.
pub fn last_of_each<'t>(mut places: Vec<(Node<'t>, String)>) -> Vec<(Node<'t>, String)> {
    places.sort_by_key(|(place, _)| place.start_byte());
    let mut out: Vec<(Node<'t>, String)> = Vec::new();
    for (place, text) in places {
        let earlier = out.iter().position(|(known, other)| {
            *other == text && known.parent() == place.parent() && {
                let between = children(known.parent().unwrap_or(*known));
                let between = between
                    .into_iter()
                    .filter(|one| one.start_byte() >= known.end_byte() && one.end_byte() <= place.end_byte());
                !between.into_iter().any(|one| leaves_behind(one, 0))
            }
        });
        if let Some(earlier) = earlier {
            out.remove(earlier);
        }
        out.push((place, text));
    }
    out
}

/// A statement behind another: the offset, and the text.
pub fn insertion(script: &Script, place: Node<'_>, statement: &str) -> (usize, String) {
    let end = if script.style.semicolons { ";" } else { "" };
    let at = place.end_byte();
    let rest = script.text()[at..script.line_end(at)].trim_end();
    if rest.trim().is_empty() || rest.trim_start().starts_with("//") {
        let (newline, indent) = (script.style.newline, script.indentation(place));
        return (at + rest.len(), format!("{newline}{indent}{statement}{end}"));
    }
    (at, format!("{} {statement};", if script.text()[..at].ends_with([';', '}']) { "" } else { ";" }))
}
