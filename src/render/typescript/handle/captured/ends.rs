//! What the end of a session does to an object is done when its handle ends.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::record::Record;
use crate::model::facts::Span;
use crate::plan::handle::captured::Captured;
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{
    Script, bare, children, enclosing_function, is_function, is_statement, span, statement,
};
use crate::render::typescript::scripts::Scripts;

/// The function that frees a value, where the session's end does something to it. `name` is what the value is called in it.
pub fn close(captured: &Captured, scripts: &Scripts<'_>, name: Option<&str>) -> Result<Option<String>, Refused> {
    let mut out: Option<String> = None;
    let mut done: Vec<(String, Span)> = Vec::new();
    for site in &captured.ends {
        let (script, node) = scripts.expression(site)?;
        let whole = enclosing_function(node).unwrap_or(node);
        if done.contains(&(script.path.clone(), span(whole))) {
            continue;
        }
        done.push((script.path.clone(), span(whole)));
        let mut nodes = Vec::new();
        for other in captured.ends.iter().filter(|other| other.path == site.path) {
            let (_, other) = scripts.expression(other)?;
            if enclosing_function(other) == Some(whole) {
                nodes.push(other);
            }
        }
        let text = of_one(script, &nodes, name.unwrap_or_else(|| script.of(node)))?;
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

/// What one end of a session does with the value.
fn of_one(script: &Script, nodes: &[Node<'_>], name: &str) -> Result<String, Refused> {
    if let [only] = nodes {
        if let Some(method) = method(script, *only) {
            return Ok(format!("({name}) => {name}.{method}()"));
        }
    }
    let mut statements: Vec<Node<'_>> = Vec::new();
    for node in nodes {
        let own = statement(*node);
        if !is_apart(script, own, nodes) {
            return Err(more(script, *node));
        }
        if !statements.contains(&own) {
            statements.push(own);
        }
    }
    statements.sort_by_key(Node::start_byte);
    let mut lines = Vec::new();
    for own in statements {
        let mut text = String::new();
        let mut from = own.start_byte();
        for node in nodes.iter().filter(|node| span(own).contains(span(**node))) {
            text.push_str(&script.text()[from..node.start_byte()]);
            text.push_str(name);
            from = node.end_byte();
        }
        text.push_str(&script.text()[from..own.end_byte()]);
        lines.push(text.trim_start_matches("void ").to_owned());
    }
    let start = if lines.iter().any(|line| line.contains("await ")) { "async " } else { "" };
    Ok(format!("{start}({name}) => {{\n\t\t{}\n\t}}", lines.join("\n\t\t")))
}

/// Whether a statement is one line that speaks of the value and the platform alone.
fn is_apart(script: &Script, own: Node<'_>, nodes: &[Node<'_>]) -> bool {
    let mut stack = vec![own];
    while let Some(node) = stack.pop() {
        if nodes.contains(&node) {
            continue;
        }
        let bound = matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && scope::binding(script, node, script.of(node)).is_some();
        if bound || matches!(node.kind(), "this" | "comment") || is_function(node) {
            return false;
        }
        stack.extend(children(node));
    }
    own.kind() == "expression_statement" && is_statement(own) && !script.of(own).contains('\n')
}

fn more(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "what the end of the session does with it is more than a call",
        "let it call one method of it, without arguments",
    )
}

/// The method that `object.method()` calls.
fn method<'s>(script: &'s Script, node: Node<'_>) -> Option<&'s str> {
    let call = call(node)?;
    let member = call.child_by_field_name("function")?;
    let property = member.child_by_field_name("property")?;
    let outer = outer(script, node)?;
    let alone = outer.parent().is_some_and(|parent| {
        parent.kind() == "expression_statement"
            || parent.kind() == "arrow_function" && parent.child_by_field_name("body") == Some(outer)
    });
    alone.then(|| script.of(property))
}

/// `object.close()`.
fn call(node: Node<'_>) -> Option<Node<'_>> {
    let member = node
        .parent()
        .filter(|parent| parent.kind() == "member_expression" && parent.child_by_field_name("object") == Some(node))?;
    let call = member
        .parent()
        .filter(|call| call.kind() == "call_expression" && call.child_by_field_name("function") == Some(member))?;
    call.child_by_field_name("arguments").is_some_and(|list| children(list).is_empty()).then_some(call)
}

/// The call with `await` and `void` around it.
pub fn outer<'t>(script: &Script, node: Node<'t>) -> Option<Node<'t>> {
    let mut outer = call(node)?;
    while let Some(parent) = outer.parent().filter(|parent| {
        matches!(parent.kind(), "await_expression" | "parenthesized_expression")
            || parent.kind() == "unary_expression" && script.of(*parent).starts_with("void")
    }) {
        outer = parent;
    }
    Some(outer)
}

/// Whether what is done with a value is what frees it, or a part of that.
pub fn same(script: &Script, node: Node<'_>, name: &str, close: &str) -> bool {
    method(script, node).is_some_and(|method| close.contains(&format!("{name}.{method}()")))
}

/// Takes the calls out where the session ends, with a callback that does nothing else.
pub fn take_out(record: &Record<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let mut taken: Vec<(String, Span)> = Vec::new();
    for site in &record.captured.ends {
        let (script, node) = record.scripts.expression(site)?;
        let own = outer(script, node).unwrap_or_else(|| statement(node));
        if !taken.contains(&(script.path.clone(), span(own))) {
            taken.push((script.path.clone(), span(own)));
            one(script, node, edits)?;
        }
    }
    Ok(())
}

fn one(script: &Script, node: Node<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let Some(outer) = outer(script, node) else {
        edits.cut(script, script.removal(statement(node)));
        return Ok(());
    };
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
