//! What a tool answers: an id more at the end of its text.

use tree_sitter::Node;

use super::literal::{pair, push_back};
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
            "object" => out.extend(within(script, answer, name)?),
            "call_expression" => {
                if is_error_helper(script, answer) {
                    continue;
                }
                let first = answer.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
                let first = first.filter(|first| is_text(script, *first)).ok_or_else(|| refuse(script, answer))?;
                out.extend(append(script, first, None, name).ok_or_else(|| refuse(script, answer))?);
            }
            _ => return Err(refuse(script, answer)),
        }
    }
    if out.is_empty() { Err(refuse(script, code)) } else { Ok(out) }
}

/// Appends the same to every text that a function answers behind an offset, where others make an answer of it.
pub fn append_to_texts(script: &Script, code: Node<'_>, behind: usize, name: &str) -> Result<Vec<Change>, Refused> {
    let mut answers = Vec::new();
    returns(code, code, &mut answers);
    let mut out = Vec::new();
    for answer in answers.into_iter().filter(|answer| answer.end_byte() > behind) {
        out.extend(append(script, bare(answer), None, name).ok_or_else(|| refuse(script, answer))?);
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

/// The changes of an answer that is written out: `{ content: [{ type: 'text', text: … }] }`.
fn within(script: &Script, answer: Node<'_>, name: &str) -> Result<Vec<Change>, Refused> {
    if let Some(structured) = pair(script, answer, "structuredContent") {
        return Err(script.refuse(
            structured,
            "the tool answers in structured form as well, and its outputSchema would have to say the id",
            format!("add {name} to both, and to the text"),
        ));
    }
    let content = pair(script, answer, "content").and_then(|pair| pair.child_by_field_name("value")).map(bare);
    let texts = content.filter(|content| content.kind() == "array").map(children).unwrap_or_default();
    let text =
        texts.into_iter().map(bare).find_map(|part| pair(script, part, "text").filter(|_| part.kind() == "object"));
    let text = text.map(|pair| pair.child_by_field_name("value").unwrap_or(pair));
    text.and_then(|text| append(script, text, content, name)).ok_or_else(|| refuse(script, answer))
}

fn is_text(script: &Script, node: Node<'_>) -> bool {
    matches!(node.kind(), "string" | "template_string")
        || node.kind() == "binary_expression" && script.of(node).contains(['\'', '"', '`'])
}

/// The changes that put the id at the end of a text; where that is JSON, into it, or into a part of its own behind it.
fn append(script: &Script, text: Node<'_>, content: Option<Node<'_>>, name: &str) -> Option<Vec<Change>> {
    let (start, end) = (text.start_byte(), text.end_byte());
    let one = |change: Change| Some(vec![change]);
    match text.kind() {
        "template_string" => one(script.change(Span::new(end - 1, end - 1), format!("; {name} ${{{name}}}"))),
        "string" => {
            let inside = &script.text()[start + 1..end - 1];
            let inside = inside.replace("\\'", "'").replace("\\\"", "\"").replace('`', "\\`").replace("${", "\\${");
            one(script.change(span(text), format!("`{inside}; {name} ${{{name}}}`")))
        }
        "shorthand_property_identifier" => {
            one(script.change(span(text), format!("text: `${{text}}; {name} ${{{name}}}`")))
        }
        "call_expression" if script.of(text).starts_with("JSON.stringify(") => {
            let first = text.child_by_field_name("arguments").and_then(|list| children(list).first().copied())?;
            if first.kind() == "object" {
                return Some(push_back(script, first, name));
            }
            let kind = script.style.string("text");
            Some(push_back(script, content?, &format!("{{ type: {kind}, text: `{name} ${{{name}}}` }}")))
        }
        // What stands within may be changed as well.
        _ => Some(vec![
            script.change(Span::new(start, start), "`${"),
            script.change(Span::new(end, end), format!("}}; {name} ${{{name}}}`")),
        ]),
    }
}
