//! Control flow: which code runs only where a condition holds, and what leaves.

use tree_sitter::Node;

use super::grammar::K;
use super::pattern::Bind;
use super::{Kid, Lowerer};
use crate::lower::exit::Exit;
use crate::model::facts::{AssignKind, Branch, ExprId, ExprKind, Part, Span};
use crate::model::name::Name;

impl<'t> Lowerer<'t> {
    fn add_branch(&mut self, condition: ExprId, then: Span, span: Span) -> usize {
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

    /// `if`, along its `else if`s.
    pub(super) fn if_statement(&mut self, mut node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let mut links = Vec::new();
        let mut last = Exit::FALLS;
        loop {
            let condition = self.field(node, f.condition);
            let condition = match condition {
                Some(condition) => self.expr(condition),
                None => self.nothing(self.span(node)),
            };
            let then = self.field(node, f.consequence);
            let then_span = then.map_or(Span::default(), |then| self.span(then));
            let branch = self.add_branch(condition, then_span, self.span(node));
            let exit = then.map_or(Exit::FALLS, |then| self.statement(then));
            self.module.branches[branch].then_leaves = exit.leaves();
            links.push((branch, exit));
            let Some(clause) = self.field(node, f.alternative) else {
                break;
            };
            let kids = self.kids(clause);
            let Some(alternative) = kids.iter().find(|kid| !kid.k.is_token()) else {
                break;
            };
            self.module.branches[branch].otherwise = Some(self.span(alternative.node));
            if alternative.k == K::If {
                node = alternative.node;
            } else {
                last = self.statement(alternative.node);
                break;
            }
        }
        for (branch, exit) in links.into_iter().rev() {
            let branch = &mut self.module.branches[branch];
            branch.otherwise_leaves = branch.otherwise.is_some() && last.leaves();
            last = exit.or(last);
        }
        last
    }

    /// A loop's body under its condition.
    fn guarded_body(&mut self, node: Node<'t>, condition: Option<ExprId>) -> Exit {
        let Some(body) = self.field(node, self.g.f.body) else {
            return Exit::FALLS;
        };
        let branch = condition.map(|condition| self.add_branch(condition, self.span(body), self.span(node)));
        let exit = self.statement(body).contained(Exit::LOOP);
        if let Some(branch) = branch {
            self.module.branches[branch].then_leaves = exit.leaves();
        }
        // The body may not run at all.
        exit.or(Exit::FALLS)
    }

    pub(super) fn while_statement(&mut self, node: Node<'t>) -> Exit {
        let condition = self.field(node, self.g.f.condition);
        let condition = condition.map(|condition| self.expr(condition));
        self.guarded_body(node, condition)
    }

    pub(super) fn do_statement(&mut self, node: Node<'t>) -> Exit {
        let exit = match self.field(node, self.g.f.body) {
            Some(body) => self.statement(body).contained(Exit::LOOP),
            None => Exit::FALLS,
        };
        if let Some(condition) = self.field(node, self.g.f.condition) {
            self.expr(condition);
        }
        exit
    }

    pub(super) fn for_statement(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let kids = self.kids(node);
        let part = |field: u16| {
            kids.iter().find(|kid| kid.field == field && !kid.k.is_token() && kid.k != K::Empty).map(|kid| kid.node)
        };
        let (initializer, condition, increment) = (part(f.initializer), part(f.condition), part(f.increment));
        if let Some(initializer) = initializer {
            self.statement(initializer);
        }
        let condition = condition.map(|condition| self.expr(condition));
        let exit = self.guarded_body(node, condition);
        if let Some(increment) = increment {
            self.expr(increment);
        }
        exit
    }

    /// `for … of` and `for … in`.
    pub(super) fn for_in(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let kids = self.kids(node);
        let part = |field: u16| kids.iter().find(|kid| kid.field == field).map(|kid| kid.node);
        let (keyword, left, operator, right) = (part(f.kind), part(f.left), part(f.operator), part(f.right));
        let (Some(left), Some(right)) = (left, right) else {
            return self.guarded_body(node, None);
        };
        let of = self.expr(right);
        let part = match operator {
            Some(operator) if self.slice(operator) == "in" => Part::Key,
            _ => Part::Item,
        };
        let value = self.add(ExprKind::Element { of, part }, self.span(left));
        match keyword {
            Some(keyword) => {
                let bind = self.binding(self.slice(keyword));
                self.assign_pattern(left, value, bind, AssignKind::Init);
            }
            None => self.assign_pattern(left, value, Bind::Assign, AssignKind::Set),
        }
        self.guarded_body(node, None)
    }

    pub(super) fn switch_statement(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let subject = match self.field(node, f.value) {
            Some(value) => self.expr(value),
            None => self.nothing(self.span(node)),
        };
        let Some(body) = self.field(node, f.body) else {
            return Exit::FALLS;
        };
        let span = self.span(node);
        self.in_block(|it| it.switch_body(body, subject, span))
    }

    fn switch_body(&mut self, body: Node<'t>, subject: ExprId, span: Span) -> Exit {
        let f = &self.g.f;
        let operator = Name::new("===");
        let mut exit = Exit::NONE;
        let mut default = false;
        let mut falls = Exit::FALLS;
        // Cases without a body of their own share the next one.
        let mut open = Vec::new();
        for case in self.kids(body) {
            if case.k.is_token() {
                continue;
            }
            default |= case.k == K::SwitchDefault;
            let kids = self.kids(case.node);
            if let Some(value) = kids.iter().find(|kid| kid.field == f.value) {
                let right = self.expr(value.node);
                let compare = ExprKind::Compare { operator, left: subject, right };
                let condition = self.add(compare, self.span(value.node));
                open.push(self.add_branch(condition, Span::default(), span));
            }
            let statements: Vec<Kid<'t>> = kids
                .into_iter()
                .filter(|kid| kid.field == f.body || kid.k == K::Error)
                .filter(|kid| !kid.k.is_token())
                .collect();
            let (Some(first), Some(last)) = (statements.first(), statements.last()) else {
                continue;
            };
            let then = Span::new(first.node.start_byte(), last.node.end_byte());
            falls = self.statement_list(statements.iter());
            exit = exit.or(falls.without(Exit::FALLS));
            for branch in open.drain(..) {
                let branch = &mut self.module.branches[branch];
                branch.then = then;
                branch.then_leaves = !falls.may(Exit::FALLS.or(Exit::BREAKS));
            }
        }
        for branch in open {
            // Nothing follows: nothing runs there.
            let end = body.end_byte();
            self.module.branches[branch].then = Span::new(end, end);
        }
        if !default || falls.may(Exit::FALLS) {
            exit = exit.or(Exit::FALLS);
        }
        exit.contained(Exit::BREAKS)
    }

    pub(super) fn try_statement(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let (body, handler, finalizer) =
            (self.field(node, f.body), self.field(node, f.handler), self.field(node, f.finalizer));
        let mut exit = body.map_or(Exit::FALLS, |body| self.statement(body));
        if let Some(handler) = handler {
            exit = exit.or(self.in_block(|it| it.catch_clause(handler)));
        }
        if let Some(body) = finalizer.and_then(|finalizer| self.field(finalizer, f.body)) {
            let last = self.statement(body);
            exit = if last.leaves() { last } else { exit };
        }
        exit
    }

    fn catch_clause(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        if let Some(parameter) = self.field(node, f.parameter) {
            let ty = self.field(node, f.ty);
            let ty = ty.map(|ty| self.annotation(ty));
            let bind = self.binding("let");
            self.declare_variable(parameter, ty, None, bind, self.span(parameter));
        }
        let body = self.field(node, f.body);
        body.map_or(Exit::FALLS, |body| self.statement(body))
    }
}
