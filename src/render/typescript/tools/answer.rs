//! What a tool answers: an id more at the end of its text.

use tree_sitter::Node;

use super::answerer::{self, Text};
use super::literal::{pair, push_back};
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span};
use crate::render::typescript::scripts::{Code, Scripts};
use crate::render::{Change, Refused};

/// Appends `; name ${name}` to every answer that is not an error within `code` of a handler, behind an offset.
pub fn append_to_answers(
    scripts: &Scripts<'_>,
    script: &Script,
    code: Node<'_>,
    behind: usize,
    name: &str,
) -> Result<Vec<Change>, Refused> {
    let mut found = Vec::new();
    returns(code, code, &mut found);
    let mut answers = Vec::new();
    found.into_iter().for_each(|answer| sides(script, code, answer, &mut answers));
    let mut out = Vec::new();
    for answer in answers.into_iter().filter(|answer| answer.start_byte() > behind) {
        match answer.kind() {
            "object" if is_error(script, answer) => {}
            "object" => out.extend(within(script, answer, name)?),
            "call_expression" => out.extend(made(scripts, script, code, answer, name)?),
            _ => return Err(refuse(script, answer)),
        }
    }
    if out.is_empty() {
        out = assigned(script, code, behind, name)?;
    }
    if out.is_empty() { Err(refuse(script, code)) } else { Ok(out) }
}

/// The changes of texts that a part of a handler keeps for an answer below it: `text = 'opened'; break;`.
fn assigned(script: &Script, code: Node<'_>, behind: usize, name: &str) -> Result<Vec<Change>, Refused> {
    let Some(function) = enclosing_function(code).filter(|_| !is_function(code)) else { return Ok(Vec::new()) };
    let mut answers = Vec::new();
    returns(function, function, &mut answers);
    let answered = |variable: &str| {
        let below = answers.iter().filter(|answer| answer.start_byte() > code.end_byte());
        let told = below.filter_map(|answer| told(script, bare(*answer)));
        told.into_iter().any(|(text, _)| script.of(bare(text)) == variable)
    };
    let mut out = Vec::new();
    let mut stack = vec![code];
    while let Some(node) = stack.pop() {
        if node.kind() == "assignment_expression" && node.start_byte() > behind {
            let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
            if let Some((left, right)) = left.zip(right).filter(|(left, _)| answered(script.of(*left))) {
                out.extend(append(script, bare(right), None, name).ok_or_else(|| refuse(script, left))?);
            }
        }
        stack.extend(children(node).into_iter().filter(|child| !is_function(*child)));
    }
    Ok(out)
}

/// The answers that an expression stands for: both sides of a choice, and what a constant holds.
fn sides<'t>(script: &'t Script, code: Node<'t>, answer: Node<'t>, out: &mut Vec<Node<'t>>) {
    let answer = bare(answer);
    match answer.kind() {
        "ternary_expression" => {
            for side in ["consequence", "alternative"] {
                answer.child_by_field_name(side).into_iter().for_each(|side| sides(script, code, side, out));
            }
        }
        "identifier" => out.push(answerer::constant(Code { script, node: answer }, code).unwrap_or(answer)),
        _ => out.push(answer),
    }
}

/// The changes of an answer that another function makes.
fn made(
    scripts: &Scripts<'_>,
    script: &Script,
    code: Node<'_>,
    call: Node<'_>,
    name: &str,
) -> Result<Vec<Change>, Refused> {
    if is_error_helper(script, call) {
        return Ok(Vec::new());
    }
    let list = call.child_by_field_name("arguments").ok_or_else(|| refuse(script, call))?;
    let given = children(list);
    let Some(known) = answerer::of(scripts, Code { script, node: call }) else {
        let first = given.first().filter(|first| is_text(script, **first)).ok_or_else(|| refuse(script, call))?;
        return append(script, *first, None, name).ok_or_else(|| refuse(script, call));
    };
    let said = known.flag.and_then(|index| given.get(index)).is_some_and(|flag| script.of(*flag) == "true");
    if known.error || said {
        return Ok(Vec::new());
    }
    let told = known.text.ok_or_else(|| refuse(script, call))?;
    let at = |index: usize| given.get(index).map(|node| bare(*node)).ok_or_else(|| refuse(script, call));
    let mut out = match told {
        Text::Whole(index) => append(script, at(index)?, None, name).ok_or_else(|| refuse(script, call))?,
        Text::Either(index) if is_text(script, at(index)?) => {
            append(script, at(index)?, None, name).ok_or_else(|| refuse(script, call))?
        }
        Text::Json(index) | Text::Either(index) => {
            put_into(script, at(index)?, name).ok_or_else(|| refuse(script, call))?
        }
        Text::Lines(index) if at(index)?.kind() == "array" => push_back(script, at(index)?, &line(name)),
        Text::Lines(_) => return Err(refuse(script, call)),
        Text::Rest(_) => push_back(script, list, &line(name)),
    };
    let also = known.structured.filter(|index| told != Text::Json(*index) && told != Text::Either(*index));
    if let Some(node) = also.and_then(|index| given.get(index)).filter(|node| script.of(**node) != "undefined") {
        out.extend(put_into(script, bare(*node), name).ok_or_else(|| refuse(script, call))?);
    }
    let structured = known.structured.filter(|index| given.get(*index).is_some());
    if structured.is_some() && declares_its_output(script, code) {
        return Err(script.refuse(
            call,
            "the tool answers in structured form as well, and its outputSchema would have to say the id",
            format!("add {name} to both, and to the text"),
        ));
    }
    Ok(out)
}

