//! Operators: what combines values, chooses between them, and what assigns.

use tree_sitter::Node;

use super::Lowerer;
use super::grammar::K;
use super::pattern::Bind;
use crate::model::facts::{AssignKind, Branch, Choice, ExprId, ExprKind, Part, Span, SymbolId, SymbolKind};
use crate::model::name::Name;

/// The operator chain that the value at hand is the end of: `a + b + c` is one list of operands, not a tower of pairs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chain {
    None,
    Plus,
    Coalesce,
    Opaque,
}

impl<'t> Lowerer<'t> {
    pub(super) fn binary(&mut self, node: Node<'t>, left: ExprId, chain: Chain) -> (ExprId, Chain) {
        let f = &self.g.f;
        let span = self.span(node);
        let operator = self.field(node, f.operator).map_or("", |operator| self.slice(operator));
        let right = match self.field(node, f.right) {
            Some(right) => self.expr(right),
            None => self.nothing(Span::new(node.end_byte(), node.end_byte())),
        };
        match operator {
            "??" | "||" => {
                if chain == Chain::Coalesce {
                    self.append(left, right, span);
                    return (left, Chain::Coalesce);
                }
                let either = ExprKind::Either { condition: None, arms: vec![left, right], choice: Choice::Coalesce };
                (self.add(either, span), Chain::Coalesce)
            }
            "&&" => {
                let either = ExprKind::Either { condition: Some(left), arms: vec![right], choice: Choice::And };
                (self.add(either, span), Chain::None)
            }
            "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "instanceof" => {
                let operator = self.name_of(operator);
                let compare = ExprKind::Compare { operator, left, right };
                (self.add(compare, span), Chain::None)
            }
            "in" => {
                let contains = ExprKind::Contains { haystack: right, needle: left };
                (self.add(contains, span), Chain::None)
            }
            "+" => (self.plus(left, right, chain, span), Chain::Plus),
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
        if left_textual || right_textual {
            self.add(ExprKind::Template(parts), span)
        } else {
            self.add(ExprKind::Opaque(parts), span)
        }
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

    pub(super) fn unary(&mut self, node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let span = self.span(node);
        let operator = self.field(node, f.operator).map_or("", |operator| self.slice(operator));
        let value = match self.field(node, f.argument) {
            Some(argument) => self.expr(argument),
            None => self.nothing(span),
        };
        match operator {
            "delete" => self.add(ExprKind::Delete { target: value }, span),
            "void" => value,
            _ => self.add(ExprKind::Opaque(vec![value]), span),
        }
    }

    /// A conditional along its chain of alternatives.
    pub(super) fn ternary(&mut self, mut node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let mut links = Vec::new();
        let last = loop {
            let span = self.span(node);
            let mut part = |field| {
                let part = self.field(node, field);
                match part {
                    Some(part) => (self.expr(part), self.span(part)),
                    None => (self.nothing(span), span),
                }
            };
            let (condition, _) = part(f.condition);
            let (then, then_span) = part(f.consequence);
            let alternative = self.field(node, f.alternative);
            self.module.branches.push(Branch {
                condition,
                then: then_span,
                otherwise: alternative.map(|alternative| self.span(alternative)),
                then_leaves: false,
                otherwise_leaves: false,
                span,
                func: self.at.func,
            });
            links.push((condition, then, span));
            match alternative {
                Some(alternative) if self.k(alternative) == K::Ternary => node = alternative,
                Some(alternative) => break self.expr(alternative),
                None => break self.nothing(span),
            }
        };
        links.into_iter().rev().fold(last, |otherwise, (condition, then, span)| {
            self.add(
                ExprKind::Either { condition: Some(condition), arms: vec![then, otherwise], choice: Choice::Branch },
                span,
            )
        })
    }

    pub(super) fn yielded(&mut self, node: Node<'t>, span: Span) -> ExprId {
        let delegates = self.kids(node).iter().any(|kid| kid.k == K::StarToken);
        let mut value = self.operand(node);
        if delegates && let Some(of) = value {
            let part = Part::Item;
            value = Some(self.add(ExprKind::Element { of, part }, span));
        }
        self.add(ExprKind::Yield(value), span)
    }

    /// `a, b`: the last is the value, the others are evaluated.
    pub(super) fn sequence(&mut self, node: Node<'t>) -> ExprId {
        let mut last = None;
        for kid in self.kids(node) {
            if !kid.k.is_token() {
                last = Some(self.expr(kid.node));
            }
        }
        match last {
            Some(last) => last,
            None => self.nothing(self.span(node)),
        }
    }

    pub(super) fn assignment(&mut self, node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let span = self.span(node);
        let (Some(left), Some(right)) = (self.field(node, f.left), self.field(node, f.right)) else {
            let children = self.contained(node);
            return self.add(ExprKind::Opaque(children), span);
        };
        if self.kids(node).iter().any(|kid| kid.k == K::UsingToken) {
            let bind = Bind::Declare { scope: self.at.scope, kind: SymbolKind::Variable { mutable: false } };
            self.declare_variable(left, None, Some(right), bind, span);
            return self.nothing(span);
        }
        if matches!(self.k(left), K::ObjectPattern | K::ArrayPattern) {
            let value = self.expr(right);
            self.assign_pattern(left, value, Bind::Assign, AssignKind::Set);
            return value;
        }
        let target = self.target(left);
        let value = self.expr(right);
        match *self.module.kind(target) {
            ExprKind::Member { name, .. } | ExprKind::Global(name) => {
                let end = left.end_byte();
                self.christen(value, name, Span::new(end.saturating_sub(name.text().len()), end));
            }
            _ => {}
        }
        self.note_export(target, value);
        let kind = AssignKind::Set;
        self.add(ExprKind::Assign { target, value, kind }, span)
    }

    /// What an assignment writes to; a cast around it says nothing about that.
    pub(super) fn target(&mut self, node: Node<'t>) -> ExprId {
        let mut target = self.expr(node);
        while let ExprKind::Cast { value, .. } = *self.module.kind(target) {
            self.module.exprs[value.index()].parent = None;
            // Just built, hence the last.
            if target.index() + 1 == self.module.exprs.len() {
                self.module.exprs.pop();
            }
            target = value;
        }
        target
    }

    pub(super) fn augmented(&mut self, node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let span = self.span(node);
        let (Some(left), Some(right)) = (self.field(node, f.left), self.field(node, f.right)) else {
            let children = self.contained(node);
            return self.add(ExprKind::Opaque(children), span);
        };
        let (target, value) = (self.target(left), self.expr(right));
        let operator = self.field(node, f.operator);
        let kind = match operator.map_or("", |operator| self.slice(operator)) {
            "??=" | "||=" => AssignKind::IfAbsent,
            "&&=" => AssignKind::Set,
            _ => AssignKind::Update,
        };
        self.add(ExprKind::Assign { target, value, kind }, span)
    }

    pub(super) fn update(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let target = match self.field(node, self.g.f.argument) {
            Some(argument) => self.target(argument),
            None => self.nothing(span),
        };
        let value = self.add(ExprKind::Literal, span);
        let kind = AssignKind::Update;
        self.add(ExprKind::Assign { target, value, kind }, span)
    }

    /// A synthesised use of a symbol.
    pub(super) fn symbol_use(&mut self, symbol: SymbolId, span: Span) -> ExprId {
        self.add(ExprKind::Symbol(symbol), span)
    }

    /// `object.name = value`, the first value of a field.
    pub(super) fn init_member(&mut self, object: ExprId, name: Name, value: ExprId, span: Span) {
        let target = self.add(ExprKind::Member { object, name }, span);
        let kind = AssignKind::Init;
        self.add(ExprKind::Assign { target, value, kind }, span);
    }
}
