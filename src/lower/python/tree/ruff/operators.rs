//! Operators, in the pairs that tree-sitter makes of them.

use ruff_python_ast::{BoolOp, CmpOp, Expr, ExprBinOp, ExprBoolOp, ExprCompare, Operator};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    /// `a and b and c`, which tree-sitter reads in pairs from the left.
    pub(super) fn boolean(&mut self, it: &ExprBoolOp, field: F) -> Built {
        let start = it.start().to_u32();
        let operator = if it.op == BoolOp::And { "and" } else { "or" };
        let Some((first, rest)) = it.values.split_first() else { return Err(Bail) };
        let outermost = self.tree.records.len();
        for link in 0..rest.len() {
            self.tree.open(K::Boolean, if link == 0 { field } else { F::Left }, start);
        }
        let mut at = self.expr(first, F::Left, start)?;
        for (link, value) in rest.iter().enumerate() {
            let operator_end = self.operator(operator, F::Operator, at)?;
            at = self.expr(value, F::Right, operator_end)?;
            self.tree.close(outermost + rest.len() - 1 - link, at);
        }
        Ok(at)
    }

    /// An operator that must come next.
    fn operator(&mut self, operator: &str, field: F, from: u32) -> Built {
        let end = self.token(from, operator)?;
        if field == F::Operators {
            self.uncontinued(from, end)?;
        }
        self.tree.leaf(K::OtherToken, field, end - operator.len() as u32, end);
        Ok(end)
    }

    /// A chain of binary operators along its left edge: it may be long.
    pub(super) fn binary(&mut self, it: &ExprBinOp, field: F) -> Built {
        let start = it.start().to_u32();
        let mut chain = vec![it];
        let mut innermost = it;
        while let Expr::BinOp(left) = &*innermost.left {
            if self.outer_start(left, start) != left.start().to_u32() {
                break;
            }
            chain.push(left);
            innermost = left;
        }
        let outermost = self.tree.records.len();
        for link in 0..chain.len() {
            self.tree.open(K::Binary, if link == 0 { field } else { F::Left }, start);
        }
        let mut at = self.expr(&innermost.left, F::Left, start)?;
        for (link, it) in chain.iter().enumerate().rev() {
            // Tree-sitter reads `await a ** b` as `await (a ** b)`.
            if it.op == Operator::Pow && it.left.is_await_expr() {
                return Err(Bail);
            }
            // Tree-sitter has `^` bind tighter than `&`.
            let and = |side: &Expr| matches!(side, Expr::BinOp(it) if it.op == Operator::BitAnd);
            if it.op == Operator::BitXor && (and(&it.left) || and(&it.right)) {
                return Err(Bail);
            }
            let operator_end = self.operator(it.op.as_str(), F::Operator, at)?;
            at = self.expr(&it.right, F::Right, operator_end)?;
            self.tree.close(outermost + link, at);
        }
        Ok(at)
    }

    pub(super) fn comparison(&mut self, it: &ExprCompare, field: F) -> Built {
        let start = it.start().to_u32();
        let node = self.tree.open(K::Comparison, field, start);
        let mut at = self.expr(&it.left, F::None, start)?;
        for (operator, right) in it.ops.iter().zip(&it.comparators) {
            at = match operator {
                CmpOp::IsNot => self.two_words("is", "not", at)?,
                CmpOp::NotIn => self.two_words("not", "in", at)?,
                one => self.operator(one.as_str(), F::Operators, at)?,
            };
            at = self.expr(right, F::None, at)?;
        }
        self.tree.close(node, at);
        Ok(at)
    }

    fn two_words(&mut self, first: &str, second: &str, from: u32) -> Built {
        let start = self.skip(from);
        let end = self.token(self.token(start, first)?, second)?;
        self.uncontinued(from, end)?;
        self.tree.leaf(K::OtherToken, F::Operators, start, end);
        Ok(end)
    }
}
