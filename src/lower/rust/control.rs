//! Blocks, conditions, `match` and loops: which code runs only where a condition holds, and what is the value of it.

use syn::{Block, Expr, ExprIf, ExprMatch, Local, Pat, Stmt};

use super::pattern::{Presence, presence, texts};
use super::{At, Lowerer, name, span};
use crate::model::facts::{Branch, Choice, ExprId, ExprKind, Part, Span};
use crate::model::name::Name;

/// What becomes of an expression's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It is used.
    Value,
    /// The function returns it.
    Tail,
    /// It is dropped.
    Effect,
}

impl Lowerer<'_> {
    /// An expression for a use of its value.
    pub(super) fn used(&mut self, e: &Expr, mode: Use) -> Option<ExprId> {
        match e {
            Expr::If(e) => self.if_else(e, mode),
            Expr::Match(e) => self.match_(e, mode),
            Expr::Block(e) => self.block(&e.block, mode),
            Expr::Unsafe(e) => self.block(&e.block, mode),
            Expr::Async(e) => self.block(&e.block, mode),
            Expr::TryBlock(e) => self.block(&e.block, mode),
            Expr::Const(e) => self.block(&e.block, mode),
            Expr::Paren(e) => self.used(&e.expr, mode),
            Expr::Group(e) => self.used(&e.expr, mode),
            // These have no value.
            Expr::ForLoop(_) | Expr::While(_) if mode != Use::Value => {
                self.loop_(e);
                None
            }
            Expr::Assign(_) if mode != Use::Value => {
                self.expr(e);
                None
            }
            _ if mode == Use::Tail => {
                let at = self.expr_span(e);
                if let Some(error) = error_of(e) {
                    let value = error.map(|error| self.expr(error));
                    self.add_throw(value, at);
                    return None;
                }
                let value = self.expr(e);
                if !matches!(self.module.kind(value), ExprKind::Return(_) | ExprKind::Throw(_)) {
                    self.add_return(Some(value), at);
                }
                None
            }
            _ => Some(self.expr(e)),
        }
    }

    /// A block; what its last expression is.
    pub(super) fn block(&mut self, block: &Block, mode: Use) -> Option<ExprId> {
        if !self.enter() {
            return None;
        }
        let has_items = block.stmts.iter().any(|statement| matches!(statement, Stmt::Item(_)));
        let scope = if has_items { self.scopes.open(self.at.scope) } else { self.at.scope };
        let place = At { scope, ..self.at };
        let out = self.in_block(|it| {
            it.within(place, |it| {
                if has_items {
                    it.block_items(&block.stmts, scope);
                }
                it.statements(&block.stmts, mode)
            })
        });
        self.leave();
        out
    }

    /// Statements; what the last expression is.
    pub(super) fn statements(&mut self, statements: &[Stmt], mode: Use) -> Option<ExprId> {
        let mut out = None;
        for (index, statement) in statements.iter().enumerate() {
            let last = index + 1 == statements.len();
            match statement {
                Stmt::Local(local) => self.local_statement(local),
                Stmt::Item(_) => {}
                Stmt::Expr(e, semi) => {
                    let mode = if last && semi.is_none() { mode } else { Use::Effect };
                    let value = self.used(e, mode);
                    if last && semi.is_none() {
                        out = value;
                    }
                }
                Stmt::Macro(mac) => {
                    let value = self.macro_call(&mac.mac);
                    if last && mac.semi_token.is_none() {
                        if mode == Use::Tail {
                            if !matches!(self.module.kind(value), ExprKind::Throw(_)) {
                                self.add_return(Some(value), self.module.expr(value).span);
                            }
                        } else {
                            out = Some(value);
                        }
                    }
                }
            }
        }
        out
    }

    fn local_statement(&mut self, local: &Local) {
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let ty = ty.map(|ty| self.ty(ty));
        let Some(init) = &local.init else {
            if let Pat::Ident(p) = pat {
                let at = self.ident_span(&p.ident);
                let symbol = self.declare_local(name(&p.ident), true, at);
                self.module.symbols[symbol.index()].ty = ty;
            }
            return;
        };
        let place = self.place_behind(&init.expr);
        let value = self.expr(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            let missing = match presence(pat) {
                Presence::Absent => value,
                _ => self.add(ExprKind::Opaque(vec![value]), self.module.expr(value).span),
            };
            let then = self.expr_span(otherwise);
            let whole = Span { start: self.span(local.let_token.span.byte_range()).start, end: then.end };
            self.add_branch(missing, then, None, (true, false), whole);
            self.used(otherwise, Use::Effect);
        }
        self.bind_typed(pat, value, ty, place.as_ref());
    }

    fn add_branch(&mut self, condition: ExprId, then: Span, otherwise: Option<Span>, leaves: (bool, bool), span: Span) {
        self.module.branches.push(Branch {
            condition,
            then,
            otherwise,
            then_leaves: leaves.0,
            otherwise_leaves: leaves.1,
            span,
            func: self.at.func,
        });
    }

    /// A branch that leaves with an error where something is missing: `value.ok_or(error)?`.
    pub(super) fn missing_leaves(&mut self, value: ExprId, then: Span, span: Span, error: Option<ExprId>) {
        let missing = self.add(ExprKind::Opaque(vec![value]), self.module.expr(value).span);
        self.add_branch(missing, then, None, (true, false), span);
        self.add_throw(error, then);
    }

    fn if_else(&mut self, e: &ExprIf, mode: Use) -> Option<ExprId> {
        if !self.enter() {
            return None;
        }
        let whole = self.span(e.if_token.span.byte_range().start..span::block(&e.then_branch).end);
        let then = self.span(span::block(&e.then_branch));
        let (condition, first) = self.in_block(|it| {
            let condition = it.condition(&e.cond);
            (condition, it.block(&e.then_branch, mode))
        });
        let tail = mode == Use::Tail;
        let mut leaves = (block_leaves(&e.then_branch, tail), false);
        let mut otherwise = None;
        let mut second = None;
        let mut end = whole.end;
        if let Some((_, other)) = &e.else_branch {
            let at = self.expr_span(other);
            second = self.used(other, mode);
            otherwise = Some(at);
            leaves.1 = expr_leaves(other, tail);
            end = at.end;
        }
        let whole = Span { start: whole.start, end };
        self.add_branch(condition, then, otherwise, leaves, whole);
        self.leave();
        let arms: Vec<ExprId> = first.into_iter().chain(second).collect();
        (mode == Use::Value)
            .then(|| self.add(ExprKind::Either { condition: Some(condition), arms, choice: Choice::Branch }, whole))
    }

    /// A condition; the names it binds stay in sight.
    pub(super) fn condition(&mut self, e: &Expr) -> ExprId {
        if !self.enter() {
            return self.nothing(Span::default());
        }
        let at = self.expr_span(e);
        let out = match e {
            Expr::Let(e) => {
                let place = self.place_behind(&e.expr);
                let value = self.expr(&e.expr);
                let condition = self.matches(&e.pat, value, false);
                self.bind(&e.pat, value, place.as_ref());
                condition
            }
            Expr::Binary(e) if matches!(e.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                let arms = vec![self.condition(&e.left), self.condition(&e.right)];
                let choice = if matches!(e.op, syn::BinOp::And(_)) { Choice::And } else { Choice::Coalesce };
                self.add(ExprKind::Either { condition: None, arms, choice }, at)
            }
            Expr::Paren(e) => self.condition(&e.expr),
            _ => self.expr(e),
        };
        self.leave();
        out
    }

    fn match_(&mut self, e: &ExprMatch, mode: Use) -> Option<ExprId> {
        if !self.enter() {
            return None;
        }
        let whole = self.span(e.match_token.span.byte_range().start..e.brace_token.span.join().byte_range().end);
        let place = self.place_behind(&e.expr);
        let value = self.expr(&e.expr);
        let tail = mode == Use::Tail;
        let mut arms = Vec::new();
        let mut taken = false;
        for arm in &e.arms {
            let then = self.expr_span(&arm.body);
            let (pat, guard) = match &arm.pat {
                Pat::Guard(p) => (&*p.pat, Some(&*p.guard)),
                pat => (pat, None),
            };
            let mark = self.locals.len();
            let compared = texts(pat);
            let mut tests = match compared.len() {
                0 | 1 => vec![self.matches(pat, value, taken)],
                _ => compared.iter().map(|text| self.compare(value, text, pat)).collect(),
            };
            taken |= presence(pat) == Presence::There;
            self.bind(pat, value, place.as_ref());
            if let Some(guard) = guard {
                let guard = self.condition(guard);
                let first = tests[0];
                let kind = ExprKind::Either { condition: None, arms: vec![first, guard], choice: Choice::And };
                tests = vec![self.add(kind, then)];
            }
            arms.extend(self.used(&arm.body, mode));
            let leaves = expr_leaves(&arm.body, tail);
            for test in tests {
                self.add_branch(test, then, None, (leaves, false), whole);
            }
            self.locals.truncate(mark);
        }
        self.leave();
        (mode == Use::Value)
            .then(|| self.add(ExprKind::Either { condition: Some(value), arms, choice: Choice::Branch }, whole))
    }

    fn compare(&mut self, left: ExprId, text: &str, pat: &Pat) -> ExprId {
        let at = self.span(span::pattern(pat));
        let right = self.add(ExprKind::Text(Name::new(text)), at);
        self.add(ExprKind::Compare { operator: Name::new("=="), left, right }, at)
    }

    /// `for`, `while`, `loop`.
    pub(super) fn loop_(&mut self, e: &Expr) {
        match e {
            Expr::ForLoop(e) => {
                let of = self.expr(&e.expr);
                let at = self.span(span::pattern(&e.pat));
                let value = self.add(ExprKind::Element { of, part: Part::Item }, at);
                self.in_block(|it| {
                    it.bind(&e.pat, value, None);
                    it.block(&e.body, Use::Effect);
                });
            }
            Expr::While(e) => {
                let then = self.span(span::block(&e.body));
                let start = self.span(e.while_token.span.byte_range()).start;
                let condition = self.in_block(|it| {
                    let condition = it.condition(&e.cond);
                    it.block(&e.body, Use::Effect);
                    condition
                });
                let leaves = block_leaves(&e.body, false);
                self.add_branch(condition, then, None, (leaves, false), Span { start, end: then.end });
            }
            Expr::Loop(e) => {
                self.block(&e.body, Use::Effect);
            }
            _ => {}
        }
    }
}

