//! A tool that does not exist yet, as one more entry of the table that a loop registers.

use tree_sitter::Node;

use super::create::{self, arrow, described, inputs, is_annotated, signature};
use super::own_file::OwnFile;
use super::parameters::Like;
use super::reach::table_entry;
use super::register::{Registration, handler_of};
use super::{NewTool, schema};
use crate::classify::words::capital;
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, children};
use crate::render::typescript::scripts::{Code, Scripts, property};
use crate::render::{Change, Refused};

/// Adds a tool before or behind the entry of another, which is the literal and the property of it that has that one's handler.
pub fn insert(
    scripts: &Scripts<'_>,
    registration: &Registration<'_>,
    (entry, own): (Code<'_>, Node<'_>),
    (beside, handler): (&ToolUse, Code<'_>),
    before: bool,
    tool: &NewTool,
) -> Result<Vec<Change>, Refused> {
    let script = entry.script;
    let place = whole(entry.node);
    let is_list = place.parent().is_some_and(|list| list.kind() == "array");
    let text = literal(scripts, (entry, own), Like::of(beside, handler), tool)?;
    if is_list || place.kind() == "pair" {
        let key = if is_list { String::new() } else { format!("{}: ", schema::key(script, &tool.name)) };
        let mut changes = beside_other(script, place, before, &format!("{key}{text}"));
        changes.extend(create::zod_import(script, tool));
        return Ok(changes);
    }
    let lost = || {
        let why = "the tools come from a table that can't be extended here";
        registration.call.refuse(why, "add the tool to it by hand")
    };
    let file = OwnFile::of(scripts, beside, entry).ok_or_else(lost)?;
    let draft = file.draft(scripts, &tool.name).ok_or_else(lost)?;
    let schema = constant(scripts, entry, tool);
    let schema = schema.as_ref().map(|(name, shape)| (*name, shape.as_str()));
    let mut changes = file.rewrite(draft, &text, &tool.name, schema)?;
    changes.extend(file.place(draft, &tool.name, before));
    changes.extend(create::zod_import(draft, tool));
    Ok(changes)
}

/// The file that a new tool gets, where each has one.
pub fn file_for<'s>(scripts: &'s Scripts<'_>, beside: &ToolUse, name: &str) -> Option<&'s Script> {
    let (entry, _) = table_entry(handler_of(scripts, beside).ok()?)?;
    let place = whole(entry.node);
    if place.kind() == "pair" || place.parent().is_some_and(|list| list.kind() == "array") {
        return None;
    }
    OwnFile::of(scripts, beside, entry)?.draft(scripts, name)
}

/// The literal of a new tool, by that of another.
fn literal(
    scripts: &Scripts<'_>,
    (entry, own): (Code<'_>, Node<'_>),
    like: Like<'_>,
    tool: &NewTool,
) -> Result<String, Refused> {
    let script = entry.script;
    let schema_key = schema_key(script, entry.node);
    let mut fields = Vec::new();
    for field in children(entry.node) {
        fields.extend(field_of(scripts, entry.to(field), own, like, schema_key, tool)?);
    }
    let has_schema = fields.iter().any(|field| Some(field.split(':').next().unwrap_or_default()) == schema_key);
    if !has_schema && let Some(shape) = inputs(script, tool) {
        let key = schema_key.unwrap_or("inputSchema");
        let at = fields.len().saturating_sub(1);
        fields.insert(at, format!("{key}: {shape}"));
    }
    let comma = if script.style.trailing_commas { "," } else { "" };
    Ok(format!("{{\n\t{}{comma}\n}}", fields.join(",\n\t")))
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
        let short = (field.kind() == "shorthand_property_identifier").then_some(field);
        let key = field.child_by_field_name("key").or(short).map(|key| script.of(key))?;
        known.contains(&key).then_some(key)
    })
}

/// A field of the new entry, by the same field of the other; `None` where it says something of the other alone.
fn field_of(
    scripts: &Scripts<'_>,
    code: Code<'_>,
    own: Node<'_>,
    like: Like<'_>,
    schema_key: Option<&str>,
    tool: &NewTool,
) -> Result<Option<String>, Refused> {
    let (script, field) = (code.script, code.node);
    let key = field.child_by_field_name("key").or_else(|| field.child_by_field_name("name")).unwrap_or(field);
    let key = script.of(key);
    if field == own {
        let typed = is_annotated(like.function);
        if own.kind() == "method_definition" {
            let (parameters, body) = signature(script, tool, typed, Some(like));
            let waits = if tool.text_alone && !body.contains("await ") { "" } else { "async " };
            return Ok(Some(format!("{waits}{key}({parameters}) {{\n\t{}}}", body.replace('\n', "\n\t"))));
        }
        return Ok(Some(format!("{key}: {}", arrow(script, tool, typed, Some(like)).replace('\n', "\n\t"))));
    }
    let value = match field.kind() {
        "pair" => field.child_by_field_name("value"),
        "shorthand_property_identifier" => Some(field),
        _ => None,
    };
    let value = value.ok_or_else(|| unknown(script, field))?;
    match key {
        "name" => Ok(Some(format!("name: {}", script.style.string(&tool.name)))),
        "description" => Ok(Some(format!("description:{}", described(script, tool, 1)))),
        "title" => Ok(Some(format!("title: {}", script.style.string(&capital(&tool.name.replace(['_', '-'], " ")))))),
        "annotations" | "outputSchema" => Ok(None),
        _ if Some(key) == schema_key => {
            let shape = inputs(script, tool).unwrap_or_else(|| schema::alone(script, &[]));
            Ok(Some(format!("{key}: {}", schema_like(scripts, code.to(value), shape))))
        }
        _ if matches!(value.kind(), "string" | "number" | "true" | "false") => Ok(Some(script.of(field).to_owned())),
        _ => Err(unknown(script, field)),
    }
}

/// The constant that an entry has its schema in, and the schema of a new tool in its form.
fn constant<'s>(scripts: &Scripts<'_>, entry: Code<'s>, tool: &NewTool) -> Option<(&'s str, String)> {
    let script = entry.script;
    let named = property(entry, schema_key(script, entry.node)?)?;
    let is_name = matches!(named.node.kind(), "identifier" | "shorthand_property_identifier");
    let shape = inputs(script, tool).unwrap_or_else(|| schema::alone(script, &[]));
    is_name.then(|| (named.text(), schema_like(scripts, named, shape)))
}

/// A schema in the form of another: a shape, or the object that is made of one.
fn schema_like(scripts: &Scripts<'_>, other: Code<'_>, shape: String) -> String {
    let made = scripts.value(other).filter(|made| made.node.kind() == "call_expression" && shape.starts_with('{'));
    let callee = made.and_then(|made| Some((made, made.node.child_by_field_name("function")?)));
    match callee.map(|(made, callee)| made.script.of(callee)).filter(|callee| callee.ends_with(".object")) {
        Some(callee) => format!("{callee}({shape})"),
        None => shape,
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
fn beside_other(script: &Script, place: Node<'_>, before: bool, text: &str) -> Vec<Change> {
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
