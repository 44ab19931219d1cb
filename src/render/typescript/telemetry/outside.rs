//! Accesses where no tool is called: what a session's end cleaned up has no end any more, and a sweep goes on.

use tree_sitter::Node;

use super::{TODO, Work};
use crate::plan::handle::{Kind, Outside};
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, enclosing_function, is_statement, span};

/// Takes the clean-up at the end of a session out. Says whether there was any.
pub fn settle(work: &mut Work<'_>) -> Result<bool, Refused> {
    let mut cleaned = false;
    for outside in &work.plan.outside {
        let (script, node) = work.scripts.expression(&outside.at)?;
        if sweep(script, node, &work.plan.name).is_some() {
            continue;
        }
        if outside.kind != Kind::Delete || !outside.direct {
            return Err(script.refuse(node, "the counts are used here, where no tool is called", TODO));
        }
        cleaned = true;
        let parent = node.parent();
        match parent.map(|parent| (parent.kind(), parent)) {
            Some(("expression_statement", statement)) => drop_statement(work, script, statement)?,
            Some(("arrow_function", arrow)) if arrow.child_by_field_name("body") == Some(node) => {
                work.edits.replace(script, span(node), "{}");
            }
            _ => return Err(script.refuse(node, "the counts are dropped here in the midst of other code", TODO)),
        }
    }
    for outside in work.plan.outside.iter().filter(|_| cleaned) {
        without_a_body(work, outside)?;
    }
    Ok(cleaned)
}

/// A function whose whole body went, goes with its calls, which are statements of their own.
fn without_a_body(work: &mut Work<'_>, outside: &Outside) -> Result<(), Refused> {
    let (script, node) = work.scripts.expression(&outside.at)?;
    let function = enclosing_function(node).filter(|function| function.kind() == "function_declaration");
    let Some(function) = function.filter(|_| !outside.calls.is_empty()) else { return Ok(()) };
    let body = function.child_by_field_name("body").map(children).unwrap_or_default();
    if !body.iter().all(|statement| work.edits.covers(&script.path, span(*statement))) {
        return Ok(());
    }
    let mut calls = Vec::new();
    for call in &outside.calls {
        let (script, node) = work.scripts.expression(call)?;
        let Some(own) = node.parent().filter(|own| own.kind() == "expression_statement") else { return Ok(()) };
        calls.push((script, own));
    }
    for (script, own) in calls {
        drop_statement(work, script, own)?;
    }
    let exported = function.parent().filter(|parent| parent.kind() == "export_statement");
    work.edits.cut(script, script.removal(exported.unwrap_or(function)));
    Ok(())
}

/// Takes a statement out, and the `if` around it that has nothing else to do.
fn drop_statement(work: &mut Work<'_>, script: &Script, mut statement: Node<'_>) -> Result<(), Refused> {
    while let Some(branch) = only_purpose(statement) {
        statement = branch;
    }
    if !is_statement(statement) {
        return Err(script.refuse(statement, "the counts are dropped here in the midst of other code", TODO));
    }
    work.edits.cut(script, script.removal(statement));
    Ok(())
}

/// The `if` without an alternative that a statement is all of, where asking changes nothing.
fn only_purpose(statement: Node<'_>) -> Option<Node<'_>> {
    let around = statement.parent()?;
    let alone = around.kind() == "statement_block" && around.named_child_count() == 1;
    let body = if alone { around } else { statement };
    let branch = body.parent().filter(|branch| {
        branch.kind() == "if_statement"
            && branch.child_by_field_name("consequence") == Some(body)
            && branch.child_by_field_name("alternative").is_none()
    })?;
    branch.child_by_field_name("condition").filter(|condition| is_pure(*condition)).map(|_| branch)
}

fn is_pure(node: Node<'_>) -> bool {
    let acts = matches!(
        node.kind(),
        "call_expression" | "new_expression" | "assignment_expression" | "update_expression" | "await_expression"
    );
    !acts && children(node).into_iter().all(is_pure)
}

/// The loop over the table that a place stands in: it drops what has expired, by the entries themselves.
pub fn sweep<'t>(script: &Script, node: Node<'t>, table: &str) -> Option<Node<'t>> {
    std::iter::successors(node.parent(), Node::parent).find(|around| {
        let loops = around.kind() == "for_in_statement"
            && around.child_by_field_name("right").is_some_and(|right| {
                let right = script.of(right);
                right == table || right == format!("{table}.entries()") || right == format!("{table}.keys()")
            });
        let each = around.kind() == "call_expression"
            && around
                .child_by_field_name("function")
                .is_some_and(|callee| script.of(callee) == format!("{table}.forEach"));
        (loops || each) && !children(*around).is_empty()
    })
}
