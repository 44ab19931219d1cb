//! Counters that sessions raised: `metrics.opened++`.

use tree_sitter::Node;

use super::fold::{Fold, any};
use crate::render::typescript::script::{bare, is_statement};

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
                _ => std::iter::successors(parent, Node::parent).take_while(|around| !is_statement(*around)).any(
                    |around| {
                        let compares = around.child_by_field_name("operator").is_some_and(|operator| {
                            matches!(
                                operator.kind(),
                                "<" | ">" | "<=" | ">=" | "==" | "===" | "!=" | "!==" | "&&" | "||" | "!"
                            )
                        });
                        compares || around.kind() == "ternary_expression"
                    },
                ),
            }
        })
    }

    /// Tells the reader of counters that stand still from now on.
    pub(super) fn note_counters(&mut self, unit: usize, node: Node<'w>) {
        if any(node, &mut |inner| self.stands_still(unit, inner)) {
            self.raise("Counters of sessions that were opened, closed or expired keep their names, and nothing raises them any more.");
        }
    }
}
