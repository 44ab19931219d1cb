//! An argument that a tool takes already, and that it has to be given now.

use tree_sitter::Node;

use super::register::{argument_schema, handler_of};
use super::{Added, dispatch, handler, json};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, children};
use crate::render::typescript::scripts::{Code, Scripts, binds};
use crate::render::{Change, Refused};

/// Makes an argument one that has to be given.
pub fn argument(scripts: &Scripts<'_>, tool: &ToolUse, name: &str) -> Result<Added, Refused> {
    let handler = handler_of(scripts, tool)?;
    let schema = argument_schema(scripts, tool, name)?
        .ok_or_else(|| handler.refuse("its schema was not found", "make the argument required by hand"))?;
    if tool.entry.is_some() {
        let changes = json::require_listed(scripts, dispatch::listed(scripts, tool)?, name)?;
        let added = dispatch::name_of(handler, name)?;
        return Ok(Added { changes, name: added, auth: None });
    }
    let mut changes = required(schema);
    let first = match handler.node.child_by_field_name("parameters") {
        Some(list) => children(list).first().copied(),
        None => handler.node.child_by_field_name("parameter"),
    };
    let first =
        first.ok_or_else(|| handler.refuse("the handler takes no arguments", "let it take them, and run again"))?;
    let script = handler.script;
    let pattern = handler::pattern(first);
    let bound = match pattern.kind() {
        "identifier" => format!("{}.{name}", script.of(pattern)),
        "object_pattern" => local(script, pattern, name)
            .ok_or_else(|| handler.to(first).refuse("the argument is not taken here", "take it by its name"))?,
        _ => {
            return Err(handler
                .to(first)
                .refuse("the arguments are taken in a way that is not known", "take them as an object"));
        }
    };
    if let Some(annotation) = first.child_by_field_name("type") {
        changes.extend(retyped(script, annotation, name));
    }
    Ok(Added { changes, name: bound, auth: None })
}

/// The name that a pattern gives a property; one with a default is not known by it.
fn local(script: &Script, pattern: Node<'_>, name: &str) -> Option<String> {
    children(pattern).into_iter().find_map(|entry| match entry.kind() {
        "shorthand_property_identifier_pattern" => (script.of(entry) == name).then(|| name.to_owned()),
        "pair_pattern" => {
            let key = entry.child_by_field_name("key")?;
            let value = entry.child_by_field_name("value").filter(|value| value.kind() == "identifier")?;
            (script.of(key) == name && binds(script, pattern, script.of(value)).is_some())
                .then(|| script.of(value).to_owned())
        }
        _ => None,
    })
}

/// `z.string().optional()` without what lets it be left out.
fn required(schema: Code<'_>) -> Vec<Change> {
    let script = schema.script;
    let mut out = Vec::new();
    let mut stack = vec![schema.node];
    while let Some(node) = stack.pop() {
        if node.kind() == "call_expression"
            && let Some(callee) = node.child_by_field_name("function")
            && let (Some(object), Some(method)) =
                (callee.child_by_field_name("object"), callee.child_by_field_name("property"))
        {
            if matches!(script.of(method), "optional" | "nullish" | "nullable" | "default") {
                out.push(script.change(Span::new(object.end_byte(), node.end_byte()), ""));
            }
            stack.push(object);
        }
    }
    out
}

/// `name?: string` of a type that is written out.
fn retyped(script: &Script, annotation: Node<'_>, name: &str) -> Vec<Change> {
    let mut out = Vec::new();
    let mut stack = vec![annotation];
    while let Some(node) = stack.pop() {
        if node.kind() == "property_signature"
            && let Some(own) = node.child_by_field_name("name")
            && script.of(own) == name
        {
            let rest = &script.text()[own.end_byte()..node.end_byte()];
            if rest.starts_with('?') {
                out.push(script.change(Span::new(own.end_byte(), own.end_byte() + 1), ""));
            }
            for part in [" | undefined", " | null"] {
                if let Some(at) = rest.find(part) {
                    let start = own.end_byte() + at;
                    out.push(script.change(Span::new(start, start + part.len()), ""));
                }
            }
        }
        stack.extend(children(node));
    }
    out
}
