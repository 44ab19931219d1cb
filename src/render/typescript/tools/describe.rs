//! A sentence more in what the model reads of a tool.

use tree_sitter::Node;

use super::literal::push_back;
use super::reach::{Helped, table_entry};
use super::register::{handler_of, read};
use crate::classify::words::words;
use crate::model::facts::Span;
use crate::plan::handle::{Names, ToolUse};
use crate::render::Change;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, Scripts, property};
use crate::render::typescript::spoken::{without_replacement, without_session};

/// The description of a tool, where it is written out; the literal that lacks one, where there is none.
pub fn description<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse) -> Option<Code<'s>> {
    let literal = match &tool.entry {
        Some(entry) => scripts.at(entry).ok()?.bare(),
        None => {
            let registration = read(scripts, tool).ok()?;
            if tool.body.is_some() {
                return of_body(scripts, tool, registration.call);
            }
            let second = registration.call.to(*registration.arguments.get(1)?);
            if registration.method != "registerTool" {
                return is_text(second.script, second.node).then_some(second);
            }
            scripts.value(second)?
        }
    };
    if literal.node.kind() != "object" || children(literal.node).iter().any(|entry| entry.kind() == "spread_element") {
        return None;
    }
    let Some(code) = property(literal, "description").map(Code::bare) else { return Some(literal) };
    is_text(code.script, code.node).then_some(code)
}

/// The description of a tool that a loop or a helper registers: in the entry of the table, or the second text of the helper's call.
fn of_body<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse, registration: Code<'s>) -> Option<Code<'s>> {
    let handler = handler_of(scripts, tool).ok()?;
    if let Some(helped) = Helped::of(scripts, registration, handler) {
        let arguments = children(helped.call.node.child_by_field_name("arguments")?);
        let mut texts = arguments.into_iter().filter(|argument| is_text(helped.call.script, *argument)).skip(1);
        return texts.next().map(|text| helped.call.to(text));
    }
    let (entry, _) = table_entry(handler)?;
    let code = property(entry, "description")?.bare();
    is_text(code.script, code.node).then_some(code)
}

/// Puts a sentence, the inside of a template literal, behind a description, or makes it one. `creates`: a thing of that name, and what the
/// description says of another one that is replaced is not so any more.
pub fn say_more(description: Code<'_>, sentence: &str, creates: Option<&str>) -> Vec<Change> {
    let (script, node) = (description.script, description.node);
    let (start, end) = (node.start_byte(), node.end_byte());
    let rest = |text: &str| {
        let text = without_session(text);
        creates.map_or_else(|| text.clone(), |noun| without_replacement(&text, noun))
    };
    let one = match node.kind() {
        "object" => return push_back(script, node, &format!("description: `{sentence}`")),
        "template_string" => {
            let inside = rest(&script.text()[start + 1..end - 1]);
            script.change(span(node), format!("`{inside}{} {sentence}`", divide(&inside)))
        }
        "string" => {
            let inside = script.text()[start + 1..end - 1].replace("\\'", "'").replace("\\\"", "\"");
            let inside = rest(&inside.replace('`', "\\`").replace("${", "\\${"));
            script.change(span(node), format!("`{inside}{} {sentence}`", divide(&inside)))
        }
        _ => script.change(Span::new(end, end), format!(" + ` {sentence}`")),
    };
    vec![one]
}

/// Lets the descriptions of tools that were there and end a value say so.
pub fn say_ends<'t>(
    scripts: &Scripts<'_>,
    ending: impl Iterator<Item = &'t ToolUse>,
    names: &Names,
    create: &str,
) -> Vec<Change> {
    let written = |code: &Code<'_>| code.node.kind() != "object";
    ending
        .filter_map(|tool| description(scripts, tool))
        .filter(written)
        .flat_map(|code| say_end(code, names, create))
        .collect()
}

/// Says at the end of a description that the tool ends a handle, in a sentence or in a clause as the description is written. Nothing
/// where it says so already.
fn say_end(description: Code<'_>, names: &Names, create: &str) -> Vec<Change> {
    let (script, node) = (description.script, description.node);
    let argument = &names.argument;
    let text = script.of(node);
    if text.contains(argument.as_str()) || ends(text, &names.noun) {
        return Vec::new();
    }
    let (start, end) = (node.start_byte(), node.end_byte());
    let more = |inside: &str| match inside.trim_end() {
        "" => format!("Ends the {argument}."),
        inside if inside.ends_with(['.', '!', '?']) => format!(" Ends the {argument}; call {create} for another."),
        _ => format!("; ends the {argument}, call {create} for another"),
    };
    let one = match node.kind() {
        "template_string" | "string" => {
            let inside = without_session(&script.text()[start + 1..end - 1]);
            let (open, close) = (&text[..1], &text[text.len() - 1..]);
            script.change(span(node), format!("{open}{}{}{close}", inside.trim_end(), more(&inside)))
        }
        _ => {
            let last = text.trim_end_matches(['"', '\'', '`', ')']);
            script.change(Span::new(end, end), format!(" + {}", script.style.string(&more(last))))
        }
    };
    vec![one]
}

/// Whether a description says that the thing ends: `Reveal the word and end the game`.
fn ends(text: &str, noun: &str) -> bool {
    const ENDS: &[&str] =
        &["end", "ends", "close", "closes", "delete", "deletes", "destroy", "destroys", "discard", "discards"];
    let all = words(text);
    let thing = noun.rsplit(' ').next().unwrap_or(noun);
    let at = all.iter().position(|word| ENDS.contains(&word.as_str()));
    at.is_some_and(|at| all[at..].iter().take(5).any(|word| word == thing))
}

/// Whether descriptions of tools end with a full stop; they do where nothing shows.
pub fn with_stop(scripts: &Scripts<'_>, tools: &[ToolUse]) -> bool {
    let (mut with, mut without) = (0, 0);
    for description in
        tools.iter().filter_map(|tool| description(scripts, tool)).filter(|code| code.node.kind() != "object")
    {
        let text = description.script.of(description.node).trim_end_matches(['"', '\'', '`', ')']);
        match text.trim_end().ends_with(['.', '!', '?']) {
            true => with += 1,
            false => without += 1,
        }
    }
    with >= without
}

/// What ends the sentence before.
fn divide(text: &str) -> &'static str {
    if text.trim_end().is_empty() || text.trim_end().ends_with(['.', '!', '?', ':']) { "" } else { "." }
}

/// Whether an expression is text that is written here, in one piece or in several.
fn is_text(script: &Script, node: Node<'_>) -> bool {
    match node.kind() {
        "string" | "template_string" => true,
        "binary_expression" => {
            let plus = node.child_by_field_name("operator").is_some_and(|operator| script.of(operator) == "+");
            plus && children(node).into_iter().all(|part| is_text(script, part))
        }
        _ => false,
    }
}
