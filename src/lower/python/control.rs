//! Which code runs only where a condition holds: `if`, `match`, `try`.

use super::grammar::{F, K};
use super::tree::Node;
use super::{Kid, Lowerer, Place};
use crate::lower::exit::Exit;
use crate::model::facts::{AssignKind, Branch, Choice, ExprId, ExprKind, Part, Span, SymbolKind};
use crate::model::name::Name;

/// A value that a `try` body returns or assigns, and that a handler may replace.
pub(super) struct Given {
    /// The target as written; empty for what is returned.
    target: String,
    value: ExprId,
}

impl<'t> Lowerer<'t> {
    pub(super) fn add_branch(&mut self, condition: ExprId, then: Span, span: Span) -> usize {
        self.module.branches.push(Branch {
            condition,
            then,
            otherwise: None,
            then_leaves: false,
            otherwise_leaves: false,
            span,
            func: self.at.func,
        });
        self.module.branches.len() - 1
    }

    /// `if`, along its `elif`s.
    pub(super) fn if_statement(&mut self, node: Node<'t>) -> Exit {
        let whole_end = node.end_byte();
        let clauses: Vec<Node<'t>> =
            self.kids(node).filter(|kid| kid.field == F::Alternative).map(|kid| kid.node).collect();
        let mut links = Vec::new();
        let mut last = Exit::FALLS;
        let mut otherwise = None;
        for (at, link) in std::iter::once(node).chain(clauses.iter().copied()).enumerate() {
            if at > 0 && self.k(link) == K::ElseClause {
                otherwise = Some(self.span(link));
                last = self.clause_body(link);
                break;
            }
            let condition_node = self.field(link, F::Condition);
            let type_only = condition_node.is_some_and(|condition| self.slice(condition).ends_with("TYPE_CHECKING"));
            let condition = self.expr_or_nothing(condition_node, self.span(link));
            let then = self.field(link, F::Consequence);
            let then_span = then.map_or(Span::default(), |then| self.span(then));
            let span = Span::new(link.start_byte(), whole_end);
            let branch = self.add_branch(condition, then_span, span);
            let place = Place { type_only: self.at.type_only || type_only, ..self.at };
            let exit = then.map_or(Exit::FALLS, |then| self.within(place, |it| it.statement(then)));
            self.module.branches[branch].then_leaves = exit.leaves();
            links.push((branch, exit));
        }
        for (branch, exit) in links.into_iter().rev() {
            let branch = &mut self.module.branches[branch];
            branch.otherwise = otherwise;
            branch.otherwise_leaves = otherwise.is_some() && last.leaves();
            otherwise = Some(branch.span);
            last = exit.or(last);
        }
        last
    }

    // match

    pub(super) fn match_statement(&mut self, node: Node<'t>) -> Exit {
        let span = self.span(node);
        let mut subjects: Vec<ExprId> = self
            .kids(node)
            .filter(|kid| kid.field == F::Subject && !kid.k.is_token())
            .map(|kid| self.expr(kid.node))
            .collect();
        let subject = match subjects.len() {
            1 => subjects.remove(0),
            _ => self.add(ExprKind::Sequence(subjects), span),
        };
        let Some(body) = self.field(node, F::Body) else {
            return Exit::FALLS;
        };
        let mut exit = Exit::FALLS;
        let mut inside = Exit::NONE;
        for case in self.parts(body) {
            if case.k != K::CaseClause {
                self.statement(case.node);
                continue;
            }
            let then = self.field(case.node, F::Consequence);
            let then_span = then.map_or(Span::default(), |then| self.span(then));
            let mut conditions = Vec::new();
            for part in self.parts(case.node) {
                if part.k == K::CasePattern {
                    if self.slice(part.node).trim() == "_" {
                        exit = Exit::NONE;
                    }
                    self.case_pattern(part.node, subject, &mut conditions);
                }
            }
            if let Some(guard) = self.field(case.node, F::Guard).and_then(|guard| self.inner(guard)) {
                conditions.push(self.expr(guard));
            }
            let branches: Vec<usize> =
                conditions.into_iter().map(|condition| self.add_branch(condition, then_span, span)).collect();
            let ends = then.map_or(Exit::FALLS, |then| self.statement(then));
            for branch in branches {
                self.module.branches[branch].then_leaves = ends.leaves();
            }
            inside = inside.or(ends);
        }
        inside.or(exit)
    }

