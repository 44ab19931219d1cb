//! Properties that a constructor declares among its parameters and that nothing reads once the sessions are gone. Whoever makes the
//! object still gives a value: the parameter stays, as one that is not used.

use tree_sitter::Node;

use super::fold::any;
use crate::render::Change;
use crate::render::typescript::script::{Script, children, span};

/// The changes of a file, with such parameters.
pub fn unread(script: &Script, changes: &[Change]) -> Vec<Change> {
    let mut out = Vec::new();
    if changes.is_empty() {
        return out;
    }
    any(script.tree.root_node(), &mut |node| {
        let constructor = node.kind() == "method_definition"
            && node.child_by_field_name("name").is_some_and(|name| script.of(name) == "constructor");
        let class = node.parent().filter(|_| constructor);
        let parameters = node.child_by_field_name("parameters").filter(|_| constructor);
        if let (Some(class), Some(parameters)) = (class, parameters) {
            out.extend(children(parameters).into_iter().filter_map(|one| parameter(script, class, one, changes)));
        }
        false
    });
    out
}

/// `private readonly idleMs: number` → `_idleMs: number`.
fn parameter(script: &Script, class: Node<'_>, parameter: Node<'_>, changes: &[Change]) -> Option<Change> {
    let name = parameter.child_by_field_name("pattern").filter(|name| name.kind() == "identifier")?;
    let private = children(parameter)
        .into_iter()
        .any(|child| child.kind() == "accessibility_modifier" && script.of(child) == "private");
    if !private
        || changes.iter().any(|change| change.span.contains(span(parameter)) || span(parameter).contains(change.span))
    {
        return None;
    }
    let text = script.of(name);
    let (mut read, mut left) = (false, false);
    any(class, &mut |node| {
        let used = match node.kind() {
            "property_identifier" | "shorthand_property_identifier" => script.of(node) == text,
            "identifier" => script.of(node) == text && node != name,
            _ => false,
        };
        if used {
            let gone =
                changes.iter().any(|change| change.span.start < change.span.end && change.span.contains(span(node)));
            read = true;
            left |= !gone;
        }
        false
    });
    let written = changes.iter().any(|change| change.text.contains(text));
    (read && !left && !written).then(|| {
        let start = parameter.start_byte();
        Change {
            path: script.path.clone(),
            span: crate::model::facts::Span::new(start, name.end_byte()),
            text: format!("_{text}"),
        }
    })
}
