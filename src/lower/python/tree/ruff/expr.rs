//! Expressions.

use ruff_python_ast::{Arguments, Comprehension, Expr, Number, UnaryOp};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

/// The parentheses that a node may stand in, beyond which it is not for this road.
const PARENTHESES: usize = 8;

impl Builder<'_> {
    /// An expression with its parentheses, the first of which stands behind `from`.
    pub(super) fn expr(&mut self, expr: &Expr, field: F, from: u32) -> Built {
        self.wrapped(expr, K::Parenthesized, field, from, Self::bare)
    }

    /// A node within nodes of the given kind, one for each pair of parentheses.
    pub(super) fn wrapped<N: Ranged>(
        &mut self,
        node: &N,
        wrapper: K,
        field: F,
        from: u32,
        build: impl FnOnce(&mut Self, &N, F) -> Built,
    ) -> Built {
        self.enter()?;
        let start = node.start().to_u32();
        if field == F::None {
            self.uncontinued(from, start)?;
        }
        let mut open = [0usize; PARENTHESES];
        let mut count = 0;
        let mut at = from;
        while at < start {
            let Some(found) = self.find(at, start, b'(') else { break };
            *open.get_mut(count).ok_or(Bail)? =
                self.tree.open(wrapper, if count == 0 { field } else { F::None }, found);
            count += 1;
            at = found + 1;
        }
        if count > 0 {
            self.uncontinued(from, start)?;
        }
        let mut end = build(self, node, if count == 0 { field } else { F::None })?;
        for &at in open[..count].iter().rev() {
            end = self.token(end, ")")?;
            self.tree.close(at, end);
        }
        self.leave();
        Ok(end)
    }

    /// An expression as ruff has it, without parentheses around it.
    fn bare(&mut self, expr: &Expr, field: F) -> Built {
        let (start, end) = (expr.start().to_u32(), expr.end().to_u32());
        let leaf = match expr {
            Expr::Name(_) => K::Identifier,
            Expr::NoneLiteral(_) => K::None,
            Expr::BooleanLiteral(literal) => {
                if literal.value {
                    K::True
                } else {
                    K::False
                }
            }
            Expr::EllipsisLiteral(_) => K::Ellipsis,
            Expr::NumberLiteral(literal) => match literal.value {
                Number::Float(_) => K::Float,
                _ => K::Integer,
            },
            _ => return self.branching(expr, field, start, end),
        };
        self.tree.leaf(leaf, field, start, end);
        Ok(end)
    }

    fn branching(&mut self, expr: &Expr, field: F, start: u32, end: u32) -> Built {
        match expr {
            Expr::StringLiteral(it) => {
                return self.strings(it.value.iter().map(|part| part.range()), field, start, end);
            }
            Expr::BytesLiteral(it) => return self.strings(it.value.iter().map(|part| part.range()), field, start, end),
            Expr::FString(it) => return self.f_strings(it, field),
            Expr::BoolOp(it) => return self.boolean(it, field),
            Expr::Compare(it) => return self.comparison(it, field),
            Expr::BinOp(it) => return self.binary(it, field),
            Expr::Named(it)
                if it.value.is_if_expr()
                    && self.outer_start(&*it.value, it.target.end().to_u32()) == it.value.start().to_u32() =>
            {
                // Tree-sitter reads `x := a if b else c` as `(x := a) if b else c`.
                return Err(Bail);
            }
            _ => {}
        }
        let node = self.tree.open(K::OtherNamed, field, start);
        let kind = match expr {
            Expr::Attribute(it) => {
                self.expr(&it.value, F::Object, start)?;
                let name = &it.attr;
                self.tree.leaf(K::Identifier, F::Attribute, name.start().to_u32(), name.end().to_u32());
                K::Attribute
            }
            Expr::Subscript(it) => {
                let at = self.expr(&it.value, F::Value, start)?;
                self.subscripts(&it.slice, at)?;
                K::Subscript
            }
            Expr::Call(it) => {
                self.expr(&it.func, F::Function, start)?;
                if matches!(&*it.func, Expr::Name(name) if matches!(name.id.as_str(), "print" | "exec")) {
                    self.old_arguments(&it.arguments)?;
                }
                self.arguments(&it.arguments, F::Arguments)?;
                K::Call
            }
            Expr::Await(it) => {
                self.expr(&it.value, F::None, start + 5)?;
                K::Await
            }
            Expr::UnaryOp(it) => {
                let not = it.op == UnaryOp::Not;
                self.expr(&it.operand, F::Argument, start + if not { 3 } else { 1 })?;
                if not { K::Not } else { K::Unary }
            }
            Expr::Lambda(it) => {
                let at = match &it.parameters {
                    Some(parameters) => self.parameters(parameters, K::LambdaParameters)?,
                    None => start + 6,
                };
                self.expr(&it.body, F::Body, at)?;
                K::Lambda
            }
            Expr::If(it) => {
                let at = self.expr(&it.body, F::None, start)?;
                let at = self.expr(&it.test, F::None, at)?;
                self.expr(&it.orelse, F::None, at)?;
                K::Conditional
            }
            Expr::Named(it) => {
                let at = self.expr(&it.target, F::Name, start)?;
                self.expr(&it.value, F::Value, at)?;
                K::NamedExpression
            }
            Expr::Dict(it) => {
                let mut at = start + 1;
                for item in &it.items {
                    at = match &item.key {
                        Some(key) => self.pair(key, &item.value, F::None, at)?,
                        None => self.splat(K::DictionarySplat, &item.value, at)?,
                    };
                }
                self.uncontinued(at, end)?;
                K::Dictionary
            }
            Expr::Set(it) => self.elements(&it.elts, K::Set, start + 1, end)?,
            Expr::List(it) => self.elements(&it.elts, K::List, start + 1, end)?,
            Expr::Tuple(it) if it.parenthesized => self.elements(&it.elts, K::Tuple, start + 1, end)?,
            Expr::Tuple(it) => {
                let mut at = start;
                for element in &it.elts {
                    at = self.starred_or(element, F::None, at)?;
                }
                K::ExpressionList
            }
            Expr::ListComp(it) => {
                let at = self.expr(&it.elt, F::Body, start + 1)?;
                self.clauses(&it.generators, at)?;
                K::ListComprehension
            }
            Expr::SetComp(it) => {
                let at = self.expr(&it.elt, F::Body, start + 1)?;
                self.clauses(&it.generators, at)?;
                K::SetComprehension
            }
            Expr::DictComp(it) => {
                let at = self.pair(it.key.as_deref().ok_or(Bail)?, &it.value, F::Body, start + 1)?;
                self.clauses(&it.generators, at)?;
                K::DictionaryComprehension
            }
            Expr::Generator(it) if it.parenthesized => {
                let at = self.expr(&it.elt, F::Body, start + 1)?;
                self.clauses(&it.generators, at)?;
                K::GeneratorExpression
            }
            Expr::Yield(it) => {
                // Ruff lets a comma pass here.
                if self.byte(self.skip(start + 5)) == b',' {
                    return Err(Bail);
                }
                if let Some(value) = &it.value {
                    self.expr(value, F::None, start + 5)?;
                }
                K::Yield
            }
            Expr::YieldFrom(it) => {
                let at = self.token(start + 5, "from")?;
                self.tree.leaf(K::FromToken, F::None, at - 4, at);
                self.expr(&it.value, F::None, at)?;
                K::Yield
            }
            _ => return Err(Bail),
        };
        self.tree.records[node].kind = kind;
        self.tree.close(node, end);
        Ok(end)
    }

    /// The elements of a display, starred or not.
    fn elements(&mut self, elements: &[Expr], kind: K, from: u32, end: u32) -> Result<K, Bail> {
        let mut at = from;
        for element in elements {
            if matches!(element, Expr::Starred(it) if it.value.is_bin_op_expr() || it.value.is_compare_expr()) {
                return Err(Bail);
            }
            at = self.element(element, F::None, at)?;
        }
        self.uncontinued(at, end)?;
        Ok(kind)
    }

    /// An expression, or one with a star where tree-sitter has no rule for such: it takes the star for a part of the first name.
    pub(super) fn starred_or(&mut self, element: &Expr, field: F, from: u32) -> Built {
        self.plain_star(element)?;
        self.element(element, field, from)
    }

    /// Gives up on a star before anything but a name.
    fn plain_star(&self, element: &Expr) -> Result<(), Bail> {
        let Expr::Starred(starred) = element else { return Ok(()) };
        let plain = starred.value.is_name_expr();
        let start = self.outer_start(&*starred.value, starred.start().to_u32() + 1);
        if plain && start == starred.value.start().to_u32() { Ok(()) } else { Err(Bail) }
    }

    /// The arguments of what may be a statement of an older Python.
    fn old_arguments(&self, arguments: &Arguments) -> Result<(), Bail> {
        arguments.args.iter().try_for_each(|argument| self.plain_star(argument))
    }

    /// An expression, or one with a star.
    pub(super) fn element(&mut self, element: &Expr, field: F, from: u32) -> Built {
        let Expr::Starred(starred) = element else { return self.expr(element, field, from) };
        let operand = &*starred.value;
        let start = starred.start().to_u32();
        // Tree-sitter may read a star's operand as the first of a larger expression, and in parentheses as none.
        if operand.is_if_expr() || self.outer_start(starred, from) != start {
            return Err(Bail);
        }
        if field == F::None {
            self.uncontinued(from, start)?;
        }
        let node = self.tree.open(K::ListSplat, field, start);
        let end = self.expr(operand, F::None, start + 1)?;
        self.tree.close(node, end);
        Ok(end)
    }

    /// `**value` behind an offset.
    pub(super) fn splat(&mut self, kind: K, value: &Expr, from: u32) -> Built {
        let start = self.find(from, value.start().to_u32(), b'*').ok_or(Bail)?;
        self.uncontinued(from, start)?;
        let node = self.tree.open(kind, F::None, start);
        let end = self.expr(value, F::None, start + 2)?;
        self.tree.close(node, end);
        Ok(end)
    }

    /// `key: value`
    fn pair(&mut self, key: &Expr, value: &Expr, field: F, from: u32) -> Built {
        let start = self.outer_start(key, from);
        self.uncontinued(from, start)?;
        let node = self.tree.open(K::Pair, field, start);
        let at = self.expr(key, F::Key, from)?;
        let end = self.expr(value, F::Value, at)?;
        self.tree.close(node, end);
        Ok(end)
    }

    fn subscripts(&mut self, slice: &Expr, from: u32) -> Built {
        let mut at = self.token(from, "[")?;
        match slice {
            Expr::Tuple(tuple) if !tuple.parenthesized => {
                for element in &tuple.elts {
                    at = self.key(element, at)?;
                }
                Ok(at)
            }
            only => self.key(only, at),
        }
    }

    fn key(&mut self, key: &Expr, from: u32) -> Built {
        let Expr::Slice(slice) = key else { return self.starred_or(key, F::Subscript, from) };
        let node = self.tree.open(K::Slice, F::Subscript, slice.start().to_u32());
        let mut at = slice.start().to_u32();
        for bound in [&slice.lower, &slice.upper, &slice.step].into_iter().flatten() {
            at = self.expr(bound, F::None, at)?;
        }
        let end = slice.end().to_u32();
        self.tree.close(node, end);
        Ok(end)
    }

    /// The clauses of a comprehension.
    pub(super) fn clauses(&mut self, clauses: &[Comprehension], from: u32) -> Built {
        let mut at = from;
        for clause in clauses {
            let start = clause.start().to_u32();
            let node = self.tree.open(K::ForInClause, F::None, start);
            let header = if clause.is_async { self.token(start + 5, "for")? } else { start + 3 };
            at = self.target(&clause.target, F::Left, header)?;
            at = self.expr(&clause.iter, F::Right, at)?;
            self.tree.close(node, at);
            for condition in &clause.ifs {
                let start = self.skip(at);
                let node = self.tree.open(K::IfClause, F::None, start);
                at = self.expr(condition, F::None, start + 2)?;
                self.tree.close(node, at);
            }
        }
        Ok(at)
    }
}
