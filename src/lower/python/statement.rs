//! Statements.

use super::grammar::{F, K};
use super::tree::Node;
use super::{Kid, Lowerer};
use crate::lower::exit::Exit;
use crate::model::facts::{AssignKind, ExprId, ExprKind, Part, Span};

impl<'t> Lowerer<'t> {
    /// The statements directly inside a node.
    pub(super) fn statements(&mut self, node: Node<'t>) -> Exit {
        self.statement_list(self.parts(node))
    }

    pub(super) fn statement_list(&mut self, list: impl Iterator<Item = Kid<'t>>) -> Exit {
        let mut exit = Exit::FALLS;
        for kid in list {
            exit = exit.then(self.statement(kid.node));
        }
        exit
    }

    /// One statement, or an expression that stands where one is expected.
    pub(super) fn statement(&mut self, node: Node<'t>) -> Exit {
        if !self.enter() {
            return Exit::FALLS;
        }
        let exit = self.statement_inner(node);
        self.leave();
        exit
    }

    fn statement_inner(&mut self, node: Node<'t>) -> Exit {
        match self.k(node) {
            K::ExpressionStatement => {
                for kid in self.parts(node) {
                    // A text of its own is documentation.
                    if !matches!(kid.k, K::String | K::ConcatenatedString | K::Ellipsis) {
                        self.expr(kid.node);
                    }
                }
            }
            K::FunctionDefinition => {
                self.function_definition(node, &[]);
            }
            K::ClassDefinition => {
                self.class_definition(node, &[]);
            }
            K::Decorated => self.decorated(node),
            K::Import => self.import_statement(node),
            K::ImportFrom => self.import_from(node),
            K::FutureImport | K::Pass => {}
            K::TypeAlias => self.type_alias(node),
            K::If => return self.if_statement(node),
            K::For => return self.for_statement(node),
            K::While => return self.while_statement(node),
            K::Match => return self.match_statement(node),
            K::Try => return self.try_statement(node),
            K::With => return self.with_statement(node),
            K::Return => {
                let span = self.span(node);
                let value = self.inner(node).map(|value| self.expr(value));
                if let Some(value) = value {
                    self.given(None, value);
                }
                self.add_return(value, span);
                return Exit::RETURNS;
            }
            K::Raise => {
                // What is raised comes first; a cause may follow.
                let parts = self.parts(node);
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.expr(part.node));
                }
                self.add_throw(values.first().copied(), self.span(node));
                return Exit::RETURNS;
            }
            K::Break => return Exit::BREAKS,
            K::Continue => return Exit::CONTINUES,
            K::Assert => self.assert_statement(node),
            K::Delete => self.delete_statement(node),
            K::Global => {
                for kid in self.parts(node) {
                    let name = self.name(kid.node);
                    self.global_name(name, self.span(kid.node));
                }
            }
            K::Nonlocal => {
                for kid in self.parts(node) {
                    let name = self.name(kid.node);
                    self.nonlocal_name(name);
                }
            }
            K::Error | K::Module | K::Block => return self.statements(node),
            K::ElseClause | K::FinallyClause | K::ExceptClause | K::ElifClause | K::CaseClause => {
                return self.statements(node);
            }
            k if k.is_token() => {}
            _ => {
                self.expr(node);
            }
        }
        Exit::FALLS
    }

    pub(super) fn add_return(&mut self, value: Option<ExprId>, span: Span) {
        self.add(ExprKind::Return(value), span);
        if let Some(value) = value {
            self.module.functions[self.at.func.index()].returns.push(value);
        }
    }

    pub(super) fn add_throw(&mut self, value: Option<ExprId>, span: Span) {
        let id = self.add(ExprKind::Throw(value), span);
        self.module.functions[self.at.func.index()].throws.push(id);
    }

    /// `assert condition`: the code goes on only where it holds.
    fn assert_statement(&mut self, node: Node<'t>) {
        let span = self.span(node);
        let mut parts = self.parts(node);
        let Some(condition) = parts.next() else { return };
        let condition = self.expr(condition.node);
        for message in parts {
            self.expr(message.node);
        }
        let fails = self.add(ExprKind::Opaque(vec![condition]), span);
        let branch = self.add_branch(fails, span, span);
        self.module.branches[branch].then_leaves = true;
        self.add_throw(None, span);
    }

    fn delete_statement(&mut self, node: Node<'t>) {
        let span = self.span(node);
        let mut open: Vec<Node<'t>> = self.parts(node).map(|kid| kid.node).collect();
        while let Some(node) = open.pop() {
            if matches!(self.k(node), K::ExpressionList | K::Tuple | K::List) {
                open.extend(self.parts(node).map(|kid| kid.node));
            } else {
                let target = self.expr(node);
                self.add(ExprKind::Delete { target }, span);
            }
        }
    }

    // Assignments.

    /// `a = b = value`, `a: T = value`, `a: T`. The answer is the value.
    pub(super) fn assignment(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        // `a = b = value` nests to the right.
        let mut targets = Vec::new();
        let mut at = node;
        let value = loop {
            let ty = self.field(at, F::Ty);
            if let Some(left) = self.field(at, F::Left) {
                targets.push((left, ty));
            }
            match self.field(at, F::Right) {
                Some(right) if self.k(right) == K::Assignment => at = right,
                right => break right,
            }
        };
        let value = value.map(|value| self.expr(value));
        let bind = self.bind_here();
        for (target, ty) in targets {
            let ty = ty.map(|ty| self.ty(ty));
            let written = self.slice(target);
            if let Some(value) = value {
                self.given(Some(written), value);
            }
            match (self.k(target), value) {
                (K::PatternList | K::TuplePattern | K::ListPattern, Some(value)) => {
                    self.assign_target(target, value, bind, AssignKind::Init);
                }
                (_, value) => {
                    self.assign_leaf(target, ty, value, bind, AssignKind::Init, span);
                }
            }
        }
        value.unwrap_or_else(|| self.nothing(span))
    }

    /// `a += b`.
    pub(super) fn augmented(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let (left, right) = (self.field(node, F::Left), self.field(node, F::Right));
        let value = self.expr_or_nothing(right, span);
        let Some(left) = left else { return value };
        let bind = self.bind_here();
        self.assign_leaf(left, None, Some(value), bind, AssignKind::Update, span).unwrap_or(value)
    }

    // Loops and contexts.

    fn for_statement(&mut self, node: Node<'t>) -> Exit {
        let (left, right) = (self.field(node, F::Left), self.field(node, F::Right));
        if let (Some(left), Some(right)) = (left, right) {
            let of = self.expr(right);
            let value = self.add(ExprKind::Element { of, part: Part::Iterated }, self.span(left));
            let bind = self.bind_here();
            self.assign_target(left, value, bind, AssignKind::Init);
        }
        self.loop_body(node, None)
    }

    fn while_statement(&mut self, node: Node<'t>) -> Exit {
        let condition = self.field(node, F::Condition);
        let condition = condition.map(|condition| self.expr(condition));
        self.loop_body(node, condition)
    }

    fn loop_body(&mut self, node: Node<'t>, condition: Option<ExprId>) -> Exit {
        let mut exit = Exit::FALLS;
        if let Some(body) = self.field(node, F::Body) {
            let span = self.span(body);
            let branch = condition.map(|condition| self.add_branch(condition, span, self.span(node)));
            let inside = self.statement(body).contained(Exit::LOOP);
            if let Some(branch) = branch {
                self.module.branches[branch].then_leaves = inside.leaves();
            }
            // The body may not run at all.
            exit = inside.or(Exit::FALLS);
        }
        if let Some(otherwise) = self.field(node, F::Alternative) {
            exit = exit.or(self.clause_body(otherwise));
        }
        exit
    }

    fn with_statement(&mut self, node: Node<'t>) -> Exit {
        for clause in self.parts(node) {
            if clause.k != K::WithClause {
                continue;
            }
            for item in self.parts(clause.node) {
                let value = self.field(item.node, F::Value).unwrap_or(item.node);
                self.with_item(value);
            }
        }
        match self.field(node, F::Body) {
            Some(body) => self.statement(body),
            None => Exit::FALLS,
        }
    }

    /// `value as target`.
    fn with_item(&mut self, node: Node<'t>) {
        if self.k(node) != K::AsPattern {
            // `with (a as b, c as d)` may be read as a tuple.
            if matches!(self.k(node), K::Tuple | K::Parenthesized) {
                for part in self.parts(node) {
                    self.with_item(part.node);
                }
                return;
            }
            self.expr(node);
            return;
        }
        let mut parts = self.parts(node);
        let alias = self.field(node, F::Alias);
        let Some(value) = parts.next() else { return };
        let of = self.expr(value.node);
        let Some(alias) = alias else { return };
        let value = self.add(ExprKind::Element { of, part: Part::Entered }, self.span(alias));
        let bind = self.bind_here();
        self.assign_target(alias, value, bind, AssignKind::Init);
    }

    /// The statements of an `else`, `finally` or `except` clause.
    pub(super) fn clause_body(&mut self, node: Node<'t>) -> Exit {
        self.statement_list(self.parts(node).filter(|kid| kid.k == K::Block))
    }
}
