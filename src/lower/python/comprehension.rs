//! Comprehensions and generator expressions: names of their own, the code of the function around them.

use super::grammar::{F, K};
use super::target::Bind;
use super::tree::Node;
use super::{Lowerer, Place};
use crate::model::facts::{AssignKind, Branch, ExprId, ExprKind, Field, Part, SymbolKind};

impl<'t> Lowerer<'t> {
    /// `[body for … in … if …]` and its like.
    pub(super) fn comprehension(&mut self, node: Node<'t>) -> ExprId {
        let visible = self.at.visible;
        let scope = self.scopes.open(self.at.scope);
        let place = Place { scope, visible: if self.at.body_of.is_some() { visible } else { scope }, ..self.at };
        self.within(place, |it| it.comprehended(node))
    }

    fn comprehended(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let parts = self.parts(node);
        let body = parts.clone().find(|part| part.field == F::Body).map(|part| part.node);
        for part in parts {
            match part.k {
                K::ForInClause => self.for_in_clause(part.node),
                K::IfClause => {
                    let condition = self.inner(part.node);
                    let condition = self.expr_or_nothing(condition, self.span(part.node));
                    let then = body.map_or(span, |body| self.span(body));
                    self.module.branches.push(Branch {
                        condition,
                        then,
                        otherwise: None,
                        then_leaves: false,
                        otherwise_leaves: false,
                        span,
                        func: self.at.func,
                    });
                }
                _ => {}
            }
        }
        let Some(body) = body else {
            return self.nothing(span);
        };
        if self.k(body) == K::Pair {
            let (key, value) = (self.field(body, F::Key), self.field(body, F::Value));
            let (Some(key), Some(value)) = (key, value) else {
                return self.nothing(span);
            };
            let (key, value) = self.pair(key, value);
            let field = Field { key, value, span: self.span(body) };
            return self.add(ExprKind::Object(vec![field]), span);
        }
        let item = self.expr(body);
        self.add(ExprKind::Sequence(vec![item]), span)
    }

    fn for_in_clause(&mut self, node: Node<'t>) {
        let span = self.span(node);
        let kids = self.kids(node);
        let left = kids.clone().find(|kid| kid.field == F::Left).map(|kid| kid.node);
        let mut sources: Vec<ExprId> =
            kids.filter(|kid| kid.field == F::Right && !kid.k.is_token()).map(|kid| self.expr(kid.node)).collect();
        let of = match sources.len() {
            1 => sources.remove(0),
            0 => self.nothing(span),
            _ => self.add(ExprKind::Sequence(sources), span),
        };
        let Some(left) = left else { return };
        let value = self.add(ExprKind::Element { of, part: Part::Iterated }, self.span(left));
        let bind = Bind { kind: SymbolKind::Variable { mutable: true }, scope: self.at.scope };
        self.assign_target(left, value, bind, AssignKind::Init);
    }
}
