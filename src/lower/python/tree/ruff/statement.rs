//! Statements.

use ruff_python_ast::{
    Decorator, Expr, Identifier, Stmt, StmtAnnAssign, StmtAssign, StmtClassDef, StmtFunctionDef, StmtTypeAlias,
    TypeParam, TypeParams,
};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    /// One statement.
    pub(super) fn statement(&mut self, statement: &Stmt) -> Built {
        let (start, end) = (statement.start().to_u32(), statement.end().to_u32());
        match statement {
            Stmt::FunctionDef(it) => {
                return self.decorated(&it.decorator_list, start, |b, at, f| b.function(it, at, f));
            }
            Stmt::ClassDef(it) => return self.decorated(&it.decorator_list, start, |b, at, f| b.class(it, at, f)),
            Stmt::Import(it) => return self.import(it),
            Stmt::ImportFrom(it) => return self.import_from(it),
            Stmt::If(it) => return self.if_statement(it),
            Stmt::With(it) => return self.with_statement(it),
            Stmt::Try(it) => return self.try_statement(it),
            Stmt::Match(it) => return self.match_statement(it),
            Stmt::Expr(_) | Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::AugAssign(_)
                if self.is_old_statement(start) =>
            {
                return Err(Bail);
            }
            _ => {}
        }
        let node = self.tree.open(K::OtherNamed, F::None, start);
        let mut close = end;
        let kind = match statement {
            Stmt::Expr(it) => {
                match &*it.value {
                    Expr::Tuple(tuple) if !tuple.parenthesized => {
                        let mut at = start;
                        for element in &tuple.elts {
                            at = self.starred_or(element, F::None, at)?;
                        }
                        // Tree-sitter may go on behind a last comma, into the next line.
                        if self.byte(self.skip(at)) == b',' {
                            return Err(Bail);
                        }
                    }
                    value => {
                        self.starred_or(value, F::None, start)?;
                    }
                }
                K::ExpressionStatement
            }
            Stmt::Assign(it) => {
                self.assignment(it)?;
                K::ExpressionStatement
            }
            Stmt::AnnAssign(it) => {
                self.annotated(it)?;
                K::ExpressionStatement
            }
            Stmt::AugAssign(it) => {
                let inner = self.tree.open(K::AugmentedAssignment, F::None, start);
                let at = self.target(&it.target, F::Left, start)?;
                let at = self.expr(&it.value, F::Right, at)?;
                self.tree.close(inner, at);
                K::ExpressionStatement
            }
            Stmt::Return(it) => {
                if let Some(value) = &it.value {
                    self.expr(value, F::None, start + 6)?;
                }
                K::Return
            }
            Stmt::Delete(it) => {
                let mut at = start + 3;
                let list = (it.targets.len() > 1).then(|| self.tree.open(K::ExpressionList, F::None, at));
                for target in &it.targets {
                    at = self.expr(target, F::None, at)?;
                }
                if let Some(list) = list {
                    self.tree.close(list, at);
                }
                K::Delete
            }
            Stmt::Raise(it) => {
                let mut at = start + 5;
                for value in [&it.exc, &it.cause].into_iter().flatten() {
                    at = self.expr(value, F::None, at)?;
                }
                K::Raise
            }
            Stmt::Assert(it) => {
                let at = self.expr(&it.test, F::None, start + 6)?;
                if let Some(message) = &it.msg {
                    self.expr(message, F::None, at)?;
                }
                K::Assert
            }
            Stmt::Global(it) => self.names(&it.names, K::Global, start, end)?,
            Stmt::Nonlocal(it) => self.names(&it.names, K::Nonlocal, start, end)?,
            Stmt::Pass(_) => K::Pass,
            Stmt::Break(_) => K::Break,
            Stmt::Continue(_) => K::Continue,
            Stmt::TypeAlias(it) => {
                self.type_alias(it)?;
                K::TypeAlias
            }
            Stmt::For(it) => {
                let header = if it.is_async { self.token(start + 5, "for")? } else { start + 3 };
                let at = self.target(&it.target, F::Left, header)?;
                self.expr(&it.iter, F::Right, at)?;
                let body = self.block(&it.body, F::Body)?;
                close = self.otherwise(&it.orelse, K::ElseClause, F::Alternative, body)?;
                K::For
            }
            Stmt::While(it) => {
                self.expr(&it.test, F::Condition, start + 5)?;
                let body = self.block(&it.body, F::Body)?;
                close = self.otherwise(&it.orelse, K::ElseClause, F::Alternative, body)?;
                K::While
            }
            _ => return Err(Bail),
        };
        // A line continued behind its end is a node in the block; anything else there is an error.
        if close == end && !matches!(self.byte(self.skip_blanks(end)), b'\n' | b'\r' | b';' | b'#' | 0) {
            return Err(Bail);
        }
        self.tree.records[node].kind = kind;
        self.tree.close(node, close);
        Ok(close)
    }

    /// Whether a statement begins like one of an older Python, which tree-sitter reads still: `print >>file, text`.
    fn is_old_statement(&self, start: u32) -> bool {
        let rest = &self.bytes[start as usize..];
        let Some(word) = ["print", "exec"].into_iter().find(|word| rest.starts_with(word.as_bytes())) else {
            return false;
        };
        let after = start + word.len() as u32;
        let next = self.byte(after);
        !(next == b'_' || next.is_ascii_alphanumeric() || next >= 0x80) && self.byte(self.skip(after)) != b'('
    }

    fn names(&mut self, names: &[Identifier], kind: K, start: u32, end: u32) -> Result<K, Bail> {
        self.uncontinued(start, end)?;
        for name in names {
            self.tree.leaf(K::Identifier, F::None, name.start().to_u32(), name.end().to_u32());
        }
        Ok(kind)
    }

    // Assignments.

    /// `a = b = value`, which nests to the right.
    fn assignment(&mut self, it: &StmtAssign) -> Built {
        let mut at = it.start().to_u32();
        // Tree-sitter takes `type(a).b = c` for the declaration of a type.
        let whole = |name: &Expr| name.is_name_expr();
        if self.bytes[at as usize..].starts_with(b"type") && !it.targets.first().is_some_and(whole) {
            return Err(Bail);
        }
        let mut open = Vec::with_capacity(it.targets.len());
        for target in &it.targets {
            let field = if open.is_empty() { F::None } else { F::Right };
            let from = if open.is_empty() { at } else { self.token(at, "=")? };
            let start = self.outer_start(target, from);
            open.push(self.tree.open(K::Assignment, field, start));
            at = self.target(target, F::Left, from)?;
        }
        let end = self.right(&it.value, at)?;
        for node in open.into_iter().rev() {
            self.tree.close(node, end);
        }
        Ok(end)
    }

    fn annotated(&mut self, it: &StmtAnnAssign) -> Built {
        let start = it.start().to_u32();
        let node = self.tree.open(K::Assignment, F::None, start);
        let at = self.target(&it.target, F::Left, start)?;
        let mut at = self.ty(&it.annotation, F::Ty, at)?;
        if let Some(value) = &it.value {
            at = self.right(value, at)?;
        }
        self.tree.close(node, at);
        Ok(at)
    }

    /// What is assigned.
    fn right(&mut self, value: &Expr, from: u32) -> Built {
        self.starred_or(value, F::Right, from)
    }

    fn type_alias(&mut self, it: &StmtTypeAlias) -> Built {
        self.type_parameters(it.type_params.as_deref())?;
        let (from, to) = (it.name.start().to_u32(), it.name.end().to_u32());
        let node = self.tree.open(K::Type, F::Left, from);
        match &it.type_params {
            // What the name stands in is no plain name then.
            Some(params) => {
                let end = params.end().to_u32();
                self.tree.leaf(K::GenericType, F::None, from, end);
                self.tree.close(node, end);
            }
            None => {
                self.tree.leaf(K::Identifier, F::None, from, to);
                self.tree.close(node, to);
            }
        }
        let at = it.type_params.as_ref().map_or(to, |params| params.end().to_u32());
        self.ty(&it.value, F::Right, at)
    }

    /// Type parameters are not built; tree-sitter knows no defaults of them.
    fn type_parameters(&self, params: Option<&TypeParams>) -> Result<(), Bail> {
        let plain = |param: &TypeParam| match param {
            TypeParam::TypeVar(it) => it.default.is_none(),
            TypeParam::TypeVarTuple(it) => it.default.is_none(),
            TypeParam::ParamSpec(it) => it.default.is_none(),
        };
        if params.is_none_or(|params| params.type_params.iter().all(plain)) { Ok(()) } else { Err(Bail) }
    }

    // Definitions.

    fn decorated(
        &mut self,
        decorators: &[Decorator],
        start: u32,
        build: impl FnOnce(&mut Self, u32, F) -> Built,
    ) -> Built {
        if decorators.is_empty() {
            return build(self, start, F::None);
        }
        let node = self.tree.open(K::Decorated, F::None, start);
        let mut at = start;
        for decorator in decorators {
            let start = decorator.start().to_u32();
            let node = self.tree.open(K::Decorator, F::None, start);
            at = self.expr(&decorator.expression, F::None, start + 1)?;
            at = self.line_end(at);
            self.tree.close(node, at);
        }
        let start = self.skip(at);
        let end = build(self, start, F::Definition)?;
        self.tree.close(node, end);
        Ok(end)
    }

    fn function(&mut self, it: &StmtFunctionDef, start: u32, field: F) -> Built {
        self.type_parameters(it.type_params.as_deref())?;
        let node = self.tree.open(K::FunctionDefinition, field, start);
        self.tree.leaf(K::Identifier, F::Name, it.name.start().to_u32(), it.name.end().to_u32());
        self.parameters(&it.parameters, K::Parameters)?;
        if let Some(returns) = &it.returns {
            self.ty(returns, F::ReturnType, it.parameters.end().to_u32())?;
        }
        let end = self.block(&it.body, F::Body)?;
        self.tree.close(node, end);
        Ok(end)
    }

    fn class(&mut self, it: &StmtClassDef, start: u32, field: F) -> Built {
        self.type_parameters(it.type_params.as_deref())?;
        let node = self.tree.open(K::ClassDefinition, field, start);
        self.tree.leaf(K::Identifier, F::Name, it.name.start().to_u32(), it.name.end().to_u32());
        if let Some(arguments) = &it.arguments {
            self.arguments(arguments, F::Superclasses)?;
        }
        let end = self.block(&it.body, F::Body)?;
        self.tree.close(node, end);
        Ok(end)
    }
}
