//! Where the choice was cleared, or set to a guess, in code that stays: at the end of a session, where a thing is deleted.

use tree_sitter::Node;

use super::Work;
use crate::render::Refused;
use crate::render::typescript::declared;
use crate::render::typescript::handle::edits::Edits;
use crate::render::typescript::script::{Script, children, enclosing_function, span, statement};

/// Takes it out there.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    let selection = work.selection;
    for drop in &selection.drops {
        let (script, node) = work.scripts.expression(&drop.at)?;
        if !work.edits.covers(&script.path, span(node)) {
            take_out(&mut work.edits, script, node)?;
        }
    }
    for drop in &selection.drops {
        let (script, node) = work.scripts.expression(&drop.at)?;
        emptied(&mut work.edits, script, node);
        let Some(function) = enclosing_function(node) else { continue };
        let body = function.child_by_field_name("body").map(children).unwrap_or_default();
        let empty = body.iter().all(|statement| work.edits.covers(&script.path, span(*statement)));
        if drop.calls.is_empty() || !empty || work.edits.covers(&script.path, span(function)) {
            continue;
        }
        for call in &drop.calls {
            let (script, node) = work.scripts.expression(call)?;
            if !work.edits.covers(&script.path, span(node)) {
                take_out(&mut work.edits, script, node)?;
                emptied(&mut work.edits, script, node);
            }
        }
        declared::take_out(&mut work.edits, script, function)?;
    }
    Ok(())
}

/// Takes an expression out that is a statement of its own, or all that an arrow does.
pub fn take_out(edits: &mut Edits, script: &Script, node: Node<'_>) -> Result<(), Refused> {
    let refuse =
        || script.refuse(node, "the choice is cleared here in a way that is not known", "take this out by hand");
    let mut outer = node;
    while let Some(parent) = outer.parent() {
        let sign = parent.child(0).map(|sign| script.of(sign)).unwrap_or_default();
        let operator = parent.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
        let through = match parent.kind() {
            "await_expression" | "parenthesized_expression" => true,
            "assignment_expression" => parent.child_by_field_name("left") == Some(outer),
            "unary_expression" => matches!(sign, "delete" | "void"),
            "binary_expression" => operator == "&&" && parent.child_by_field_name("right") == Some(outer),
            _ => false,
        };
        if !through {
            break;
        }
        outer = parent;
    }
    let parent = outer.parent().ok_or_else(refuse)?;
    match parent.kind() {
        "expression_statement" if statement(parent) == parent => edits.cut(script, script.removal(parent)),
        "expression_statement" => {
            let around = parent.parent().filter(|around| {
                around.kind() == "if_statement" && around.child_by_field_name("alternative").is_none()
            });
            let around = around.ok_or_else(refuse)?;
            edits.cut(script, script.removal(around));
        }
        "arrow_function" if parent.child_by_field_name("body") == Some(outer) => match hook(parent) {
            Some(whole) => edits.cut(script, script.removal(whole)),
            None => edits.replace(script, span(outer), "{}"),
        },
        _ => return Err(refuse()),
    }
    Ok(())
}

/// `thing.onclose = () => …`: the statement that sets a hook.
fn hook(arrow: Node<'_>) -> Option<Node<'_>> {
    let assignment = arrow.parent().filter(|parent| parent.kind() == "assignment_expression")?;
    let whole = assignment.parent().filter(|parent| parent.kind() == "expression_statement")?;
    (statement(whole) == whole).then_some(whole)
}

/// An `if` around what went is of no use any more.
pub fn emptied(edits: &mut Edits, script: &Script, node: Node<'_>) {
    let mut inner = statement(node);
    while let Some(block) = inner.parent().filter(|parent| parent.kind() == "statement_block") {
        let Some(around) = block.parent().filter(|around| around.kind() == "if_statement") else { return };
        let empty = children(block).iter().all(|statement| edits.covers(&script.path, span(*statement)));
        if !empty || around.child_by_field_name("alternative").is_some() {
            return;
        }
        edits.cut(script, script.removal(around));
        inner = around;
    }
}
