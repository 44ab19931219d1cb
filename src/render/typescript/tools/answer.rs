//! What a tool answers: an id more at the end of its text.

use tree_sitter::Node;

use super::literal::pair;
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, bare, children, is_function, span};
use crate::render::{Change, Refused};

/// Appends `; name ${name}` to every answer that is not an error within `code` of a handler, behind an offset.
pub fn append_to_answers(script: &Script, code: Node<'_>, behind: usize, name: &str) -> Result<Vec<Change>, Refused> {
    let mut answers = Vec::new();
    returns(code, code, &mut answers);
    let mut out = Vec::new();
    for answer in answers.into_iter().filter(|answer| answer.start_byte() > behind) {
        let answer = bare(answer);
        match answer.kind() {
            "object" if is_error(script, answer) => {}
            "object" => out.push(append(script, text_of(script, answer).ok_or_else(|| refuse(script, answer))?, name)),
            "call_expression" => {
                if is_error_helper(script, answer) {
                    continue;
                }
                let first = answer.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
                let first = first.filter(|first| is_text(script, *first)).ok_or_else(|| refuse(script, answer))?;
                out.push(append(script, first, name));
            }
            _ => return Err(refuse(script, answer)),
        }
    }
    if out.is_empty() { Err(refuse(script, code)) } else { Ok(out) }
}

fn refuse(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "what it answers is not written here, and it has to tell the model the id",
        "let the answer's text name the id, and run again",
    )
}

fn returns<'t>(node: Node<'t>, function: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node != function && is_function(node) {
        return;
    }
    if node.kind() == "return_statement" {
        out.extend(children(node).first());
        return;
    }
    if node == function
        && is_function(node)
        && let Some(body) = node.child_by_field_name("body")
        && body.kind() != "statement_block"
    {
        out.push(body);
        return;
    }
    for child in children(node) {
        returns(child, function, out);
    }
}

fn is_error(script: &Script, answer: Node<'_>) -> bool {
    pair(script, answer, "isError")
        .and_then(|pair| pair.child_by_field_name("value"))
        .is_some_and(|value| script.of(value) == "true")
}

fn is_error_helper(script: &Script, call: Node<'_>) -> bool {
    call.child_by_field_name("function").is_some_and(|callee| {
        let name = script.of(callee).to_lowercase();
        ["err", "fail", "problem", "refuse", "invalid"].iter().any(|word| name.contains(word))
    })
}

/// The text of `{ content: [{ type: 'text', text: … }] }`.
fn text_of<'t>(script: &Script, answer: Node<'t>) -> Option<Node<'t>> {
    let content = pair(script, answer, "content")?.child_by_field_name("value")?;
    let first = children(bare(content)).into_iter().map(bare).find(|part| part.kind() == "object")?;
    let text = pair(script, first, "text")?;
    Some(text.child_by_field_name("value").unwrap_or(text))
}

fn is_text(script: &Script, node: Node<'_>) -> bool {
    matches!(node.kind(), "string" | "template_string")
        || node.kind() == "binary_expression" && script.of(node).contains(['\'', '"', '`'])
}

fn append(script: &Script, text: Node<'_>, name: &str) -> Change {
    let (start, end) = (text.start_byte(), text.end_byte());
    match text.kind() {
        "template_string" => script.change(Span::new(end - 1, end - 1), format!("; {name} ${{{name}}}")),
        "string" => {
            let inside = &script.text()[start + 1..end - 1];
            let inside = inside.replace("\\'", "'").replace("\\\"", "\"").replace('`', "\\`").replace("${", "\\${");
            script.change(span(text), format!("`{inside}; {name} ${{{name}}}`"))
        }
        "shorthand_property_identifier" => script.change(span(text), format!("text: `${{text}}; {name} ${{{name}}}`")),
        _ => script.change(span(text), format!("`${{{}}}; {name} ${{{name}}}`", script.of(text))),
    }
}
