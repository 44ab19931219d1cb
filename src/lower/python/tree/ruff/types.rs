//! Annotations, for which tree-sitter has rules of their own: `a[b]` at the start of one is a generic type, and what follows such
//! a type in a union are types too; anywhere else it is an expression.

use ruff_python_ast::{Expr, ExprSubscript, Operator};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    /// An annotation.
    pub(super) fn ty(&mut self, ty: &Expr, field: F, from: u32) -> Built {
        self.enter()?;
        let start = self.outer_start(ty, from);
        if field == F::None {
            self.uncontinued(from, start)?;
        }
        let node = self.tree.open(K::Type, field, start);
        let end = if start == ty.start().to_u32() { self.bare_type(ty, start)? } else { self.expr(ty, F::None, from)? };
        self.tree.close(node, end);
        self.leave();
        Ok(end)
    }

    fn bare_type(&mut self, ty: &Expr, start: u32) -> Built {
        match ty {
            Expr::Starred(it) if it.value.is_name_expr() => {
                let end = ty.end().to_u32();
                self.tree.leaf(K::OtherNamed, F::None, start, end);
                Ok(end)
            }
            Expr::Subscript(it) if it.value.is_name_expr() => self.generic(it, start),
            Expr::BinOp(_) if leads_with_generic(ty) => self.union(ty, start),
            _ if leads_with_generic(ty) => Err(Bail),
            _ => self.expr(ty, F::None, start),
        }
    }

    /// `name[types]`
    fn generic(&mut self, it: &ExprSubscript, start: u32) -> Built {
        let name = it.value.end().to_u32();
        if it.value.start().to_u32() != start {
            return self.expr(&Expr::Subscript(it.clone()), F::None, start);
        }
        let end = it.end().to_u32();
        let node = self.tree.open(K::GenericType, F::None, start);
        self.tree.leaf(K::Identifier, F::None, start, name);
        let mut at = self.token(name, "[")?;
        let list = self.tree.open(K::TypeParameter, F::None, at - 1);
        match &*it.slice {
            Expr::Tuple(tuple) if !tuple.parenthesized => {
                for element in &tuple.elts {
                    at = self.ty(element, F::None, at)?;
                }
            }
            only => at = self.ty(only, F::None, at)?,
        }
        self.uncontinued(at, end)?;
        self.tree.close(list, end);
        self.tree.close(node, end);
        Ok(end)
    }

    /// `a[b] | c[d] | e | f`: pairs from the left, as long as generic types follow; the rest is one expression.
    fn union(&mut self, ty: &Expr, start: u32) -> Built {
        let mut arms = Vec::new();
        let mut left = ty;
        while let Expr::BinOp(it) = left {
            if it.op != Operator::BitOr {
                return Err(Bail);
            }
            arms.push(&*it.right);
            left = &it.left;
        }
        let Expr::Subscript(first) = left else { return Err(Bail) };
        if !first.value.is_name_expr() || first.start().to_u32() != start {
            return Err(Bail);
        }
        arms.reverse();
        // Where the arms start tells whether they stand in parentheses.
        let mut generic = Vec::new();
        let mut before = first.end().to_u32();
        for arm in &arms {
            let bare = self.outer_start(*arm, before) == arm.start().to_u32();
            match arm {
                Expr::Subscript(it) if bare && it.value.is_name_expr() && it.value.start() == it.start() => {
                    generic.push(it)
                }
                arm if bare && leads_with_generic(arm) => return Err(Bail),
                _ => break,
            }
            before = arm.end().to_u32();
        }
        let rest = &arms[generic.len()..];
        let unions = generic.len() + usize::from(!rest.is_empty());
        let mut open = Vec::with_capacity(unions);
        for link in 0..unions {
            // The type around the outermost union is there already.
            let around = (link > 0).then(|| self.tree.open(K::Type, F::None, start));
            open.push((around, self.tree.open(K::UnionType, F::None, start)));
        }
        let around = self.tree.open(K::Type, F::None, start);
        let mut at = self.generic(first, start)?;
        self.tree.close(around, at);
        for arm in generic {
            let from = self.token(at, "|")?;
            let start = self.skip(from);
            self.uncontinued(at, start)?;
            let node = self.tree.open(K::Type, F::None, start);
            at = self.generic(arm, start)?;
            self.tree.close(node, at);
            self.close_union(&mut open, at);
        }
        if !rest.is_empty() {
            at = self.rest(rest, at)?;
            self.close_union(&mut open, at);
        }
        Ok(at)
    }

    fn close_union(&mut self, open: &mut Vec<(Option<usize>, usize)>, end: u32) {
        if let Some((around, union)) = open.pop() {
            self.tree.close(union, end);
            if let Some(around) = around {
                self.tree.close(around, end);
            }
        }
    }

    /// The arms of a union that are one expression.
    fn rest(&mut self, arms: &[&Expr], from: u32) -> Built {
        let Some((first, others)) = arms.split_first() else { return Err(Bail) };
        let arm = self.token(from, "|")?;
        self.uncontinued(from, arm)?;
        let from = arm;
        let start = self.outer_start(*first, from);
        let node = self.tree.open(K::Type, F::None, start);
        let outermost = self.tree.records.len();
        for link in 0..others.len() {
            self.tree.open(K::Binary, if link == 0 { F::None } else { F::Left }, start);
        }
        let mut at = self.expr(first, if others.is_empty() { F::None } else { F::Left }, from)?;
        for (link, arm) in others.iter().enumerate() {
            let operator = self.token(at, "|")?;
            self.tree.leaf(K::OtherToken, F::Operator, operator - 1, operator);
            at = self.expr(arm, F::Right, operator)?;
            self.tree.close(outermost + others.len() - 1 - link, at);
        }
        self.tree.close(node, at);
        Ok(at)
    }
}

/// Whether the first thing in an expression is `name[…]`.
fn leads_with_generic(expr: &Expr) -> bool {
    let mut at = expr;
    loop {
        let left = match at {
            Expr::Subscript(it) if it.value.is_name_expr() => return it.value.start() == at.start(),
            Expr::Subscript(it) => &*it.value,
            Expr::Attribute(it) => &*it.value,
            Expr::Call(it) => &*it.func,
            Expr::BinOp(it) => &*it.left,
            Expr::Compare(it) => &*it.left,
            Expr::If(it) => &*it.body,
            Expr::BoolOp(it) => match it.values.first() {
                Some(first) => first,
                None => return false,
            },
            _ => return false,
        };
        // In parentheses, it starts behind them.
        if left.start() != at.start() {
            return false;
        }
        at = left;
    }
}