    /// A pattern against a value: what it compares with, and the names it binds.
    fn case_pattern(&mut self, pattern: Node<'t>, value: ExprId, conditions: &mut Vec<ExprId>) {
        if !self.enter() {
            return;
        }
        let span = self.span(pattern);
        match self.k(pattern) {
            K::CasePattern | K::UnionPattern | K::AsPattern => {
                for part in self.parts(pattern) {
                    if part.k == K::Identifier {
                        let bind = self.bind_here();
                        self.assign_target(part.node, value, bind, AssignKind::Init);
                    } else {
                        self.case_pattern(part.node, value, conditions);
                    }
                }
            }
            K::String | K::ConcatenatedString | K::None | K::True | K::False | K::Integer | K::Float => {
                let right = self.expr(pattern);
                let operator = Name::new("==");
                conditions.push(self.add(ExprKind::Compare { operator, left: value, right }, span));
            }
            K::DottedName => self.dotted_pattern(pattern, value, conditions),
            K::ListPattern | K::TuplePattern => {
                for (position, part) in self.parts(pattern).enumerate() {
                    let name = Name::new(&position.to_string());
                    let read = self.add(ExprKind::Member { object: value, name }, self.span(part.node));
                    self.case_pattern(part.node, read, conditions);
                }
            }
            K::DictPattern => self.dict_pattern(pattern, value, conditions),
            K::ClassPattern => {
                for part in self.parts(pattern) {
                    if part.k == K::CasePattern {
                        let read = self.add(ExprKind::Opaque(vec![value]), self.span(part.node));
                        self.case_pattern(part.node, read, conditions);
                    }
                }
            }
            K::KeywordPattern => {
                let parts: Vec<Kid<'t>> = self.parts(pattern).collect();
                if let [name, inner] = parts[..] {
                    let name = self.name(name.node);
                    let read = self.add(ExprKind::Member { object: value, name }, span);
                    self.case_pattern(inner.node, read, conditions);
                }
            }
            K::SplatPattern => {
                if let Some(name) = self.inner(pattern) {
                    let rest = self.add(ExprKind::Opaque(vec![value]), span);
                    let bind = self.bind_here();
                    self.assign_target(name, rest, bind, AssignKind::Init);
                }
            }
            _ => {}
        }
        self.leave();
    }

    /// A bare name binds; a name with dots is a value to compare with.
    fn dotted_pattern(&mut self, pattern: Node<'t>, value: ExprId, conditions: &mut Vec<ExprId>) {
        let span = self.span(pattern);
        let mut rest = self.parts(pattern).peekable();
        let Some(first) = rest.next() else { return };
        if rest.peek().is_none() {
            let bind = self.bind_here();
            self.assign_target(first.node, value, bind, AssignKind::Init);
            return;
        }
        let mut right = self.expr(first.node);
        for part in rest {
            let name = self.name(part.node);
            right = self.add(ExprKind::Member { object: right, name }, span);
        }
        let operator = Name::new("==");
        conditions.push(self.add(ExprKind::Compare { operator, left: value, right }, span));
    }

    fn dict_pattern(&mut self, pattern: Node<'t>, value: ExprId, conditions: &mut Vec<ExprId>) {
        let mut key = None;
        for kid in self.kids(pattern) {
            if kid.field == F::Key {
                key = Some(self.expr(kid.node));
            } else if kid.field == F::Value
                && let Some(key) = key.take()
            {
                let read = self.add(ExprKind::Index { object: value, key }, self.span(kid.node));
                self.case_pattern(kid.node, read, conditions);
            }
        }
    }

    // try

