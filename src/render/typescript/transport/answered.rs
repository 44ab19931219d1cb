//! Code that answers with a session header by hand: what it sends is an id of nothing.

use tree_sitter::Node;

use super::world::World;
use crate::plan::Site;
use crate::render::typescript::script::{children, span};
use crate::render::{Change, Refused, all};

/// Refuses where a response still gets the header.
pub fn check(world: &World, changes: &[Vec<Change>]) -> Result<(), Refused> {
    let mut answered = Vec::new();
    for (unit, own) in world.units.iter().zip(changes) {
        let script = &unit.script;
        let mut stack = vec![script.tree.root_node()];
        while let Some(node) = stack.pop() {
            stack.extend(children(node));
            let gone = own.iter().any(|change| change.span.contains(span(node)) && change.span.start < change.span.end);
            if node.kind() == "call_expression" && !gone && sets_header(node, &|node| script.of(node)) {
                answered.push(Site { path: script.path.clone(), span: span(node) });
            }
        }
    }
    answered.sort();
    all(answered.into_iter().map(|at| {
        Err(Refused {
            at,
            why: "a session id is answered here, and no session has it".to_owned(),
            todo: "take the header out of the answer, then run again".to_owned(),
            also: Vec::new(),
        })
    }))
}

/// `res.setHeader('Mcp-Session-Id', id)`.
fn sets_header<'t>(call: Node<'t>, of: &dyn Fn(Node<'t>) -> &'t str) -> bool {
    let name = call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
    let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
    let [header, _, ..] = arguments.as_slice() else { return false };
    name.is_some_and(|name| matches!(of(name), "setHeader" | "set" | "header" | "append"))
        && of(*header).trim_matches(['\'', '"', '`']).eq_ignore_ascii_case("mcp-session-id")
}
