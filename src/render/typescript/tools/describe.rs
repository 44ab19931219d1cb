//! A sentence more in what the model reads of a tool.

use tree_sitter::Node;

use super::literal::push_back;
use super::reach::{Helped, table_entry};
use super::register::{handler_of, read};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::Change;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, Scripts, property};
use crate::render::typescript::spoken::without_session;

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

/// Puts a sentence, the inside of a template literal, behind a description, or makes it one.
pub fn say_more(description: Code<'_>, sentence: &str) -> Vec<Change> {
    let (script, node) = (description.script, description.node);
    let (start, end) = (node.start_byte(), node.end_byte());
    let one = match node.kind() {
        "object" => return push_back(script, node, &format!("description: `{sentence}`")),
        "template_string" => {
            let inside = without_session(&script.text()[start + 1..end - 1]);
            script.change(span(node), format!("`{inside}{} {sentence}`", stop(&inside)))
        }
        "string" => {
            let inside = script.text()[start + 1..end - 1].replace("\\'", "'").replace("\\\"", "\"");
            let inside = without_session(&inside.replace('`', "\\`").replace("${", "\\${"));
            script.change(span(node), format!("`{inside}{} {sentence}`", stop(&inside)))
        }
        _ => script.change(Span::new(end, end), format!(" + ` {sentence}`")),
    };
    vec![one]
}

/// What ends the sentence before.
fn stop(text: &str) -> &'static str {
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
