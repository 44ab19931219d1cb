//! Branches of handlers that serve the HTTP+SSE transport alone: `else if (url.pathname === '/sse') await openStream(res);`.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::world::{Function, World};
use crate::model::facts::Span;
use crate::plan::transport::Fact;
use crate::render::typescript::script::{children, span};

/// The method by which such a transport takes a message.
const TAKES_MESSAGE: &str = "handlePostMessage";

/// Branches that requests may take, and that have to do with no other transport: what an `if` runs, and cases of a `switch`.
pub fn branches(world: &World) -> FxHashSet<(usize, Span)> {
    let mut out = FxHashSet::default();
    for unit in 0..world.units.len() {
        collect(world, unit, world.units[unit].script.tree.root_node(), &mut out);
    }
    out
}

fn collect(world: &World, unit: usize, node: Node<'_>, out: &mut FxHashSet<(usize, Span)>) {
    for child in children(node) {
        let branch = match node.kind() {
            "if_statement" => node.child_by_field_name("consequence") == Some(child),
            "switch_body" => child.kind() == "switch_case" && stands_alone(child),
            _ => false,
        };
        if branch && world.is_requested((unit, span(child))) && serves_alone(world, unit, span(child)) {
            out.insert((unit, span(child)));
        } else {
            collect(world, unit, child, out);
        }
    }
}

/// The paths that are written out in the condition of a branch.
pub fn paths(world: &World, unit: usize, branch: Span) -> Vec<String> {
    let script = &world.units[unit].script;
    let condition = script.node(branch).and_then(|branch| match branch.kind() {
        "switch_case" => branch.child_by_field_name("value"),
        _ => branch.parent()?.child_by_field_name("condition"),
    });
    let mut out = Vec::new();
    let mut pending: Vec<Node<'_>> = condition.into_iter().collect();
    while let Some(node) = pending.pop() {
        let text = script.of(node).trim_matches(['\'', '"', '`']);
        if node.kind() == "string" && text.starts_with('/') && text.len() > 1 {
            out.push(text.to_owned());
        }
        pending.extend(children(node));
    }
    out
}

/// Whether a case neither falls into the next nor is fallen into.
fn stands_alone(case: Node<'_>) -> bool {
    let leaves = |case: Node<'_>| {
        let last = children(case).last().copied();
        let last =
            last.and_then(
                |last| if last.kind() == "statement_block" { children(last).last().copied() } else { Some(last) },
            );
        last.is_some_and(|last| matches!(last.kind(), "break_statement" | "return_statement" | "throw_statement"))
    };
    leaves(case) && case.prev_named_sibling().is_none_or(leaves)
}

/// Whether code makes such a transport or hands it a message, by itself or by what it calls, and does nothing with another transport.
fn serves_alone(world: &World, unit: usize, at: Span) -> bool {
    let mut ours = false;
    let mut pending: Vec<Function> = vec![(unit, at)];
    let mut seen: FxHashSet<Function> = pending.iter().copied().collect();
    while let Some((unit, at)) = pending.pop() {
        let file = &world.units[unit];
        for fact in file.facts.iter().filter(|(place, _)| at.contains(**place)).map(|(_, fact)| fact) {
            match fact {
                Fact::Construct | Fact::Sessionless | Fact::Handle | Fact::Opens => return false,
                Fact::Sse => ours = true,
                _ => {}
            }
        }
        ours |= world.function((unit, at)).is_some_and(|node| takes_message(world, unit, node));
        let called = file.calls.iter().filter(|(call, _)| at.contains(**call)).map(|(_, target)| *target);
        pending.extend(called.filter(|target| seen.insert(*target)));
    }
    ours
}

fn takes_message(world: &World, unit: usize, node: Node<'_>) -> bool {
    let called = node.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
    called.is_some_and(|name| world.units[unit].script.of(name) == TAKES_MESSAGE)
        || children(node).into_iter().any(|child| takes_message(world, unit, child))
}
