//! Branches, handlers and contexts.

use ruff_python_ast::{ElifElseClause, ExceptHandler, Expr, Identifier, Stmt, StmtIf, StmtTry, StmtWith};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    pub(super) fn if_statement(&mut self, it: &StmtIf) -> Built {
        let start = it.start().to_u32();
        let node = self.tree.open(K::If, F::None, start);
        self.expr(&it.test, F::Condition, start + 2)?;
        let mut end = self.block(&it.body, F::Consequence)?;
        for clause in &it.elif_else_clauses {
            end = self.clause(clause)?;
        }
        self.tree.close(node, end);
        Ok(end)
    }

    fn clause(&mut self, it: &ElifElseClause) -> Built {
        let start = it.start().to_u32();
        let node = self.tree.open(K::ElseClause, F::Alternative, start);
        let mut field = F::Body;
        if let Some(test) = &it.test {
            self.tree.records[node].kind = K::ElifClause;
            self.expr(test, F::Condition, start + 4)?;
            field = F::Consequence;
        }
        let end = self.block(&it.body, field)?;
        self.tree.close(node, end);
        Ok(end)
    }

    /// An `else` or `finally`, if there is one.
    pub(super) fn otherwise(&mut self, body: &[Stmt], kind: K, field: F, from: u32) -> Built {
        if body.is_empty() {
            return Ok(from);
        }
        let start = self.skip(from);
        let node = self.tree.open(kind, field, start);
        let end = self.block(body, if kind == K::ElseClause { F::Body } else { F::None })?;
        self.tree.close(node, end);
        Ok(end)
    }

    pub(super) fn try_statement(&mut self, it: &StmtTry) -> Built {
        let node = self.tree.open(K::Try, F::None, it.start().to_u32());
        let mut at = self.block(&it.body, F::Body)?;
        for handler in &it.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            let start = handler.start().to_u32();
            let clause = self.tree.open(K::ExceptClause, F::None, start);
            if let Some(caught) = &handler.type_ {
                if matches!(&**caught, Expr::Tuple(tuple) if !tuple.parenthesized) {
                    return Err(Bail);
                }
                self.caught(caught, handler.name.as_ref(), start + 6)?;
            }
            at = self.block(&handler.body, F::None)?;
            self.tree.close(clause, at);
        }
        at = self.otherwise(&it.orelse, K::ElseClause, F::None, at)?;
        at = self.otherwise(&it.finalbody, K::FinallyClause, F::None, at)?;
        self.tree.close(node, at);
        Ok(at)
    }

    /// What a handler catches: `type`, `type as name`.
    fn caught(&mut self, caught: &Expr, name: Option<&Identifier>, from: u32) -> Result<(), Bail> {
        let Some(name) = name else { return self.expr(caught, F::Value, from).map(drop) };
        let (start, end) = (name.start().to_u32(), name.end().to_u32());
        let outer = self.outer_start(caught, from);
        let pattern = self.tree.open(K::AsPattern, F::Value, outer);
        self.expr(caught, F::None, from)?;
        let alias = self.tree.open(K::AsPatternTarget, F::Alias, start);
        self.tree.leaf(K::Identifier, F::None, start, end);
        self.tree.close(alias, end);
        self.tree.close(pattern, end);
        Ok(())
    }

    pub(super) fn with_statement(&mut self, it: &StmtWith) -> Built {
        let node = self.tree.open(K::With, F::None, it.start().to_u32());
        let clause = self.tree.open(K::WithClause, F::None, it.start().to_u32());
        let mut at = it.items.first().map_or(0, |item| item.start().to_u32());
        for item in &it.items {
            let start = item.start().to_u32();
            self.uncontinued(at, start)?;
            let outer = self.tree.open(K::WithItem, F::None, start);
            let end = item.end().to_u32();
            match &item.optional_vars {
                Some(target) => {
                    let pattern = self.tree.open(K::AsPattern, F::Value, start);
                    let at = self.expr(&item.context_expr, F::None, start)?;
                    let from = self.token(at, "as")?;
                    let alias_start = self.outer_start(&**target, from);
                    let alias = self.tree.open(K::AsPatternTarget, F::Alias, alias_start);
                    let at = self.expr(target, F::None, from)?;
                    self.tree.close(alias, at);
                    self.tree.close(pattern, at);
                }
                None => {
                    self.expr(&item.context_expr, F::Value, start)?;
                }
            }
            self.tree.close(outer, end);
            at = end;
        }
        self.tree.close(clause, it.start().to_u32());
        let end = self.block(&it.body, F::Body)?;
        self.tree.close(node, end);
        Ok(end)
    }
}
