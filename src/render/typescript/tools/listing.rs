//! The list of a low-level `Server`'s tools: one more entry, written out there or in a constant that the list names.

use tree_sitter::Node;

use super::{NewTool, handler, json};
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, statement};
use crate::render::typescript::scripts::{Code, mentions};
use crate::render::{Change, Refused};

/// The entry of a new tool in the list, beside another one's.
pub fn listing(entry: Code<'_>, before: bool, tool: &NewTool, text: &str) -> Result<Vec<Change>, Refused> {
    let script = entry.script;
    match entry.node.parent() {
        Some(list) if list.kind() == "array" => Ok(vec![element(script, entry.node, before, text)]),
        _ => constant(entry, before, tool, text).ok_or_else(|| {
            entry.refuse(
                "the list that this tool is in was not found in its file",
                "list and dispatch the new tool by hand",
            )
        }),
    }
}

/// The literal that lists a new tool.
pub fn literal(script: &Script, tool: &NewTool, before: &str) -> String {
    let comma = if script.style.trailing_commas { "," } else { "" };
    format!("{before}{{\n\t{}{comma}\n}}", json::fields(script, tool).join(",\n\t"))
}

/// An element of a list beside another.
pub fn element(script: &Script, place: Node<'_>, before: bool, text: &str) -> Change {
    let (newline, indent) = (script.style.newline, script.indentation(place));
    let text = script.indented(&script.style.dress(text), indent);
    let start = script.with_comments(place);
    let own_line = script.text()[script.line_start(start)..start].trim().is_empty();
    let glue = if own_line { format!("{newline}{indent}") } else { " ".to_owned() };
    if before {
        return script.change(Span::new(start, start), format!("{text},{glue}"));
    }
    script.change(Span::new(place.end_byte(), place.end_byte()), format!(",{glue}{text}"))
}

/// A tool that a constant describes, which a list names: one more constant, and one more name in the list.
fn constant(entry: Code<'_>, before: bool, tool: &NewTool, text: &str) -> Option<Vec<Change>> {
    let script = entry.script;
    let own = declared(entry)?.child_by_field_name("name")?;
    let listed = mentions(script, script.tree.root_node(), script.of(own))
        .into_iter()
        .find(|node| node.parent().is_some_and(|list| list.kind() == "array"))?;
    let (change, name) = another(entry, before, tool, text)?;
    Some(vec![change, element(script, listed, before, &name)])
}

/// The constant that a literal is the value of.
fn declared(entry: Code<'_>) -> Option<Node<'_>> {
    std::iter::successors(entry.node.parent(), Node::parent)
        .take_while(|node| matches!(node.kind(), "as_expression" | "satisfies_expression" | "variable_declarator"))
        .last()
        .filter(|node| node.kind() == "variable_declarator")
}

/// One more constant before or behind the one that a literal is the value of, and its name.
pub fn another(entry: Code<'_>, before: bool, tool: &NewTool, text: &str) -> Option<(Change, String)> {
    let script = entry.script;
    let declarator = declared(entry)?;
    let name = like(script.of(declarator.child_by_field_name("name")?), &tool.name);
    let of_type = declarator.child_by_field_name("type").map(|of_type| script.of(of_type)).unwrap_or_default();
    let whole = statement(declarator);
    let exported = if whole.kind() == "export_statement" { "export " } else { "" };
    let end = if script.style.semicolons { ";" } else { "" };
    let text = script.style.dress(&format!("{exported}const {name}{of_type} = {text}{end}"));
    let newline = script.style.newline;
    let indent = script.indentation(whole);
    let text = script.indented(&text, indent);
    let change = if before {
        let at = script.line_start(script.with_comments(whole));
        script.change(Span::new(at, at), format!("{indent}{text}{newline}{newline}"))
    } else {
        let at = script.removal_below_comments(whole).end as usize;
        let at = if script.text()[..at].ends_with('\n') { script.line_end(whole.end_byte()) } else { at };
        script.change(Span::new(at, at), format!("{newline}{indent}{text}{newline}"))
    };
    Some((change, name))
}

/// A name for a tool's constant, spelled like another's: `countTool`, `COUNT_TOOL`.
fn like(other: &str, tool: &str) -> String {
    let screams = other.chars().all(|char| !char.is_lowercase());
    let plain = if screams { tool.replace('-', "_").to_uppercase() } else { handler::camel(tool) };
    let ends = ["ToolDefinition", "Definition", "Tool", "_TOOL", "Schema"];
    let end = ends.iter().find(|end| other.ends_with(**end)).copied().unwrap_or(if screams { "" } else { "Tool" });
    format!("{plain}{end}")
}
