//! What a file's imports say of the SDK's release and of its schema library.

use crate::model::facts::Span;
use crate::render::Change;
use crate::render::typescript::imports::{self, Wanted};
use crate::render::typescript::script::{Script, children};
use crate::render::typescript::scripts::mentions;
use tree_sitter::Node;

/// Whether a file is written for the second SDK.
pub fn is_second(script: &Script) -> bool {
    sources(script)
        .iter()
        .any(|(_, source)| source.strip_prefix("@modelcontextprotocol/").is_some_and(|rest| !rest.starts_with("sdk")))
}

/// A list of tools that the second SDK is handed as it is written, of the SDK's own type: tools whose properties differ have no type
/// in common that it takes.
pub fn list_of_tools(script: &Script, list: Node<'_>) -> Vec<Change> {
    let plain = list.parent().is_some_and(|parent| parent.kind() == "pair");
    let from = "@modelcontextprotocol/server";
    if !plain || !script.typed() || !sources(script).iter().any(|(_, source)| *source == from) {
        return Vec::new();
    }
    let known = imports::local_name(script, from, "Tool");
    let name = known.clone().unwrap_or_else(|| "Tool".to_owned());
    if known.is_none() && !mentions(script, script.tree.root_node(), &name).is_empty() {
        return Vec::new();
    }
    let end = list.end_byte();
    let mut out = vec![script.change(Span::new(end, end), format!(" as {name}[]"))];
    let wanted = Wanted { source: from, name: "Tool", alias: None, is_type: true };
    out.extend(known.is_none().then(|| imports::add(script, &[wanted])).into_iter().flatten());
    out
}

/// What the schema library is called in a file.
pub fn zod(script: &Script) -> String {
    zod_name(script).unwrap_or_else(|| "z".to_owned())
}

/// Whether the schema library is the one without methods (`zod/mini`).
pub fn is_mini(script: &Script) -> bool {
    sources(script).iter().any(|(_, source)| matches!(*source, "zod/mini" | "zod/v4-mini" | "zod/v4/mini"))
}

/// The import that the schema library needs in a file, if it needs one.
pub fn zod_import(script: &Script) -> Vec<Change> {
    zod_import_like(script, script)
}

/// The same, from where another file takes it: releases of the library don't mix.
pub fn zod_import_like(script: &Script, other: &Script) -> Vec<Change> {
    if zod_name(script).is_some() {
        return Vec::new();
    }
    let all = sources(other);
    let source = all.iter().map(|(_, source)| *source).find(|source| is_zod(source)).unwrap_or("zod");
    imports::add(script, &[Wanted { source, name: "z", alias: None, is_type: false }])
}

fn zod_name(script: &Script) -> Option<String> {
    let all = sources(script);
    let own = all.iter().find(|(_, source)| is_zod(source)).and_then(|(statement, _)| bound(script, *statement));
    // Some programs hand the library on from a file of their own.
    own.or_else(|| {
        all.iter().find_map(|(statement, _)| bound(script, *statement).filter(|name| name == "z" || name == "zod"))
    })
}

fn is_zod(source: &str) -> bool {
    let source = source.strip_prefix("npm:").unwrap_or(source);
    source == "zod" || source.starts_with("zod/") || source.starts_with("zod@")
}

/// The name by which an import of the library binds it.
fn bound(script: &Script, statement: Node<'_>) -> Option<String> {
    let mut stack = vec![statement];
    let mut plain = None;
    while let Some(node) = stack.pop() {
        match node.kind() {
            "import_specifier" => {
                let name = node.child_by_field_name("name").map(|name| script.of(name));
                let local = node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name"));
                if matches!(name, Some("z" | "zod" | "default")) {
                    return local.map(|local| script.of(local).to_owned());
                }
            }
            "namespace_import" => return children(node).first().map(|name| script.of(*name).to_owned()),
            "import_clause" => {
                for child in children(node) {
                    if child.kind() == "identifier" {
                        plain = Some(script.of(child).to_owned());
                    } else {
                        stack.push(child);
                    }
                }
            }
            "shorthand_property_identifier_pattern" if matches!(script.of(node), "z" | "zod") => {
                return Some(script.of(node).to_owned());
            }
            "pair_pattern" => {
                let key = node.child_by_field_name("key").map(|key| script.of(key));
                if matches!(key, Some("z" | "default")) {
                    return node.child_by_field_name("value").map(|value| script.of(value).to_owned());
                }
            }
            "variable_declarator" => match node.child_by_field_name("name") {
                Some(name) if name.kind() == "identifier" => return Some(script.of(name).to_owned()),
                Some(name) => stack.push(name),
                None => {}
            },
            _ => stack.extend(children(node)),
        }
    }
    plain
}

/// The statements that take modules, with their specifiers.
fn sources(script: &Script) -> Vec<(Node<'_>, &str)> {
    let mut out = Vec::new();
    for node in children(script.tree.root_node()) {
        let source = match node.kind() {
            "import_statement" => node.child_by_field_name("source"),
            "lexical_declaration" | "variable_declaration" => required(script, node),
            _ => None,
        };
        if let Some(source) = source {
            out.push((node, script.of(source).trim_matches(['\'', '"', '`'])));
        }
    }
    out
}

fn required<'t>(script: &Script, node: Node<'t>) -> Option<Node<'t>> {
    let mut value = children(node).first()?.child_by_field_name("value")?;
    while value.kind() == "member_expression" {
        value = value.child_by_field_name("object")?;
    }
    let call = value.kind() == "call_expression" && script.of(value.child_by_field_name("function")?) == "require";
    children(value.child_by_field_name("arguments")?).first().copied().filter(|_| call)
}
