//! What the end of a session does to an object is done when its handle ends.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::record::Record;
use crate::plan::Site;
use crate::plan::handle::captured::Captured;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, is_function, is_statement, span, statement};
use crate::render::typescript::scripts::Scripts;

/// The function that frees a value, where the session's end does something to it.
pub fn close(captured: &Captured, scripts: &Scripts<'_>) -> Result<Option<String>, Refused> {
    let mut out: Option<String> = None;
    for site in &captured.ends {
        let (script, node) = scripts.expression(site)?;
        let call = call(script, node)?;
        let text = format!("({0}) => {1}", script.of(node), script.of(call));
        if out.as_ref().is_some_and(|known| *known != text) {
            return Err(script.refuse(
                node,
                "several ends of a session do different things here",
                "let them do the same",
            ));
        }
        out = Some(text);
    }
    Ok(out)
}

/// `object.close()`.
fn call<'t>(script: &Script, node: Node<'t>) -> Result<Node<'t>, Refused> {
    let refused = || {
        script.refuse(
            node,
            "what the end of the session does with it is more than a call",
            "let it call one method of it, without arguments",
        )
    };
    let member = node
        .parent()
        .filter(|parent| parent.kind() == "member_expression" && parent.child_by_field_name("object") == Some(node));
    let call = member.and_then(|member| {
        member
            .parent()
            .filter(|call| call.kind() == "call_expression" && call.child_by_field_name("function") == Some(member))
    });
    let plain = |call: &Node<'t>| call.child_by_field_name("arguments").is_some_and(|list| children(list).is_empty());
    call.filter(plain).ok_or_else(refused)
}

/// Takes the calls out where the session ends, with a callback that does nothing else.
pub fn take_out(record: &Record<'_>, edits: &mut Edits) -> Result<(), Refused> {
    for site in &record.captured.ends {
        one(record, edits, site)?;
    }
    Ok(())
}

fn one(record: &Record<'_>, edits: &mut Edits, site: &Site) -> Result<(), Refused> {
    let (script, node) = record.scripts.expression(site)?;
    let mut outer = call(script, node)?;
    while let Some(parent) = outer.parent().filter(|parent| {
        matches!(parent.kind(), "await_expression" | "parenthesized_expression")
            || parent.kind() == "unary_expression" && script.of(*parent).starts_with("void")
    }) {
        outer = parent;
    }
    let refused = || script.refuse(node, "its end is part of something else here", "let it be a statement of its own");
    let parent = outer.parent().ok_or_else(refused)?;
    let whole = match parent.kind() {
        "arrow_function" => Some(parent),
        "expression_statement" if is_statement(parent) => {
            let block = parent.parent().filter(|block| children(*block).len() == 1);
            block.and_then(|block| block.parent()).filter(|function| is_function(*function))
        }
        _ => return Err(refused()),
    };
    let Some(function) = whole else {
        edits.cut(script, script.removal(parent));
        return Ok(());
    };
    let assigned = function.parent().filter(|assignment| {
        assignment.kind() == "assignment_expression" && assignment.child_by_field_name("right") == Some(function)
    });
    match assigned.map(statement).filter(|around| {
        around.kind() == "expression_statement" && bare(children(*around)[0]) == assigned.unwrap_or(*around)
    }) {
        Some(around) => edits.cut(script, script.removal(around)),
        None if parent.kind() == "arrow_function" => edits.replace(script, span(outer), "{}"),
        None => edits.cut(script, script.removal(parent)),
    }
    Ok(())
}
