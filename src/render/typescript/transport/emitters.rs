//! Events about sessions: what tells of them goes with what hears of them, where that only logs.

use tree_sitter::Node;

use super::fold::{Fold, any};
use crate::model::facts::Span;
use crate::plan::transport::Fact;
use crate::render::typescript::script::{children, is_function, span};
use crate::render::{Refused, all};

impl<'w> Fold<'w> {
    /// Whether all that hears of an event does nothing but to log it.
    pub(super) fn emits_to_logs(&self, unit: usize, emit: Node<'w>) -> bool {
        let event = |unit: usize, call: Node<'w>| {
            self.argument(call, 0).map(|event| self.world.units[unit].script.of(event).trim_matches(['\'', '"', '`']))
        };
        let own = event(unit, emit);
        let quiet = self.argument(emit, 1).is_none_or(|value| self.quiet(unit, value));
        quiet
            && (0..self.world.units.len()).all(|at| {
                let listens = self.all_places(at, &Fact::Listen).into_iter().filter(|call| event(at, *call) == own);
                listens.into_iter().all(|call| self.only_logs(at, call))
            })
    }

    /// Refuses where something that hears of sessions does more than to log it.
    pub(super) fn heard_by_logs_alone(&self) -> Result<(), Refused> {
        let heard = |unit| self.all_places(unit, &Fact::Listen).into_iter().map(move |at| (unit, at));
        let more = (0..self.world.units.len()).flat_map(heard).filter(|(unit, at)| !self.only_logs(*unit, *at));
        all(more.map(|(unit, listen)| {
            Err(self.world.units[unit].script.refuse(
                listen,
                "what is done here when a session begins or ends is more than to log it, and without sessions none does",
                "move it to where it belongs now: the request, or the tool that makes or ends the state",
            ))
        }))
    }

    /// Whether a listener does nothing but to log.
    pub(super) fn only_logs(&self, unit: usize, listen: Node<'w>) -> bool {
        self.argument(listen, 1).is_some_and(|callback| self.callback_chore(unit, callback, false))
    }

    /// A statement that listens for sessions, and only logs what it hears.
    pub(super) fn hears_of_sessions(&self, unit: usize, node: Node<'w>) -> bool {
        let call = children(node).first().copied().filter(|call| call.kind() == "call_expression");
        call.is_some_and(|call| self.world.units[unit].fact(call) == Some(&Fact::Listen) && self.only_logs(unit, call))
    }

    /// A registry that has nothing to emit any more is no emitter.
    pub(super) fn silent_emitters(&mut self) {
        let left = |fold: &Self, wanted: &Fact| {
            (0..fold.world.units.len()).any(|unit| fold.places(unit, wanted).into_iter().next().is_some())
        };
        if left(self, &Fact::Emit) || left(self, &Fact::Listen) {
            return;
        }
        for unit in 0..self.world.units.len() {
            for base in self.places(unit, &Fact::Emitter) {
                self.without_base(unit, base);
            }
        }
    }

    /// Takes `extends Base` away, and the call of its constructor.
    fn without_base(&mut self, unit: usize, base: Node<'w>) {
        let Some(clause) = base.parent() else { return };
        let heritage = if clause.kind() == "class_heritage" { Some(clause) } else { clause.parent() };
        let Some(class) = heritage.and_then(|heritage| heritage.parent()) else { return };
        let (Some(before), Some(body)) =
            (heritage.and_then(|heritage| heritage.prev_named_sibling()), class.child_by_field_name("body"))
        else {
            return;
        };
        self.edits[unit].cut(Span::new(before.end_byte(), clause.end_byte()));
        let mut calls = Vec::new();
        any(body, &mut |node| {
            let of_base = node.kind() == "call_expression"
                && node.child_by_field_name("function").is_some_and(|function| function.kind() == "super");
            if of_base {
                calls.push(node);
            }
            false
        });
        for statement in calls.into_iter().filter_map(|call| call.parent()) {
            if statement.kind() == "expression_statement" {
                self.remove(unit, statement);
                self.empty_constructor(unit, statement);
            }
        }
    }

    /// A constructor without parameters of which nothing is left.
    fn empty_constructor(&mut self, unit: usize, statement: Node<'w>) {
        let Some(constructor) = statement.parent().and_then(|block| block.parent()).filter(|node| is_function(*node))
        else {
            return;
        };
        let takes = constructor.child_by_field_name("parameters").is_none_or(|list| !children(list).is_empty());
        let block = constructor.child_by_field_name("body");
        let hollow =
            block.is_some_and(|block| children(block).into_iter().all(|node| self.edits[unit].covers(span(node))));
        if hollow && !takes {
            self.remove(unit, constructor);
        }
    }
}
