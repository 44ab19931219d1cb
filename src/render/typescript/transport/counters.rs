//! Counters that sessions raised: `metrics.opened++`.

use tree_sitter::Node;

use super::fold::{Fold, any};
use crate::render::typescript::script::{bare, enclosing_function, is_function, is_statement, span};

impl<'w> Fold<'w> {
    /// Whether a statement raises a counter that nothing lowers and nothing is decided by: without sessions it stands still.
    pub(super) fn stands_still(&self, unit: usize, node: Node<'w>) -> bool {
        let Some(name) = self.raised(unit, node) else { return false };
        !(0..self.world.units.len()).any(|at| self.decides_by(at, name))
    }

    /// The name of the variable or field that an expression raises.
    fn raised(&self, unit: usize, node: Node<'w>) -> Option<&'w str> {
        let operator = node.child_by_field_name("operator")?.kind();
        let target = match (node.kind(), operator) {
            ("update_expression", "++") => node.child_by_field_name("argument")?,
            ("augmented_assignment_expression", "+=") => node.child_by_field_name("left")?,
            _ => return None,
        };
        self.named(unit, bare(target))
    }

    fn named(&self, unit: usize, target: Node<'w>) -> Option<&'w str> {
        let script = &self.world.units[unit].script;
        match target.kind() {
            "identifier" => Some(script.of(target)),
            "member_expression" => target.child_by_field_name("property").map(|name| script.of(name)),
            _ => None,
        }
    }

    /// Whether something is decided by a counter of this name, or lowers or sets it.
    fn decides_by(&self, unit: usize, name: &str) -> bool {
        let root = self.world.units[unit].script.tree.root_node();
        any(root, &mut |node| {
            if !matches!(node.kind(), "identifier" | "member_expression") || self.named(unit, node) != Some(name) {
                return false;
            }
            let parent = node.parent();
            let target = |field: &str| parent.and_then(|parent| parent.child_by_field_name(field)) == Some(node);
            match parent.map(|parent| parent.kind()) {
                Some("member_expression") if target("object") => false,
                Some("update_expression") => parent.is_some_and(|parent| self.raised(unit, parent).is_none()),
                Some("augmented_assignment_expression") if target("left") => {
                    parent.is_some_and(|parent| self.raised(unit, parent).is_none())
                }
                Some("assignment_expression") if target("left") => true,
                _ => decides(node),
            }
        })
    }

    /// Whether an assignment in a loop over all sessions only sums them up, in a variable of the function that nothing is decided by:
    /// `oldest = Math.max(oldest, now - entry.since)`.
    pub(super) fn sums_up(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let (Some(target), Some(value)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return false;
        };
        let around = || std::iter::successors(node.parent(), Node::parent).take_while(|around| !is_function(*around));
        let Some(whole) = around().find(|around| around.kind() == "for_in_statement") else { return false };
        let plain = node.kind() == "assignment_expression" && target.kind() == "identifier";
        let Some(symbol) = file.symbol(target).filter(|_| plain) else { return false };
        let own = enclosing_function(node).is_some_and(|function| file.home(symbol) == span(function));
        let outside = self.uses(unit, (unit, symbol)).into_iter().filter(|used| !span(whole).contains(span(*used)));
        own && self.looks(unit, value) && !outside.into_iter().any(decides)
    }

    /// Tells the reader of counters that stand still from now on.
    pub(super) fn note_counters(&mut self, unit: usize, node: Node<'w>) {
        if any(node, &mut |inner| self.stands_still(unit, inner)) {
            self.raise("Counters of sessions that were opened, closed or expired keep their names, and nothing raises them any more.");
        }
        if any(node, &mut |inner| self.sums_up(unit, inner)) {
            self.raise("What was summed up over all sessions keeps the value that it begins with.");
        }
    }
}

/// Whether something is decided by a value.
fn decides(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent).take_while(|around| !is_statement(*around)).any(|around| {
        let compares = around.child_by_field_name("operator").is_some_and(|operator| {
            matches!(operator.kind(), "<" | ">" | "<=" | ">=" | "==" | "===" | "!=" | "!==" | "&&" | "||" | "!")
        });
        compares || around.kind() == "ternary_expression"
    })
}
