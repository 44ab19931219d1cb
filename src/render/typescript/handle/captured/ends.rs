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
    if let [only] = nodes
        && let Some(method) = method(script, *only)
    {
        return match is_always(script, *only, script.of(*only)) {
            true => Ok(format!("({name}) => {name}.{method}()")),
            false => Err(more(script, *only)),
        };
    }
    let mut statements: Vec<Node<'_>> = Vec::new();
    for node in nodes {
        let own = statement(*node);
        if !is_apart(script, own, nodes) || !is_always(script, own, script.of(*node)) {
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

/// Whether something is done whenever the session ends: where conditions ask for nothing but whether there is one.
fn is_always(script: &Script, node: Node<'_>, value: &str) -> bool {
    let own = |condition: Node<'_>| {
        let mut stack = vec![condition];
        let mut found = false;
        while let Some(node) = stack.pop() {
            if node.kind() == "identifier" && script.of(node) == value {
                return node == bare(condition);
            }
            let bound = scope::binding(script, node, script.of(node)).filter(|_| node.kind() == "identifier");
            found |= bound.is_some_and(|bound| bound.kind() != "program");
            stack.extend(children(node));
        }
        found
    };
    std::iter::successors(node.parent(), Node::parent).take_while(|around| !is_function(*around)).all(|around| {
        match around.kind() {
            "if_statement" => around.child_by_field_name("condition").is_some_and(own),
            kind => {
                !kind.starts_with("for_")
                    && !matches!(kind, "while_statement" | "switch_statement" | "ternary_expression")
            }
        }
    })
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

/// Takes the statements out where the session ends, with a callback that does nothing else.
pub fn take_out(record: &Record<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let mut functions: Vec<(&Script, Node<'_>)> = Vec::new();
    let mut gone: Vec<(String, Span)> = Vec::new();
    for site in &record.captured.ends {
        let (script, node) = record.scripts.expression(site)?;
        let whole = match outer(script, node).filter(|_| method(script, node).is_some()) {
            Some(outer) => outer.parent().unwrap_or(outer),
            None => statement(node),
        };
        if whole.kind() == "arrow_function" {
            callback(script, whole, edits);
            continue;
        }
        gone.push((script.path.clone(), span(whole)));
        if let Some(function) = enclosing_function(node)
            .filter(|function| !functions.iter().any(|(known, other)| known.path == script.path && other == function))
        {
            functions.push((script, function));
        }
    }
    for (script, function) in functions {
        let goes = |node: &Node<'_>| gone.contains(&(script.path.clone(), span(*node)));
        let body = function.child_by_field_name("body").map(children).unwrap_or_default();
        if body.iter().all(goes) && assigned(function).is_some() {
            callback(script, function, edits);
        }
    }
    for (path, span) in gone {
        let script = record.scripts.open(&path)?;
        if let Some(node) = script.around(span).filter(|_| !edits.covers(&path, span)) {
            edits.cut(script, script.removal(statement(node)));
        }
    }
    Ok(())
}

/// The statement that does nothing but to assign a callback.
fn assigned(function: Node<'_>) -> Option<Node<'_>> {
    let assignment = function.parent().filter(|assignment| {
        assignment.kind() == "assignment_expression" && assignment.child_by_field_name("right") == Some(function)
    })?;
    let around = statement(assignment);
    (around.kind() == "expression_statement" && bare(children(around)[0]) == assignment).then_some(around)
}

/// Takes a callback out that does nothing any more.
fn callback(script: &Script, function: Node<'_>, edits: &mut Edits) {
    match (assigned(function), function.child_by_field_name("body")) {
        (Some(around), _) => edits.cut(script, script.removal(around)),
        (None, Some(body)) => edits.replace(script, span(body), "{}"),
        (None, None) => {}
    }
}
