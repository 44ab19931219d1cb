//! Tools that end a value whenever they have answered without an error: what is only done in some cases is no promise to a model.

use tree_sitter::Node;

use super::work::Work;
use crate::plan::Site;
use crate::plan::handle::{Kind, Role, ToolUse};
use crate::render::typescript::script::is_function;

/// Whether a tool ends the value each time.
pub fn always(work: &Work<'_>, tool: &ToolUse) -> bool {
    let own = work.handle.carriers.iter().position(|carrier| carrier.function == tool.handler);
    match tool.role {
        Role::Destroys => true,
        Role::Consumes => own.is_some_and(|own| ends(work, own, tool, &mut Vec::new())),
        Role::Creates | Role::Uses | Role::Resets => false,
    }
}

/// Whether a function drops the value, or calls one that does, wherever it gets to its end.
fn ends(work: &Work<'_>, carrier: usize, tool: &ToolUse, seen: &mut Vec<usize>) -> bool {
    if seen.contains(&carrier) {
        return false;
    }
    seen.push(carrier);
    let handle = work.handle;
    let Ok((_, function)) = work.function(&handle.carriers[carrier]) else { return false };
    let is_run = |at: &Site| {
        let found = work.scripts.expression(at).ok();
        found.is_some_and(|(_, node)| is_always_run(node, function, tool.entry.is_some()))
    };
    let drops = work.touches(carrier).any(|touch| touch.kind == Kind::Delete && is_run(&touch.at));
    drops
        || handle.carriers.iter().enumerate().any(|(other, callee)| {
            let called = callee.calls.iter().any(|call| call.within == carrier && is_run(&call.at));
            called && ends(work, other, tool, seen)
        })
}

/// Whether code of a function runs whenever the function does not leave before. `cases`: each case is a tool of its own.
fn is_always_run(node: Node<'_>, function: Node<'_>, cases: bool) -> bool {
    let mut inner = node;
    while inner != function {
        let Some(around) = inner.parent() else { return false };
        let is = |field: &str| around.child_by_field_name(field) == Some(inner);
        let skipped = match around.kind() {
            "if_statement" | "ternary_expression" | "while_statement" => !is("condition"),
            "binary_expression" => is("right") && short_circuits(around),
            "for_statement" | "for_in_statement" | "catch_clause" => true,
            "switch_case" | "switch_default" => !cases,
            _ => around != function && is_function(around),
        };
        if skipped {
            return false;
        }
        inner = around;
    }
    true
}

fn short_circuits(node: Node<'_>) -> bool {
    node.child_by_field_name("operator").is_some_and(|operator| matches!(operator.kind(), "&&" | "||" | "??"))
}