fn line(name: &str) -> String {
    format!("`{name} ${{{name}}}`")
}

/// The changes that put the id into an object, written out there or where it is declared.
fn put_into(script: &Script, object: Node<'_>, name: &str) -> Option<Vec<Change>> {
    match object.kind() {
        "object" => Some(push_back(script, object, name)),
        _ if answerer::is_object(Code { script, node: object }) => {
            Some(vec![script.change(span(object), format!("{{ ...{}, {name} }}", script.of(object)))])
        }
        _ => None,
    }
}

/// Whether the registration around a handler says the shape of its answers, or can't be seen.
fn declares_its_output(script: &Script, code: Node<'_>) -> bool {
    let handler = std::iter::successors(Some(code), Node::parent).find(|node| is_function(*node));
    let registration = handler.and_then(|handler| handler.parent()).filter(|list| list.kind() == "arguments");
    registration.is_none_or(|list| {
        let literal = |node: &Node<'_>| matches!(node.kind(), "object" | "string" | "template_string");
        let others = children(list).into_iter().filter(|node| !is_function(*node)).collect::<Vec<_>>();
        !others.iter().all(literal) || others.iter().any(|node| pair(script, *node, "outputSchema").is_some())
    })
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
    let told = told(script, answer);
    told.and_then(|(text, content)| append(script, text, content, name)).ok_or_else(|| refuse(script, answer))
}

/// The first text of an answer that is written out, and the list that it stands in.
fn told<'t>(script: &'t Script, answer: Node<'t>) -> Option<(Node<'t>, Option<Node<'t>>)> {
    let content = pair(script, answer, "content").and_then(|pair| pair.child_by_field_name("value")).map(bare);
    let texts = content.filter(|content| content.kind() == "array").map(children).unwrap_or_default();
    let text =
        texts.into_iter().map(bare).find_map(|part| pair(script, part, "text").filter(|_| part.kind() == "object"));
    Some((text.map(|pair| pair.child_by_field_name("value").unwrap_or(pair))?, content))
}

fn is_text(script: &Script, node: Node<'_>) -> bool {
    matches!(node.kind(), "string" | "template_string")
        || node.kind() == "binary_expression" && script.of(node).contains(['\'', '"', '`'])
}

/// What parts the id from the text in front of it.
fn behind(text: &str) -> &'static str {
    if text.ends_with(['.', '!', '?', ':', ';']) { " " } else { "; " }
}

/// The changes that put the id at the end of a text; where that is JSON, into it, or into a part of its own behind it.
fn append(script: &Script, text: Node<'_>, content: Option<Node<'_>>, name: &str) -> Option<Vec<Change>> {
    let (start, end) = (text.start_byte(), text.end_byte());
    let one = |change: Change| Some(vec![change]);
    match text.kind() {
        "template_string" => {
            let glue = behind(&script.text()[start + 1..end - 1]);
            one(script.change(Span::new(end - 1, end - 1), format!("{glue}{name} ${{{name}}}")))
        }
        "string" => {
            let inside = &script.text()[start + 1..end - 1];
            let inside = inside.replace("\\'", "'").replace("\\\"", "\"").replace('`', "\\`").replace("${", "\\${");
            one(script.change(span(text), format!("`{inside}{}{name} ${{{name}}}`", behind(&inside))))
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
