//! What is assigned to.

use ruff_python_ast::Expr;
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    /// A target; one in parentheses is a pattern of one.
    pub(super) fn target(&mut self, target: &Expr, field: F, from: u32) -> Built {
        self.wrapped(target, K::TuplePattern, field, from, Self::bare_target)
    }

    fn bare_target(&mut self, target: &Expr, field: F) -> Built {
        let (start, end) = (target.start().to_u32(), target.end().to_u32());
        let (kind, elements, from) = match target {
            Expr::Tuple(it) if it.parenthesized => (K::TuplePattern, &it.elts, start + 1),
            Expr::Tuple(it) => (K::PatternList, &it.elts, start),
            Expr::List(it) => (K::ListPattern, &it.elts, start + 1),
            Expr::Starred(it) => {
                let operand = &*it.value;
                let plain = matches!(operand, Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_));
                if !plain || self.outer_start(operand, start + 1) != operand.start().to_u32() {
                    return Err(Bail);
                }
                let node = self.tree.open(K::ListSplatPattern, field, start);
                let end = self.expr(operand, F::None, start + 1)?;
                self.tree.close(node, end);
                return Ok(end);
            }
            Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => return self.expr(target, field, start),
            _ => return Err(Bail),
        };
        let node = self.tree.open(kind, field, start);
        let mut at = from;
        for element in elements {
            at = self.target(element, F::None, at)?;
        }
        self.uncontinued(at, end)?;
        self.tree.close(node, end);
        Ok(end)
    }
}
