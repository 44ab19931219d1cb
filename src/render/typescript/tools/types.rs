//! An argument more in the type that a handler gives its arguments.

use tree_sitter::Node;

use super::literal::push_front;
use super::schema::key;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, declaration, mentions};
use crate::render::{Change, Refused};

/// What follows the name of an argument that callers may leave out.
pub const OPTIONAL: &str = "?: string | undefined";

/// The type of the arguments of a tool that has but one.
pub fn alone(script: &Script, name: &str, optional: bool) -> String {
    format!("{{ {} }}", member(script, name, optional))
}

fn member(script: &Script, name: &str, optional: bool) -> String {
    match optional {
        true => format!("{}{OPTIONAL}", key(script, name)),
        false => format!("{}: string", key(script, name)),
    }
}

/// Adds the argument to a type annotation. `constant` is a schema that has it by now: types made from that have it too.
pub fn extend<'s>(
    annotation: Code<'s>,
    name: &str,
    optional: bool,
    constant: Option<&str>,
) -> Result<Vec<Change>, Refused> {
    let script = annotation.script;
    let Some(written) = children(annotation.node).first().copied() else { return Ok(Vec::new()) };
    let made_from = |node: Node<'_>| constant.is_some_and(|constant| is_made_from(script, node, constant));
    match written.kind() {
        "object_type" => Ok(push_front(script, written, &member(script, name, optional))),
        "predefined_type" if script.of(written) == "any" => Ok(Vec::new()),
        "predefined_type" => Err(annotation.to(written).refuse(
            "the handler's arguments have no type that the handle could be added to",
            "give them a type, and run again",
        )),
        _ if made_from(written) => Ok(Vec::new()),
        "type_identifier" => {
            let found = declaration(annotation, script.of(written));
            let shape = found.and_then(|found| object_of(found.node));
            let aliased = found.and_then(|found| found.node.child_by_field_name("value"));
            if aliased.is_some_and(made_from) {
                return Ok(Vec::new());
            }
            match (shape, found) {
                (Some(shape), Some(found)) if only_used_here(script, found.node, written) => {
                    Ok(push_front(script, shape, &member(script, name, optional)))
                }
                _ => Ok(vec![joined(script, written, name, optional)]),
            }
        }
        _ => Ok(vec![joined(script, written, name, optional)]),
    }
}

fn joined(script: &Script, written: Node<'_>, name: &str, optional: bool) -> Change {
    let open = matches!(written.kind(), "union_type" | "function_type" | "conditional_type");
    let text = if open { format!("({})", script.of(written)) } else { script.of(written).to_owned() };
    script.change(span(written), format!("{text} & {}", alone(script, name, optional)))
}

/// The members of an interface, or of the object type that an alias stands for.
fn object_of(declared: Node<'_>) -> Option<Node<'_>> {
    match declared.kind() {
        "interface_declaration" => declared.child_by_field_name("body"),
        "type_alias_declaration" => declared.child_by_field_name("value").filter(|value| value.kind() == "object_type"),
        _ => None,
    }
}

fn only_used_here(script: &Script, declared: Node<'_>, written: Node<'_>) -> bool {
    let Some(own) = declared.child_by_field_name("name") else { return false };
    let exported = declared.parent().is_some_and(|parent| parent.kind() == "export_statement");
    let others = mentions(script, script.tree.root_node(), script.of(own));
    !exported && others.iter().all(|node| *node == own || *node == written)
}

/// Whether a type speaks of a constant: `z.infer<typeof schema>`.
fn is_made_from(script: &Script, node: Node<'_>, constant: &str) -> bool {
    mentions(script, node, constant)
        .iter()
        .any(|found| found.parent().is_some_and(|parent| parent.kind() == "type_query"))
}
