//! `server.connect(transport).then(() => app.listen(port)).catch(fail)`: what is done once the two are connected is done at once, as each
//! request connects its own.

use tree_sitter::Node;

use super::once_uses::named_elsewhere;
use crate::render::typescript::script::{Script, bare, children, is_function, is_statement, span, statement};
use crate::render::typescript::transport::edits::Edits;
use crate::render::{Change, Refused};

const TODO: &str = "await the connection in a statement of its own, and do the rest behind it";

/// A statement in whose place another stands.
pub(super) struct Continued<'t> {
    /// The statement.
    pub statement: Node<'t>,
    /// What makes it the other.
    pub changes: Vec<Change>,
}

/// What becomes of the statement that a connecting call begins; `None` where nothing is done behind the call.
pub(super) fn of<'t>(script: &Script, call: Node<'t>) -> Result<Option<Continued<'t>>, Refused> {
    let mut outer = call;
    let mut next = None;
    while let Some((around, method, given)) = chained(script, outer) {
        match method {
            "then" if next.is_none() => next = given.first().copied(),
            // What is caught is that it failed.
            "catch" if next.is_some() => {}
            _ => return Ok(None),
        }
        outer = around;
    }
    let Some(next) = next.map(bare) else { return Ok(None) };
    let whole = statement(call);
    let alone = std::iter::successors(outer.parent(), Node::parent)
        .find(|node| !matches!(node.kind(), "await_expression" | "unary_expression"));
    if whole.kind() != "expression_statement" || alone != Some(whole) || !is_statement(whole) {
        return Ok(None);
    }
    let end = if script.style.semicolons { ";" } else { "" };
    if matches!(next.kind(), "identifier" | "member_expression") {
        let text = format!("{}(){end}", script.of(next));
        return Ok(Some(Continued { statement: whole, changes: vec![script.change(span(whole), text)] }));
    }
    let Some(body) = next.child_by_field_name("body").filter(|_| is_function(next)) else { return Ok(None) };
    if let Some(what) = more_than_statements(script, next, body) {
        return Err(script.refuse(next, format!("{what}, and it runs once the server is connected"), TODO));
    }
    let changes = if body.kind() == "statement_block" {
        let mut edits = Edits::default();
        edits.unwrap(script, whole, body);
        edits.finish(script)
    } else {
        vec![script.change(span(whole), format!("{}{end}", script.of(body)))]
    };
    Ok(Some(Continued { statement: whole, changes }))
}

/// The call of a method on the result of another: the call, the method's name, and what it is given.
fn chained<'t, 's>(script: &'s Script, inner: Node<'t>) -> Option<(Node<'t>, &'s str, Vec<Node<'t>>)> {
    let member = inner.parent().filter(|member| member.child_by_field_name("object") == Some(inner))?;
    let call = member.parent().filter(|call| call.child_by_field_name("function") == Some(member))?;
    let given = call.child_by_field_name("arguments").map(children)?;
    Some((call, script.of(member.child_by_field_name("property")?), given))
}

/// What keeps the body of a function from standing where the function is handed on.
fn more_than_statements(script: &Script, function: Node<'_>, body: Node<'_>) -> Option<&'static str> {
    let given = function.child_by_field_name("parameters").is_some_and(|list| !children(list).is_empty());
    if given || function.child_by_field_name("parameter").is_some() {
        return Some("this takes what the connection answers");
    }
    let mut cursor = function.walk();
    if function.children(&mut cursor).any(|child| child.kind() == "async") {
        return Some("this waits for more");
    }
    if leaves(body) {
        return Some("this leaves early");
    }
    let declares = children(body).into_iter().filter(|_| body.kind() == "statement_block");
    let mut names = declares.filter(|node| node.kind().ends_with("declaration")).flat_map(|node| match node.kind() {
        "lexical_declaration" | "variable_declaration" => children(node),
        _ => vec![node],
    });
    names
        .any(|declared| declared.child_by_field_name("name").is_none_or(|name| named_elsewhere(script, name, body)))
        .then_some("a name that it declares is used around it")
}

/// Whether code returns from the function that it is in.
fn leaves(node: Node<'_>) -> bool {
    children(node).into_iter().any(|child| child.kind() == "return_statement" || (!is_function(child) && leaves(child)))
}
