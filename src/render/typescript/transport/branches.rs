//! Branches of which one way is taken: `if`, `switch`, `?:`, `&&`, `||`, `??`.

use tree_sitter::Node;

use super::fold::{Fold, any};
use crate::model::facts::Span;
use crate::plan::transport::Fact;
use crate::render::Refused;
use crate::render::typescript::script::{bare, children, is_statement, span};

impl<'w> Fold<'w> {
    pub(super) fn fold_if(&mut self, unit: usize, node: Node<'w>) -> Result<(), Refused> {
        let mut at = node;
        loop {
            let condition = at.child_by_field_name("condition");
            let way = self.decided(unit, at);
            let (Some(way), Some(condition)) = (way, condition) else { break };
            if !self.quiet(unit, condition) {
                break;
            }
            let kept = if way {
                at.child_by_field_name("consequence")
            } else {
                at.child_by_field_name("alternative").and_then(|clause| children(clause).first().copied())
            };
            let dropped = [at.child_by_field_name("consequence"), at.child_by_field_name("alternative")];
            for part in
                dropped.into_iter().flatten().filter(|part| kept.is_none_or(|kept| !span(*part).contains(span(kept))))
            {
                self.speaks_to_client(unit, part)?;
                self.note_lost_lines(unit, part);
                self.note_unclosed_branch(unit, part);
            }
            match kept {
                Some(next) if next.kind() == "if_statement" => at = next,
                Some(block) => {
                    self.keep_branch(unit, node, block)?;
                    return self.walk(unit, block);
                }
                None => {
                    self.remove_branch(unit, node);
                    return Ok(());
                }
            }
        }
        if at != node {
            self.edits[unit].cut(Span::new(node.start_byte(), at.start_byte()));
            self.edits[unit].cut(Span::new(at.end_byte(), node.end_byte()));
        }
        if let Some(condition) = at.child_by_field_name("condition") {
            self.drop_settled(unit, bare(condition));
        }
        self.walk_children(unit, at)?;
        // What is left may do nothing.
        let hollow = |fold: &Self, part: Option<Node<'w>>| part.is_none_or(|part| fold.hollow(unit, part));
        if hollow(self, at.child_by_field_name("consequence"))
            && hollow(self, at.child_by_field_name("alternative"))
            && at.child_by_field_name("condition").is_some_and(|condition| self.quiet(unit, condition))
            && self.touched(unit, at)
        {
            self.remove_branch(unit, node);
        }
        Ok(())
    }

