//! What held timers that are gone: fields and variables, with the statements that stop them or let the process end.

use tree_sitter::Node;

use super::fold::Fold;
use super::world::Name;
use crate::render::typescript::classes;
use crate::render::typescript::script::{bare, children, statement};

impl<'w> Fold<'w> {
    /// `setTimeout(() => session.transport.close(), idle)`: a timer that ends a session.
    pub(super) fn sets_timer(&self, unit: usize, call: Node<'w>) -> bool {
        let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression");
        let name = callee.map_or("", |callee| self.world.units[unit].script.of(callee));
        matches!(name, "setTimeout" | "setInterval")
            && self.argument(call, 0).is_some_and(|callback| self.callback_chore(unit, callback, true))
    }

    /// `session.idleTimer.unref()` of a timer that is kept with a session.
    pub(super) fn frees_timer(&self, unit: usize, call: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let Some(callee) = call.child_by_field_name("function") else { return false };
        let (Some(held), Some(name)) = (callee.child_by_field_name("object"), callee.child_by_field_name("property"))
        else {
            return false;
        };
        let of_record = bare(held).child_by_field_name("object").is_some_and(|record| record.kind() == "identifier");
        matches!(script.of(name), "unref" | "refresh") && of_record && self.argument(call, 0).is_none()
    }

    /// Fields of timers that are gone, with the statements that stop them or let the process end.
    pub(super) fn unused_timers(&mut self) {
        for (unit, class, name) in self.timer_fields.clone() {
            let script = &self.world.units[unit].script;
            let mut uses = classes::uses(script, class, name);
            uses.retain(|used| !self.edits[unit].gone(*used));
            for used in uses.iter().copied() {
                let at = statement(used);
                let stops = ["clearInterval(", "clearTimeout("].iter().any(|call| script.of(at).starts_with(call));
                let frees = script.of(at).contains(".unref") && at.kind() == "expression_statement";
                let empties = children(at).first().is_some_and(|inner| {
                    inner.child_by_field_name("left") == Some(used)
                        && inner
                            .child_by_field_name("right")
                            .is_some_and(|right| matches!(right.kind(), "undefined" | "null"))
                });
                if at.kind() == "expression_statement" && (stops || frees || empties) {
                    self.remove(unit, at);
                }
            }
            for used in uses.iter().copied() {
                self.ask_no_more(unit, used);
            }
            if uses.iter().all(|used| self.edits[unit].gone(*used)) {
                let field = classes::field(script, class, name);
                if let Some(field) = field.filter(|field| !self.edits[unit].gone(*field)) {
                    self.remove(unit, field);
                }
            }
        }
    }

    /// `if (timer) { … }` of which nothing is left.
    fn ask_no_more(&mut self, unit: usize, used: Node<'w>) {
        let asks = used.parent().filter(|test| test.kind() == "parenthesized_expression" && bare(*test) == used);
        let asks = asks.and_then(|test| test.parent()).filter(|at| at.kind() == "if_statement");
        let Some(at) = asks.filter(|at| at.child_by_field_name("alternative").is_none()) else { return };
        if !self.edits[unit].gone(at)
            && at.child_by_field_name("consequence").is_some_and(|then| self.hollow(unit, then))
        {
            self.remove(unit, at);
        }
    }

    /// Variables of timers that are gone, with what stops them where there is one: `if (timer) { clearInterval(timer); timer = null; }`.
    pub(super) fn unused_timer_variables(&mut self) {
        let mut timers: Vec<Name> = self.timers.iter().copied().collect();
        timers.sort_unstable();
        for (unit, symbol) in timers {
            let script = &self.world.units[unit].script;
            let uses = self.uses(unit, (unit, symbol));
            let live = |fold: &Self| -> Vec<Node<'w>> {
                uses.iter().copied().filter(|used| !fold.edits[unit].gone(*used)).collect()
            };
            for used in live(self) {
                let at = statement(used);
                let stops = ["clearInterval(", "clearTimeout("].iter().any(|call| script.of(at).starts_with(call));
                let frees = script.of(at).contains(".unref");
                let empties = children(at).first().is_some_and(|inner| {
                    let nothing = inner.child_by_field_name("right").map(|right| right.kind());
                    inner.child_by_field_name("left") == Some(used) && matches!(nothing, Some("undefined" | "null"))
                });
                if at.kind() == "expression_statement" && (stops || frees || empties) {
                    self.remove(unit, at);
                }
            }
            for used in live(self) {
                self.ask_no_more(unit, used);
            }
            if let [only] = live(self).as_slice()
                && let Some(declaration) = only
                    .parent()
                    .filter(|declarator| declarator.child_by_field_name("name") == Some(*only))
                    .and_then(|declarator| declarator.parent())
                    .filter(|declaration| children(*declaration).len() == 1)
            {
                self.remove(unit, declaration);
            }
        }
    }
}
