//! What the model reads of a tool: more of it, behind what is written.

use tree_sitter::Node;

use super::literal::room;
use super::reach::{Helped, property_of_entry, reach, table_entry};
use super::register::{handler_of, read};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, children};
use crate::render::typescript::scripts::{Code, Scripts, property};
use crate::render::{Change, Refused};

/// Adds sentences to a tool's description, each as the inside of a template literal. Nothing where it is not written out.
pub fn describe(scripts: &Scripts<'_>, tool: &ToolUse, sentences: &[String]) -> Result<Vec<Change>, Refused> {
    let written = match &tool.entry {
        Some(entry) => property(scripts.at(entry)?.bare(), "description"),
        None => written(scripts, tool)?,
    };
    Ok(written.map(Code::bare).map_or_else(Vec::new, |code| longer(code.script, code.node, sentences)))
}

fn written<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse) -> Result<Option<Code<'s>>, Refused> {
    let registration = read(scripts, tool)?;
    let handler = handler_of(scripts, tool)?;
    let callback = registration.call.to(registration.arguments[registration.arguments.len() - 1]);
    let second = registration.call.to(registration.arguments[1]);
    if reach(scripts, callback, handler).is_some() {
        let config = scripts.value(second).and_then(|config| property(config, "description"));
        return Ok(config.or(is_text(second).then_some(second)));
    }
    if let Some(helped) = Helped::of(scripts, registration.call, handler) {
        let arguments = helped.call.node.child_by_field_name("arguments").map(children).unwrap_or_default();
        let texts = arguments.into_iter().map(|argument| helped.call.to(argument)).filter(|code| is_text(*code));
        let mut texts = texts.skip(1);
        return Ok(texts.next());
    }
    let Some((entry, _)) = table_entry(handler) else { return Ok(None) };
    let config =
        property_of_entry(second).and_then(|name| property(entry, name)).filter(|code| code.node.kind() == "object");
    Ok(property(config.map_or(entry, Code::bare), "description"))
}

fn is_text(code: Code<'_>) -> bool {
    matches!(code.bare().node.kind(), "string" | "template_string")
        || code.node.kind() == "binary_expression" && code.text().contains(['\'', '"', '`'])
}

/// A text with sentences behind it: on one line where they fit, else one a line.
fn longer(script: &Script, node: Node<'_>, sentences: &[String]) -> Vec<Change> {
    let last = sentences.len().saturating_sub(1);
    let parts: Vec<String> = sentences
        .iter()
        .enumerate()
        .map(|(index, part)| {
            let part = if index < last { format!("{part} ") } else { part.clone() };
            if part.contains("${") { format!("`{part}`") } else { script.style.string(&part) }
        })
        .collect();
    let gap = match script.of(node).trim_end_matches(['\'', '"', '`']).ends_with(['.', '!', '?', ' ']) {
        true => " ",
        false => ". ",
    };
    let ends = children(node).last().copied().filter(|_| node.kind() == "binary_expression");
    let close = ends.unwrap_or(node).end_byte() - 1;
    if !matches!(ends.unwrap_or(node).kind(), "string" | "template_string") {
        return Vec::new();
    }
    let (newline, unit) = (script.style.newline, script.style.indent.text());
    let key = node.parent().filter(|parent| parent.kind() == "pair");
    let (mut out, depth) = match key {
        Some(_) => room(script, node, parts.iter().map(|part| part.chars().count()).sum()),
        None => (Vec::new(), 0),
    };
    out.push(script.change(Span::new(close, close), gap));
    let indent = format!("{}{}", script.indentation(node), unit.repeat(depth));
    let own_line = script.text()[script.line_start(node.start_byte())..node.start_byte()].trim().is_empty();
    let indent = if own_line { indent } else { format!("{indent}{unit}") };
    let text: String = parts.iter().map(|part| format!(" +{newline}{indent}{part}")).collect();
    if let Some(name) = key.and_then(|pair| pair.child_by_field_name("key"))
        && node.kind() != "binary_expression"
        && !own_line
        && (depth > 0 || key.is_some_and(|pair| is_alone(script, pair)))
    {
        let between = Span::new(name.end_byte() + 1, node.start_byte());
        out.push(script.change(between, format!("{newline}{indent}")));
    }
    out.push(script.change(Span::new(node.end_byte(), node.end_byte()), text));
    out
}

/// Whether a pair begins its line.
fn is_alone(script: &Script, pair: Node<'_>) -> bool {
    script.text()[script.line_start(pair.start_byte())..pair.start_byte()].trim().is_empty()
}