    /// `a && !id`: that there is no id is no condition any more.
    fn drop_settled(&mut self, unit: usize, condition: Node<'w>) {
        let both = condition.kind() == "binary_expression"
            && condition.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "&&");
        let sides = (condition.child_by_field_name("left"), condition.child_by_field_name("right"));
        let (true, (Some(left), Some(right))) = (both, sides) else { return };
        match (self.asks_for_none(unit, left), self.asks_for_none(unit, right)) {
            (false, true) => {
                self.edits[unit].cut(Span::new(left.end_byte(), right.end_byte()));
                self.drop_settled(unit, bare(left));
            }
            (true, false) => {
                self.edits[unit].cut(Span::new(left.start_byte(), right.start_byte()));
                self.drop_settled(unit, bare(right));
            }
            (false, false) => {
                self.drop_settled(unit, bare(left));
                self.drop_settled(unit, bare(right));
            }
            (true, true) => {}
        }
    }

    /// `!sessionId`, `!transport.sessionId`.
    fn asks_for_none(&self, unit: usize, node: Node<'w>) -> bool {
        let node = bare(node);
        let negates = node.kind() == "unary_expression"
            && node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "!");
        let asked = node.child_by_field_name("argument").filter(|_| negates).map(bare);
        asked.is_some_and(|asked| {
            self.world.units[unit].fact(asked) == Some(&Fact::Absent) || self.is_absent(unit, asked)
        })
    }

    /// Refuses to drop code that sends a client something through the session that it has open.
    pub(super) fn speaks_to_client(&self, unit: usize, node: Node<'w>) -> Result<(), Refused> {
        const SENDS: &[&str] = &[
            "notification",
            "sendNotification",
            "send",
            "sendLoggingMessage",
            "sendResourceUpdated",
            "sendToolListChanged",
            "createMessage",
            "elicitInput",
            "listRoots",
        ];
        let file = &self.world.units[unit];
        let mut found = None;
        any(node, &mut |inner| {
            let callee = inner.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression");
            let sends = callee.is_some_and(|callee| {
                callee.child_by_field_name("property").is_some_and(|name| SENDS.contains(&file.script.of(name)))
                    && callee.child_by_field_name("object").is_some_and(|object| self.speaks_of_sessions(unit, object))
            });
            if sends {
                found = Some(inner);
            }
            sends
        });
        match found {
            Some(call) => Err(file.script.refuse(
                call,
                "this sends something to a client over the session that it has open",
                "send it with the answer to a request, or leave it out, then run again",
            )),
            None => Ok(()),
        }
    }

    /// `block` in the place of the whole `if`.
    pub(super) fn keep_branch(&mut self, unit: usize, node: Node<'w>, block: Node<'w>) -> Result<(), Refused> {
        let in_else = node.parent().is_some_and(|parent| parent.kind() == "else_clause");
        if in_else || !is_statement(node) {
            self.edits[unit].cut(Span::new(node.start_byte(), block.start_byte()));
            self.edits[unit].cut(Span::new(block.end_byte(), node.end_byte()));
            return Ok(());
        }
        if self.unwrapped.contains_key(&(unit, block.id())) {
            return Ok(());
        }
        self.no_clash(unit, node, block)?;
        self.edits[unit].unwrap(&self.world.units[unit].script, node, block);
        self.unwrapped.insert((unit, block.id()), node);
        Ok(())
    }

    pub(super) fn remove_branch(&mut self, unit: usize, node: Node<'w>) {
        match node.parent() {
            Some(clause) if clause.kind() == "else_clause" => {
                let before = clause.prev_sibling().map_or(clause.start_byte(), |before| before.end_byte());
                self.edits[unit].cut(Span::new(before, clause.end_byte()));
            }
            _ if is_statement(node) => self.remove(unit, node),
            _ => self.edits[unit].replace(span(node), "{}"),
        }
    }

    /// Names that a block declares must not meet those around it.
    pub(super) fn no_clash(&self, unit: usize, node: Node<'w>, block: Node<'w>) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let names =
            |within: Node<'w>| -> Vec<(Node<'w>, &'w str)> {
                children(within)
                    .into_iter()
                    .filter(|statement| {
                        matches!(statement.kind(), "lexical_declaration" | "class_declaration" | "function_declaration")
                    })
                    .flat_map(|statement| {
                        if statement.kind() == "lexical_declaration" { children(statement) } else { vec![statement] }
                    })
                    .filter_map(|declarator| declarator.child_by_field_name("name"))
                    .map(|name| (name, script.of(name)))
                    .collect()
            };
        let Some(outer) = node.parent() else { return Ok(()) };
        let around = names(outer);
        for (name, text) in names(block) {
            if around.iter().any(|(other, known)| *known == text && !self.edits[unit].gone(*other)) {
                return Err(script.refuse(
                    name,
                    format!("`{text}` is declared here and in the code around, which become one block"),
                    "give one of the two another name and run again",
                ));
            }
        }
        Ok(())
    }

    /// Whether nothing of a block is left.
    pub fn hollow(&self, unit: usize, block: Node<'w>) -> bool {
        if self.edits[unit].gone(block) {
            return self.edits[unit].erased(block);
        }
        match block.kind() {
            "statement_block" => {
                let mut cursor = block.walk();
                block.named_children(&mut cursor).all(|child| self.edits[unit].erased(child))
            }
            "else_clause" => children(block).into_iter().all(|child| self.hollow(unit, child)),
            _ => false,
        }
    }

    pub(super) fn touched(&self, unit: usize, node: Node<'w>) -> bool {
        children(node).into_iter().any(|child| self.edits[unit].gone(child) || self.touched(unit, child))
    }

    pub(super) fn fold_switch(&mut self, unit: usize, node: Node<'w>) -> Result<(), Refused> {
        let Some(body) = node.child_by_field_name("body") else { return Ok(()) };
        let value_quiet = node.child_by_field_name("value").is_some_and(|value| self.quiet(unit, value));
        let cases = children(body);
        for case in cases.iter().filter(|case| self.world.is_apart(unit, **case)) {
            self.remove(unit, *case);
        }
        let taken: Vec<Node<'w>> = cases.iter().copied().filter(|case| self.reached(unit, *case)).collect();
        let ([case], true) = (taken.as_slice(), value_quiet && cases.len() > 1) else {
            return self.walk_children(unit, node);
        };
        let test = case.child_by_field_name("value");
        let kept: Vec<Node<'w>> = children(*case)
            .into_iter()
            .filter(|statement| Some(*statement) != test && statement.kind() != "break_statement")
            .collect();
        let script = &self.world.units[unit].script;
        match kept.as_slice() {
            [block] if block.kind() == "statement_block" => {
                self.no_clash(unit, node, *block)?;
                self.edits[unit].unwrap(script, node, *block);
                self.unwrapped.insert((unit, block.id()), node);
                let last = children(*block).into_iter().last().filter(|last| last.kind() == "break_statement");
                if let Some(last) = last {
                    self.remove(unit, last);
                }
                self.walk(unit, *block)
            }
            [first, .., last] => {
                self.unwrap_case(unit, node, *case, *first, *last);
                kept.iter().try_for_each(|statement| self.walk(unit, *statement))
            }
            [only] => {
                self.unwrap_case(unit, node, *case, *only, *only);
                self.walk(unit, *only)
            }
            [] => {
                self.remove(unit, node);
                Ok(())
            }
        }
    }

    pub(super) fn unwrap_case(&mut self, unit: usize, node: Node<'w>, case: Node<'w>, first: Node<'w>, last: Node<'w>) {
        let script = &self.world.units[unit].script;
        self.edits[unit].unwrap_lines(script, node, first, last);
        self.unwrapped.insert((unit, case.id()), node);
    }

    /// `a ? b : c`, `a && b`, `a || b`, `a ?? b` of which one side is all.
    pub(super) fn fold_choice(&mut self, unit: usize, node: Node<'w>) -> Result<(), Refused> {
        let (test, kept) = match (node.kind(), self.decided(unit, node)) {
            ("ternary_expression", Some(true)) => ("condition", "consequence"),
            ("ternary_expression", Some(false)) => ("condition", "alternative"),
            ("binary_expression", Some(true)) => ("left", "right"),
            ("binary_expression", Some(false)) => {
                // The left side is the value; the right side is never evaluated.
                let (Some(left), Some(_)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
                else {
                    return Ok(());
                };
                self.edits[unit].cut(Span::new(left.end_byte(), node.end_byte()));
                return self.walk(unit, left);
            }
            _ => return self.walk_children(unit, node),
        };
        let (Some(test), Some(kept)) = (node.child_by_field_name(test), node.child_by_field_name(kept)) else {
            return Ok(());
        };
        if !self.quiet(unit, test) || (self.speaks_of_sessions(unit, test) && self.stands_in(unit, kept)) {
            return self.walk_children(unit, node);
        }
        // Brackets that only held the two sides apart.
        let held = node.parent().is_some_and(|parent| {
            matches!(parent.kind(), "variable_declarator" | "return_statement" | "assignment_expression" | "arguments")
        });
        let kept = match children(kept).first() {
            Some(inner) if held && kept.kind() == "parenthesized_expression" => *inner,
            _ => kept,
        };
        self.edits[unit].cut(Span::new(node.start_byte(), kept.start_byte()));
        self.edits[unit].cut(Span::new(kept.end_byte(), node.end_byte()));
        self.walk(unit, kept)
    }

    /// Whether a value stands in for a session id: what was a key for one client would be the same for all, or mean nothing.
    pub(super) fn stands_in(&self, unit: usize, kept: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let kept = bare(kept);
        match kept.kind() {
            "string" | "template_string" | "number" => true,
            "call_expression" => {
                !file.calls.contains_key(&span(kept))
                    && file.fact(kept).is_none()
                    && self.table_call(unit, kept).is_none()
            }
            _ => false,
        }
    }
}
