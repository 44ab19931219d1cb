//! A tool that does not exist yet, as one more entry of the table that a loop registers.

use tree_sitter::Node;

use super::create::{self, arrow, described, inputs, is_annotated, signature};
use super::register::Registration;
use super::{NewTool, schema};
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, children};
use crate::render::typescript::scripts::Code;
use crate::render::{Change, Refused};

/// Adds a tool before or behind the entry of another. `own` is the property of the entry that has the other's handler.
pub fn insert(
    registration: &Registration<'_>,
    entry: Code<'_>,
    own: Node<'_>,
    handler: Code<'_>,
    before: bool,
    tool: &NewTool,
) -> Result<Vec<Change>, Refused> {
    let script = entry.script;
    let place = whole(entry.node);
    let is_list = place.parent().is_some_and(|list| list.kind() == "array");
    if !is_list && place.kind() != "pair" {
        return Err(registration
            .call
            .refuse("the tools come from a table that can't be extended here", "add the tool to it by hand"));
    }
    let schema_key = schema_key(script, entry.node);
    let mut fields = Vec::new();
    for field in children(entry.node) {
        fields.extend(field_of(script, field, own, handler, schema_key, tool)?);
    }
    let has_schema = fields.iter().any(|field| Some(field.split(':').next().unwrap_or_default()) == schema_key);
    if !has_schema && let Some(shape) = inputs(script, tool) {
        let key = schema_key.unwrap_or("inputSchema");
        let at = fields.len().saturating_sub(1);
        fields.insert(at, format!("{key}: {shape}"));
    }
    let key = if is_list { String::new() } else { format!("{}: ", schema::key(script, &tool.name)) };
    let comma = if script.style.trailing_commas { "," } else { "" };
    let text = format!("{key}{{\n\t{}{comma}\n}}", fields.join(",\n\t"));
    let mut changes = beside(script, place, before, &text);
    changes.extend(create::zod_import(script, tool));
    Ok(changes)
}

/// The whole entry: the literal, what makes a tool of it (`defineTool({ … })`), and its key in a table by name.
fn whole(literal: Node<'_>) -> Node<'_> {
    let mut node = literal;
    while let Some(parent) = node.parent().filter(|parent| {
        matches!(parent.kind(), "arguments" | "call_expression" | "as_expression" | "satisfies_expression" | "pair")
    }) {
        node = parent;
        if node.kind() == "pair" {
            break;
        }
    }
    node
}

fn schema_key<'s>(script: &'s Script, entry: Node<'s>) -> Option<&'s str> {
    let known = ["inputSchema", "schema", "parameters", "paramsSchema", "argsSchema", "shape", "input"];
    children(entry).into_iter().find_map(|field| {
        let key = field.child_by_field_name("key").map(|key| script.of(key))?;
        known.contains(&key).then_some(key)
    })
}

/// A field of the new entry, by the same field of the other; `None` where it says something of the other alone.
fn field_of(
    script: &Script,
    field: Node<'_>,
    own: Node<'_>,
    handler: Code<'_>,
    schema_key: Option<&str>,
    tool: &NewTool,
) -> Result<Option<String>, Refused> {
    let typed = is_annotated(handler);
    if field == own {
        if own.kind() == "method_definition" {
            let (parameters, body) = signature(script, tool, typed);
            let name = own.child_by_field_name("name").map(|name| script.of(name)).unwrap_or_default();
            let waits = if tool.text_alone && !body.contains("await ") { "" } else { "async " };
            return Ok(Some(format!("{waits}{name}({parameters}) {{\n\t{}}}", body.replace('\n', "\n\t"))));
        }
        let key = own.child_by_field_name("key").map(|key| script.of(key)).unwrap_or_default();
        return Ok(Some(format!("{key}: {}", arrow(script, tool, typed).replace('\n', "\n\t"))));
    }
    let (Some(key), Some(value)) = (field.child_by_field_name("key"), field.child_by_field_name("value")) else {
        return Err(unknown(script, field));
    };
    let key = script.of(key);
    match key {
        "name" => Ok(Some(format!("name: {}", script.style.string(&tool.name)))),
        "description" => Ok(Some(format!("description:{}", described(script, tool, 1)))),
        "title" | "annotations" | "outputSchema" => Ok(None),
        _ if Some(key) == schema_key => {
            let empty =
                || if schema::alone(script, &[]).is_empty() { String::new() } else { schema::alone(script, &[]) };
            Ok(Some(format!("{key}: {}", inputs(script, tool).unwrap_or_else(empty))))
        }
        _ if matches!(value.kind(), "string" | "number" | "true" | "false") => Ok(Some(script.of(field).to_owned())),
        _ => Err(unknown(script, field)),
    }
}

fn unknown(script: &Script, field: Node<'_>) -> Refused {
    script.refuse(
        field,
        "what this would be for a new tool of the table can't be told",
        "add the tool to the table by hand",
    )
}

/// An element beside another.
fn beside(script: &Script, place: Node<'_>, before: bool, text: &str) -> Vec<Change> {
    let newline = script.style.newline;
    let indent = script.indentation(place);
    let text = script.indented(&script.style.dress(text), indent);
    if before {
        let start = script.with_comments(place);
        return vec![script.change(Span::new(start, start), format!("{text},{newline}{indent}"))];
    }
    let end = place.end_byte();
    vec![script.change(Span::new(end, end), format!(",{newline}{indent}{text}"))]
}
