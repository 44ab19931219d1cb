//! The members of classes, and where methods name their own fields.

use tree_sitter::Node;

use super::script::{Script, children};

/// The body of the class around a node.
pub fn body(within: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(Some(within), Node::parent).find(|node| node.kind() == "class_body")
}

/// The name of a member.
pub fn member_name<'t>(script: &'t Script, member: Node<'t>) -> Option<&'t str> {
    let name = member.child_by_field_name("name").or_else(|| member.child_by_field_name("property"))?;
    Some(script.of(name))
}

/// The declaration of a field in the class around a node.
pub fn field<'t>(script: &Script, within: Node<'t>, name: &str) -> Option<Node<'t>> {
    let fields = children(body(within)?).into_iter().filter(|member| member.kind().ends_with("field_definition"));
    fields.into_iter().find(|member| member_name(script, *member) == Some(name))
}

/// The constructor of the class around a node, where it has a body.
pub fn constructor<'t>(script: &Script, within: Node<'t>) -> Option<Node<'t>> {
    let mut members = children(body(within)?).into_iter().filter(|member| member.kind() == "method_definition");
    members.find(|member| {
        member_name(script, *member) == Some("constructor") && member.child_by_field_name("body").is_some()
    })
}

/// `this.name` in the class around a node, in source order.
pub fn uses<'t>(script: &Script, within: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    let mut pending: Vec<Node<'t>> = body(within).into_iter().collect();
    while let Some(node) = pending.pop() {
        let of_this = node.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
        let own = node.child_by_field_name("property").is_some_and(|property| script.of(property) == name);
        if node.kind() == "member_expression" && of_this && own {
            out.push(node);
        }
        pending.extend(children(node));
    }
    out.sort_by_key(Node::start_byte);
    out
}
