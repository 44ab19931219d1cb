//! What an error says: the text that there is, and the ids that would have been right, where the server knows them.

use tree_sitter::Node;

use crate::render::typescript::script::{Script, bare, children};
use crate::render::typescript::tools::pair;

/// Code with the id under another name.
pub fn with(script: &Script, node: Node<'_>, local: &str, name: &str) -> String {
    let text = script.of(node);
    if local == name || local.is_empty() {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(local) {
        let before = rest[..at].chars().next_back();
        let after = rest[at + local.len()..].chars().next();
        let apart = |char: Option<char>| char.is_none_or(|char| !char.is_alphanumeric() && char != '_' && char != '$');
        out.push_str(&rest[..at]);
        out.push_str(if apart(before) && before != Some('.') && apart(after) { name } else { local });
        rest = &rest[at + local.len()..];
    }
    out.push_str(rest);
    out
}

/// Whether a node is a text that is written out.
pub fn is_text(node: Node<'_>) -> bool {
    matches!(node.kind(), "string" | "template_string")
}

/// The text of an answer that says what is wrong.
pub fn message<'t>(script: &'t Script, answer: Node<'t>) -> Option<Node<'t>> {
    let answer = bare(answer);
    match answer.kind() {
        "object" => {
            let Some(content) = pair(script, answer, "content") else {
                // `{ ...text('…'), isError: true }`.
                let spread = children(answer).into_iter().find(|entry| entry.kind() == "spread_element")?;
                return message(script, *children(spread).first()?);
            };
            let content = content.child_by_field_name("value").map(bare)?;
            let part = children(content).first().copied().map(bare)?;
            let text = pair(script, part, "text")?.child_by_field_name("value").map(bare)?;
            is_text(text).then_some(text)
        }
        "call_expression" => {
            let arguments = answer.child_by_field_name("arguments").map(children)?;
            let first = bare(*arguments.first()?);
            match first.kind() {
                "object" | "call_expression" => message(script, first),
                _ => is_text(first).then_some(first),
            }
        }
        _ => None,
    }
}

/// A text as source code, with the ids that there are behind it.
pub fn told(script: &Script, message: Node<'_>, list: Option<&str>, local: &str, name: &str, more: bool) -> String {
    let text = with(script, message, local, name);
    let container =
        list.map(|list| list.split(['.', '(', '[']).find(|part| !part.is_empty() && !["Object", "..."].contains(part)));
    let lists = container.flatten().is_some_and(|container| text.contains(container) && text.contains("join"));
    let Some(list) = list.filter(|_| !lists && !more) else { return text };
    let inside = &text[1..text.len() - 1];
    let inside = match message.kind() {
        "template_string" => inside.to_owned(),
        _ => inside.replace("\\'", "'").replace("\\\"", "\"").replace('`', "\\`").replace("${", "\\${"),
    };
    let list = with_text(list, local, name);
    match inside.ends_with(['.', '!', '?']) {
        true => format!("`{inside} There are: ${{{list}}}`"),
        false => format!("`{inside}; there are: ${{{list}}}`"),
    }
}

fn with_text(text: &str, local: &str, name: &str) -> String {
    if local.is_empty() { text.to_owned() } else { text.replace(local, name) }
}

/// An expression that lists the ids which pass a check, by what the check looks in.
pub fn of(script: &Script, condition: Node<'_>, statements: &[Node<'_>], local: &str) -> Option<String> {
    let found = in_node(script, condition, local);
    found.or_else(|| {
        let declared = statements.iter().filter(|node| node.kind() == "lexical_declaration");
        declared.into_iter().find_map(|node| in_node(script, *node, local))
    })
}

fn in_node(script: &Script, node: Node<'_>, local: &str) -> Option<String> {
    let is_id = |node: Node<'_>| script.of(bare(node)) == local;
    let here = match node.kind() {
        "binary_expression" if node.child_by_field_name("operator").is_some_and(|sign| script.of(sign) == "in") => {
            let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
            (is_id(left) && is_plain(right)).then(|| format!("Object.keys({}).join(', ')", script.of(right)))
        }
        "subscript_expression" => {
            let (object, index) = (node.child_by_field_name("object")?, node.child_by_field_name("index")?);
            (is_id(index) && is_plain(object)).then(|| format!("Object.keys({}).join(', ')", script.of(object)))
        }
        "call_expression" => called(script, node, &is_id),
        _ => None,
    };
    let list = here.or_else(|| children(node).into_iter().find_map(|child| in_node(script, child, local)))?;
    Some(list.replace("', '", &script.style.string(", ")))
}

fn called(script: &Script, call: Node<'_>, is_id: &dyn Fn(Node<'_>) -> bool) -> Option<String> {
    let callee = call.child_by_field_name("function")?;
    let (object, method) = (callee.child_by_field_name("object")?, callee.child_by_field_name("property")?);
    let arguments = call.child_by_field_name("arguments").map(children)?;
    let owner = script.of(object);
    let first = *arguments.first()?;
    match script.of(method) {
        "has" | "get" if is_id(first) && is_plain(object) => Some(format!("[...{owner}.keys()].join(', ')")),
        "includes" | "indexOf" if is_id(first) && is_plain(object) => Some(format!("{owner}.join(', ')")),
        "includes" if is_id(first) && owner.starts_with("Object.keys(") => Some(format!("{owner}.join(', ')")),
        "hasOwn" if owner == "Object" && arguments.get(1).is_some_and(|second| is_id(*second)) => {
            Some(format!("Object.keys({}).join(', ')", script.of(first)))
        }
        "hasOwnProperty" if is_id(first) => Some(format!("Object.keys({owner}).join(', ')")),
        "some" | "find" | "findIndex" | "every" if is_plain(object) => {
            let body = first.child_by_field_name("body").map(bare)?;
            let parameter = first.child_by_field_name("parameter").or_else(|| {
                let list = first.child_by_field_name("parameters").map(children)?;
                list.first().map(|only| only.child_by_field_name("pattern").unwrap_or(*only))
            })?;
            let (left, right) = (body.child_by_field_name("left")?, body.child_by_field_name("right")?);
            let own = if is_id(right) { left } else { right };
            let other = if is_id(right) { right } else { left };
            let of_item = own.kind() == "member_expression"
                && own.child_by_field_name("object").is_some_and(|object| script.of(object) == script.of(parameter));
            let same = body.child_by_field_name("operator").is_some_and(|sign| script.of(sign).starts_with("=="));
            let item = script.of(parameter);
            (is_id(other) && of_item && same).then(|| format!("{owner}.map(({item}) => {}).join(', ')", script.of(own)))
        }
        _ => None,
    }
}

/// Whether an expression names something that is there already.
fn is_plain(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "this" => true,
        "member_expression" => node.child_by_field_name("object").is_some_and(is_plain),
        _ => false,
    }
}
