//! Operators, comparisons and conditional expressions.

use super::expr::Chain;
use super::grammar::{F, K};
use super::tree::Node;
use super::{Kid, Lowerer};
use crate::model::facts::{AssignKind, Branch, Choice, ExprId, ExprKind, Span, SymbolKind};
use crate::model::name::Name;

impl<'t> Lowerer<'t> {
    pub(super) fn boolean(&mut self, node: Node<'t>, left: ExprId, chain: Chain) -> (ExprId, Chain) {
        let span = self.span(node);
        let operator = self.field(node, F::Operator).map_or("", |operator| self.slice(operator));
        let right = self.field(node, F::Right);
        let right = self.expr_or_nothing(right, Span::new(node.end_byte(), node.end_byte()));
        if operator == "and" {
            let either = ExprKind::Either { condition: Some(left), arms: vec![right], choice: Choice::And };
            return (self.add(either, span), Chain::None);
        }
        if chain == Chain::Coalesce {
            self.append(left, right, span);
            return (left, Chain::Coalesce);
        }
        (self.either(left, right, Choice::Coalesce, span), Chain::Coalesce)
    }

    pub(super) fn binary(&mut self, node: Node<'t>, left: ExprId, chain: Chain) -> (ExprId, Chain) {
        let span = self.span(node);
        let operator = self.field(node, F::Operator).map_or("", |operator| self.slice(operator));
        let right_node = self.field(node, F::Right);
        let right = self.expr_or_nothing(right_node, Span::new(node.end_byte(), node.end_byte()));
        match operator {
            "+" => (self.plus(left, right, chain, span), Chain::Plus),
            "%" if matches!(self.module.kind(left), ExprKind::Text(_)) => {
                let values = match self.module.kind(right) {
                    ExprKind::Sequence(items) => items.clone(),
                    _ => vec![right],
                };
                (self.filled(left, '%', values, span), Chain::None)
            }
            // Paths are put together with it.
            "/" if chain != Chain::Opaque => (self.add(ExprKind::Template(vec![left, right]), span), Chain::None),
            // Sets and dictionaries are put together with these.
            "|" | "&" => (self.either(left, right, Choice::Branch, span), Chain::None),
            _ => {
                if chain == Chain::Opaque {
                    self.append(left, right, span);
                    return (left, chain);
                }
                (self.add(ExprKind::Opaque(vec![left, right]), span), Chain::Opaque)
            }
        }
    }

    fn plus(&mut self, left: ExprId, right: ExprId, chain: Chain, span: Span) -> ExprId {
        let textual = |it: &Self, id: ExprId| matches!(it.module.kind(id), ExprKind::Text(_) | ExprKind::Template(_));
        let (left_textual, right_textual) = (textual(self, left), textual(self, right));
        // A sum becomes a text with its first textual operand and stays one.
        if chain == Chain::Plus && (left_textual || !right_textual) {
            self.append(left, right, span);
            return left;
        }
        let parts = vec![left, right];
        let kind = if left_textual || right_textual { ExprKind::Template(parts) } else { ExprKind::Opaque(parts) };
        self.add(kind, span)
    }

    /// Adds an operand to the chain that `list` is.
    fn append(&mut self, list: ExprId, operand: ExprId, span: Span) {
        let expr = &mut self.module.exprs[list.index()];
        expr.span = span;
        if let ExprKind::Template(parts) | ExprKind::Opaque(parts) | ExprKind::Either { arms: parts, .. } =
            &mut expr.kind
        {
            parts.push(operand);
            self.adopt(list, operand);
        }
    }

    /// `a < b`, `a in b`, `a < b < c`.
    pub(super) fn comparison(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let kids = self.kids(node);
        let operators: Vec<&'t str> =
            kids.clone().filter(|kid| kid.field == F::Operators).map(|kid| self.slice(kid.node)).collect();
        let operands: Vec<ExprId> =
            kids.filter(|kid| kid.field != F::Operators && !kid.k.is_token()).map(|kid| self.expr(kid.node)).collect();
        let mut pairs = Vec::new();
        for (at, operator) in operators.iter().enumerate() {
            let (Some(&left), Some(&right)) = (operands.get(at), operands.get(at + 1)) else { break };
            pairs.push(self.compared(operator, left, right, span));
        }
        match pairs[..] {
            [only] => only,
            [] => self.add(ExprKind::Opaque(operands), span),
            _ => self.add(ExprKind::Opaque(pairs), span),
        }
    }

    pub(super) fn compared(&mut self, operator: &'t str, left: ExprId, right: ExprId, span: Span) -> ExprId {
        // `is not` and `not in` may be written with any space between.
        let negated = operator.starts_with("not") || operator.ends_with("not");
        if operator == "in" || operator.starts_with("not") {
            let contains = self.add(ExprKind::Contains { haystack: right, needle: left }, span);
            if !negated {
                return contains;
            }
            return self.add(ExprKind::Opaque(vec![contains]), span);
        }
        let operator = if negated { Name::new("is not") } else { self.name_of(operator) };
        self.add(ExprKind::Compare { operator, left, right }, span)
    }

    /// `a if c else b`, along its chain of alternatives.
    pub(super) fn conditional(&mut self, mut node: Node<'t>) -> ExprId {
        let mut links = Vec::new();
        let last = loop {
            let span = self.span(node);
            let parts: Vec<Kid<'t>> = self.parts(node).collect();
            let [then, condition, alternative] = parts[..] else {
                let children = parts.iter().map(|part| self.expr(part.node)).collect();
                break self.add(ExprKind::Opaque(children), span);
            };
            let condition = self.expr(condition.node);
            let then_span = self.span(then.node);
            let then = self.expr(then.node);
            self.module.branches.push(Branch {
                condition,
                then: then_span,
                otherwise: Some(self.span(alternative.node)),
                then_leaves: false,
                otherwise_leaves: false,
                span,
                func: self.at.func,
            });
            links.push((condition, then, span));
            if alternative.k == K::Conditional {
                node = alternative.node;
            } else {
                break self.expr(alternative.node);
            }
        };
        links.into_iter().rev().fold(last, |otherwise, (condition, then, span)| {
            let arms = vec![then, otherwise];
            self.add(ExprKind::Either { condition: Some(condition), arms, choice: Choice::Branch }, span)
        })
    }

    /// `name := value`.
    pub(super) fn walrus(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let (name, value) = (self.field(node, F::Name), self.field(node, F::Value));
        let value = self.expr_or_nothing(value, span);
        let bind = super::target::Bind { kind: SymbolKind::Variable { mutable: true }, scope: self.at.function_scope };
        let assigned = name.and_then(|name| self.assign_leaf(name, None, Some(value), bind, AssignKind::Init, span));
        assigned.unwrap_or(value)
    }
}