/// The error of `Err(error)`.
pub(super) fn error_of(e: &Expr) -> Option<Option<&Expr>> {
    match e {
        Expr::Call(e) => match &*e.func {
            Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Err") => {
                Some(e.args.first())
            }
            _ => None,
        },
        Expr::Paren(e) => error_of(&e.expr),
        _ => None,
    }
}

fn block_leaves(block: &Block, tail: bool) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(e, semi)) => expr_leaves(e, tail && semi.is_none()),
        Some(Stmt::Macro(mac)) => macro_leaves(&mac.mac),
        _ => false,
    }
}

/// Whether code never runs on to what follows. In a function's tail an error leaves too.
pub(super) fn expr_leaves(e: &Expr, tail: bool) -> bool {
    match e {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Block(e) => block_leaves(&e.block, tail),
        Expr::Unsafe(e) => block_leaves(&e.block, tail),
        Expr::Paren(e) => expr_leaves(&e.expr, tail),
        Expr::If(e) => {
            block_leaves(&e.then_branch, tail)
                && e.else_branch.as_ref().is_some_and(|(_, other)| expr_leaves(other, tail))
        }
        Expr::Match(e) => !e.arms.is_empty() && e.arms.iter().all(|arm| expr_leaves(&arm.body, tail)),
        Expr::Macro(e) => macro_leaves(&e.mac),
        Expr::Try(e) => expr_leaves(&e.expr, true),
        Expr::Call(call) => {
            if tail && error_of(e).is_some() {
                return true;
            }
            matches!(&*call.func, Expr::Path(path)
                if path.path.segments.len() > 1 && path.path.segments.last().is_some_and(|last| last.ident == "exit"))
        }
        _ => false,
    }
}

fn macro_leaves(mac: &syn::Macro) -> bool {
    mac.path.segments.last().is_some_and(|last| {
        matches!(last.ident.to_string().as_str(), "bail" | "panic" | "unreachable" | "todo" | "unimplemented")
    })
}