    pub(super) fn try_statement(&mut self, node: Node<'t>) -> Exit {
        let parts = self.parts(node);
        let has_handler = parts.clone().any(|part| part.k == K::ExceptClause);
        if has_handler {
            self.tries.push(Vec::new());
        }
        let body = self.field(node, F::Body);
        let mut exit = body.map_or(Exit::FALLS, |body| self.statement(body));
        let given = if has_handler { self.tries.pop().unwrap_or_default() } else { Vec::new() };
        for part in parts {
            match part.k {
                K::ElseClause => exit = exit.then(self.clause_body(part.node)),
                K::ExceptClause => exit = exit.or(self.except_clause(part.node, &given)),
                K::FinallyClause => {
                    let last = self.clause_body(part.node);
                    exit = if last.leaves() { last } else { exit };
                }
                _ => {}
            }
        }
        // An outer handler takes over what an inner one lets through.
        if let Some(outer) = self.tries.last_mut() {
            outer.extend(given);
        }
        exit
    }

    fn except_clause(&mut self, node: Node<'t>, given: &[Given]) -> Exit {
        for kid in self.kids(node) {
            if kid.field == F::Value && !kid.k.is_token() {
                let (value, alias) = match kid.k {
                    K::AsPattern => (self.inner(kid.node), self.field(kid.node, F::Alias)),
                    _ => (Some(kid.node), None),
                };
                let value = self.expr_or_nothing(value, self.span(kid.node));
                if let Some(alias) = alias {
                    self.bind_error(alias, value);
                }
            } else if kid.field == F::Alias {
                let value = self.nothing(self.span(kid.node));
                self.bind_error(kid.node, value);
            }
        }
        let before = self.module.exprs.len();
        let returns = self.module.function(self.at.func).returns.len();
        let exit = self.clause_body(node);
        self.rescue(given, before, returns);
        exit
    }

    fn bind_error(&mut self, alias: Node<'t>, value: ExprId) {
        let span = self.span(alias);
        let value = self.add(ExprKind::Opaque(vec![value]), span);
        let bind = super::target::Bind { kind: SymbolKind::Variable { mutable: true }, scope: self.at.scope };
        self.assign_target(alias, value, bind, AssignKind::Init);
    }

    /// Notes a value that is returned (no target) or assigned in a `try` body.
    pub(super) fn given(&mut self, target: Option<&str>, value: ExprId) {
        if let Some(open) = self.tries.last_mut() {
            open.push(Given { target: target.unwrap_or_default().to_owned(), value });
        }
    }

    /// What a handler returns or assigns takes the place of what the body would have given: one value, or the other.
    fn rescue(&mut self, given: &[Given], before: usize, returns: usize) {
        if given.is_empty() {
            return;
        }
        let mut pairs = Vec::new();
        let returned: Vec<ExprId> = self.module.function(self.at.func).returns[returns..].to_vec();
        for value in returned {
            pairs.extend(given.iter().filter(|given| given.target.is_empty()).map(|given| (given.value, value)));
        }
        for index in before..self.module.exprs.len() {
            if let ExprKind::Assign { target, value, kind: AssignKind::Init | AssignKind::Set } =
                self.module.exprs[index].kind
            {
                let span = self.module.expr(target).span;
                let written = self.text.get(span.start as usize..span.end as usize).unwrap_or_default().to_owned();
                pairs.extend(given.iter().filter(|given| given.target == written).map(|given| (given.value, value)));
            }
        }
        pairs.truncate(64);
        for (value, fallback) in pairs {
            let span = self.module.expr(fallback).span;
            self.either(value, fallback, Choice::Rescue, span);
        }
    }

    /// `yield value`, `yield from value`.
    pub(super) fn yielded(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let delegates = self.kids(node).any(|kid| kid.k == K::FromToken);
        let mut value = self.inner(node).map(|value| self.expr(value));
        if delegates && let Some(of) = value {
            value = Some(self.add(ExprKind::Element { of, part: Part::Iterated }, span));
        }
        self.add(ExprKind::Yield(value), span)
    }
}
