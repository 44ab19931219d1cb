//! What a tool does within the server's own answer to errors: `guard(() => …)`.

use tree_sitter::Node;

use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, is_function};

/// The callback that is all of a tool, handed to a function of the file that calls it in a `try` and answers what it throws.
pub fn callback<'t>(script: &'t Script, handler: Node<'t>) -> Option<Node<'t>> {
    let body = handler.child_by_field_name("body")?;
    let answer = match (body.kind(), children(body).as_slice()) {
        ("statement_block", [only]) if only.kind() == "return_statement" => *children(*only).first()?,
        ("statement_block", _) => return None,
        _ => body,
    };
    let call = Some(bare(answer)).filter(|call| call.kind() == "call_expression")?;
    let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "identifier")?;
    let declared = scope::declaration(script, callee, script.of(callee))?.parent()?;
    let guard = match declared.child_by_field_name("value") {
        Some(value) => bare(value),
        None => declared,
    };
    let given = children(call.child_by_field_name("arguments")?);
    let callback = given.into_iter().find(|given| is_function(*given))?;
    let alone = callback.child_by_field_name("parameters").is_some_and(|list| children(list).is_empty());
    (is_function(guard) && alone && answers_errors(guard)).then_some(callback)
}

/// Whether a function has a `catch` that returns.
fn answers_errors(node: Node<'_>) -> bool {
    node.kind() == "catch_clause" && returns(node) || children(node).into_iter().any(answers_errors)
}

fn returns(node: Node<'_>) -> bool {
    node.kind() == "return_statement" || children(node).into_iter().any(returns)
}
