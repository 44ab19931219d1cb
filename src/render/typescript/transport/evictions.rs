//! A bound on sessions that is kept by closing old ones: requests end by themselves, and there is nothing to make room for.

use tree_sitter::Node;

use super::fold::{Fold, any};
use crate::plan::transport::Fact;
use crate::render::typescript::script::{bare, children, is_function, span};

/// What asks a table, or a list made of it, for one of its sessions.
const PICKS: &[&str] = &[
    "keys", "values", "entries", "next", "get", "at", "find", "sort", "toSorted", "reduce", "shift", "pop", "slice",
    "map", "filter", "from",
];

impl<'w> Fold<'w> {
    /// `while (sessions.size >= MAX) { … }`, `if (sessions.size > MAX) evictOldest()`: where all that is done is to end sessions.
    pub(super) fn is_eviction(&self, unit: usize, node: Node<'w>) -> bool {
        if !matches!(node.kind(), "while_statement" | "if_statement")
            || node.child_by_field_name("alternative").is_some()
        {
            return false;
        }
        let (Some(condition), Some(body)) = (
            node.child_by_field_name("condition"),
            node.child_by_field_name("consequence").or_else(|| node.child_by_field_name("body")),
        ) else {
            return false;
        };
        let counts = self.counts(unit);
        let counted = any(condition, &mut |part| counts.iter().any(|count| span(*count) == span(part)));
        counted && self.quiet(unit, condition) && self.closes_one(unit, body) && self.evicts(unit, body, body)
    }

    /// Whether code ends a session, and not only notes something: a refusal ends none.
    fn closes_one(&self, unit: usize, body: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        any(body, &mut |part| {
            let removes =
                self.table_call(unit, part).is_some_and(|name| matches!(name, "delete" | "clear" | "pop" | "shift"))
                    || (part.kind() == "unary_expression"
                        && part.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "delete"));
            removes
                || file.fact(part) == Some(&Fact::Close)
                || file.calls.get(&span(part)).filter(|_| part.kind() == "call_expression").is_some_and(|target| {
                    self.world.function(*target).is_some_and(|function| {
                        target.1 != span(body)
                            && any(function, &mut |inner| {
                                self.table_call(target.0, inner) == Some("delete")
                                    || self.world.units[target.0].fact(inner) == Some(&Fact::Close)
                            })
                    })
                })
        })
    }

    /// Whether all that code does is to pick sessions of the table and to end them.
    fn evicts(&self, unit: usize, node: Node<'w>, body: Node<'w>) -> bool {
        match node.kind() {
            "statement_block" | "else_clause" => children(node).into_iter().all(|part| self.evicts(unit, part, body)),
            "lexical_declaration" | "variable_declaration" => children(node).into_iter().all(|declarator| {
                declarator
                    .child_by_field_name("value")
                    .is_none_or(|value| self.picks(unit, value) || self.quiet(unit, value))
            }),
            "if_statement" => {
                let condition = node.child_by_field_name("condition");
                condition.is_some_and(|condition| self.quiet(unit, condition))
                    && [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
                        .into_iter()
                        .flatten()
                        .all(|part| self.evicts(unit, part, body))
            }
            "expression_statement" => self.is_chore(unit, node, true) || self.closes_picked(unit, node, body),
            "break_statement" => true,
            _ => false,
        }
    }

    /// `await transport.close()` of something that was picked in the same code, whatever its type.
    fn closes_picked(&self, unit: usize, node: Node<'w>, body: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let Some(call) =
            children(node).first().map(|value| bare(*value)).filter(|call| call.kind() == "call_expression")
        else {
            return false;
        };
        let Some(callee) = call.child_by_field_name("function") else { return false };
        let method = callee.child_by_field_name("property").map_or("", |name| script.of(name));
        let mut of = callee.child_by_field_name("object").map(bare);
        while let Some(inner) = of.filter(|of| of.kind() == "member_expression") {
            of = inner.child_by_field_name("object").map(bare);
        }
        let Some(of) = of.filter(|of| of.kind() == "identifier") else { return false };
        let picked = any(body, &mut |part| {
            part.kind() == "variable_declarator"
                && part.child_by_field_name("value").is_some_and(|value| self.picks(unit, value))
                && part.child_by_field_name("name").is_some_and(|name| {
                    any(name, &mut |inner| inner.kind().contains("identifier") && script.of(inner) == script.of(of))
                })
        });
        matches!(method, "close" | "terminate" | "destroy") && picked
    }

    /// Whether a value is one of the sessions of the table, or its id: found without doing anything.
    fn picks(&self, unit: usize, value: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let node = bare(value);
        if file.fact(node) == Some(&Fact::Table) {
            return true;
        }
        match node.kind() {
            "member_expression" | "subscript_expression" => {
                node.child_by_field_name("object").is_some_and(|object| self.picks(unit, object))
            }
            "array" => children(node).into_iter().all(|part| self.picks(unit, part)),
            "spread_element" => children(node).first().is_some_and(|part| self.picks(unit, *part)),
            "call_expression" => {
                let arguments = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
                let Some(callee) = node.child_by_field_name("function") else { return false };
                let (Some(object), Some(name)) =
                    (callee.child_by_field_name("object"), callee.child_by_field_name("property"))
                else {
                    return false;
                };
                let listed = matches!(file.script.of(object), "Object" | "Array")
                    && arguments.first().is_some_and(|table| self.picks(unit, *table));
                let method = PICKS.contains(&file.script.of(name)) && (listed || self.picks(unit, object));
                let looks = |argument: &Node<'w>| {
                    self.quiet(unit, *argument) || self.picks(unit, *argument) || self.only_looks(unit, *argument)
                };
                method && arguments.iter().all(looks)
            }
            _ => false,
        }
    }

    /// A callback that compares and computes, and calls nothing.
    fn only_looks(&self, unit: usize, callback: Node<'w>) -> bool {
        is_function(callback)
            && !any(callback, &mut |part| {
                matches!(part.kind(), "new_expression" | "assignment_expression" | "update_expression")
                    || (part.kind() == "call_expression" && !self.quiet(unit, part))
            })
    }
}
