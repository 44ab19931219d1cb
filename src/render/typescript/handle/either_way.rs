//! Tools that do their work whether there is a value or not: with a handle that they must be given, they would do less.

use tree_sitter::Node;

use super::absent::asks;
use super::work::Work;
use crate::plan::handle::Kind;
use crate::render::Refused;
use crate::render::typescript::script::{bare, children, statement};

/// Refuses where a tool that only reads the store does something else either way: `cart.push(search ? about(search) : item)`.
pub fn check(work: &Work<'_>) -> Result<(), Refused> {
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        let reads = work.touches(index).any(|touch| touch.kind == Kind::Read)
            && work.touches(index).all(|touch| matches!(touch.kind, Kind::Read | Kind::Test));
        if work.creating[index] || !reads {
            continue;
        }
        let (script, function) = work.function(carrier)?;
        let mut stack: Vec<Node<'_>> = function.child_by_field_name("body").into_iter().collect();
        while let Some(node) = stack.pop() {
            stack.extend(children(node));
            let condition = node.child_by_field_name("condition").filter(|_| node.kind() == "ternary_expression");
            let Some(condition) = condition.filter(|_| statement(node).kind() == "expression_statement") else {
                continue;
            };
            let nothing = ["consequence", "alternative"].iter().any(|side| {
                let side = node.child_by_field_name(side).map(bare);
                side.is_none_or(|side| matches!(script.of(side), "undefined" | "null"))
            });
            if !nothing && asks(work, script, bare(condition), index).is_some() {
                return Err(script.refuse(
                    node,
                    "the tool does its work here whether there is a value or not, and with a handle it could not without one",
                    "make it two tools, or let it leave with an error where there is none; then run again",
                ));
            }
        }
    }
    Ok(())
}
