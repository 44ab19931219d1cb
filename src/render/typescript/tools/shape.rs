//! Schemas as text: a property more at the front of one that is there, or a new one.

use tree_sitter::Node;

use super::{Argument, Kind, Parameter};
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, children};
use crate::render::{Change, Refused};

/// The name by which a file has zod.
pub fn zod(script: &Script) -> &str {
    for node in children(script.tree.root_node()).into_iter().filter(|node| script.of(*node).contains("zod")) {
        let text = script.of(node);
        for name in ["z", "zod"] {
            let bound =
                [format!("as {name} "), format!("{{ {name} "), format!("import {name} "), format!("const {name} ")];
            if bound.iter().any(|bound| text.contains(bound.as_str())) || text.contains(&format!(", {name} }}")) {
                return name;
            }
        }
    }
    "z"
}

/// The import that a file without zod needs.
pub fn zod_import(script: &Script) -> Vec<Change> {
    let has = children(script.tree.root_node()).into_iter().any(|node| script.of(node).contains("zod"));
    if has {
        return Vec::new();
    }
    let wanted = crate::render::typescript::imports::Wanted { source: "zod", name: "z", is_type: false };
    crate::render::typescript::imports::add(script, &[wanted])
}

/// An argument as an entry of a zod shape.
pub fn zod_entry(script: &Script, argument: &Argument) -> String {
    let z = zod(script);
    format!("{}: {z}.string().describe({})", argument.name, script.style.string(&argument.description))
}

/// A parameter of a new tool as an entry of a zod shape.
pub fn zod_parameter(script: &Script, parameter: &Parameter) -> String {
    let z = zod(script);
    let schema = match &parameter.kind {
        Kind::Handle(description) => format!("{z}.string().describe({})", script.style.string(description)),
        Kind::Text(default) => format!("{z}.string().min(1).default({default})"),
        Kind::Same(schema) => schema.clone(),
    };
    format!("{}: {schema}", parameter.name)
}

/// A parameter of a new tool as a property of a JSON schema.
pub fn json_parameter(script: &Script, parameter: &Parameter) -> String {
    let string = script.style.string("string");
    let schema = match &parameter.kind {
        Kind::Handle(description) => {
            format!("{{ type: {string}, description: {} }}", script.style.string(description))
        }
        Kind::Text(default) => format!("{{ type: {string}, default: {default} }}"),
        Kind::Same(schema) => schema.clone(),
    };
    format!("{}: {schema}", parameter.name)
}

/// The pair of an object literal with a key.
pub fn pair<'t>(script: &Script, object: Node<'t>, key: &str) -> Option<Node<'t>> {
    children(object).into_iter().find(|pair| {
        pair.child_by_field_name("key").is_some_and(|found| script.of(found).trim_matches(['\'', '"']) == key)
            || pair.kind() == "shorthand_property_identifier" && script.of(*pair) == key
    })
}

/// The change that puts an entry before all others of an object literal (or pattern).
pub fn push_front(script: &Script, object: Node<'_>, entry: &str) -> Change {
    let newline = script.style.newline;
    match children(object).first() {
        Some(first) => {
            let at = first.start_byte();
            let multiline = script.of(object)[..at - object.start_byte()].contains('\n');
            let glue = if multiline { format!(",{newline}{}", script.indentation(*first)) } else { ", ".to_owned() };
            script.change(Span::new(at, at), format!("{entry}{glue}"))
        }
        None => script.change(Span::new(object.start_byte(), object.end_byte()), format!("{{ {entry} }}")),
    }
}

/// The change that puts an entry behind all others of an object literal.
pub fn push_back(script: &Script, object: Node<'_>, entry: &str) -> Change {
    let newline = script.style.newline;
    let all = children(object);
    match all.last() {
        Some(last) => {
            let multiline = script.of(object)[..all[0].start_byte() - object.start_byte()].contains('\n');
            let glue = if multiline { format!(",{newline}{}", script.indentation(*last)) } else { ", ".to_owned() };
            script.change(Span::new(last.end_byte(), last.end_byte()), format!("{glue}{entry}"))
        }
        None => script.change(Span::new(object.start_byte(), object.end_byte()), format!("{{ {entry} }}")),
    }
}

/// Puts a zod entry in front of a shape: a literal, a `z.object`, or the name of one.
pub fn extend(script: &Script, shape: Node<'_>, entry: &str) -> Result<Change, Refused> {
    let shape = match shape.kind() {
        "as_expression" | "satisfies_expression" | "parenthesized_expression" => {
            children(shape).first().copied().unwrap_or(shape)
        }
        _ => shape,
    };
    match shape.kind() {
        "object" => Ok(push_front(script, shape, entry)),
        "call_expression" => match literal_of(script, shape) {
            Some(object) => Ok(push_front(script, object, entry)),
            None => Err(refuse(script, shape)),
        },
        "identifier" => match declared(script, script.of(shape)) {
            Some(value) if value.kind() == "object" => Ok(script.change(
                Span::new(shape.start_byte(), shape.end_byte()),
                format!("{{ {entry}, ...{} }}", script.of(shape)),
            )),
            Some(value) if literal_of(script, value).is_some() => Ok(script.change(
                Span::new(shape.start_byte(), shape.end_byte()),
                format!("{}.object({{ {entry}, ...{}.shape }})", zod(script), script.of(shape)),
            )),
            _ => Err(refuse(script, shape)),
        },
        "member_expression" if script.of(shape).ends_with(".shape") => Ok(script.change(
            Span::new(shape.start_byte(), shape.end_byte()),
            format!("{{ {entry}, ...{} }}", script.of(shape)),
        )),
        _ => Err(refuse(script, shape)),
    }
}

fn refuse(script: &Script, shape: Node<'_>) -> Refused {
    script.refuse(
        shape,
        "this schema is not written out where it can be extended",
        "write its properties as an object literal, or add the handle to it by hand",
    )
}

/// The literal in `z.object({ … })`, also behind `.strict()` and its like.
fn literal_of<'t>(script: &Script, call: Node<'t>) -> Option<Node<'t>> {
    let callee = call.child_by_field_name("function")?;
    let name = script.of(callee.child_by_field_name("property")?);
    if matches!(name, "object" | "strictObject" | "looseObject") {
        let arguments = children(call.child_by_field_name("arguments")?);
        return arguments.first().copied().filter(|first| first.kind() == "object");
    }
    let receiver = callee.child_by_field_name("object")?;
    (receiver.kind() == "call_expression" && matches!(name, "strict" | "passthrough" | "describe" | "loose"))
        .then(|| literal_of(script, receiver))
        .flatten()
}

/// The initial value of a constant of the file's top level.
pub fn declared<'t>(script: &'t Script, name: &str) -> Option<Node<'t>> {
    children(script.tree.root_node()).into_iter().find_map(|node| {
        let node = if node.kind() == "export_statement" { node.child_by_field_name("declaration")? } else { node };
        children(node).into_iter().find_map(|declarator| {
            let named = declarator.child_by_field_name("name")?;
            (declarator.kind() == "variable_declarator" && script.of(named) == name)
                .then(|| declarator.child_by_field_name("value"))
                .flatten()
        })
    })
}
