//! Expressions.

use syn::{BinOp, Expr, Lit, UnOp};

use super::control::Use;
use super::place::member_name;
use super::{Lowerer, span};
use crate::model::facts::{AssignKind, Choice, ExprId, ExprKind, Span};
use crate::model::name::Name;

impl Lowerer<'_> {
    pub(super) fn expr_span(&self, e: &Expr) -> Span {
        self.span(span::expr(e))
    }

    /// An expression as a value.
    pub(super) fn expr(&mut self, e: &Expr) -> ExprId {
        if !self.enter() {
            return self.nothing(Span::default());
        }
        let out = self.expr_inner(e);
        self.leave();
        out
    }

    fn expr_inner(&mut self, e: &Expr) -> ExprId {
        match e {
            // Transparent.
            Expr::Paren(e) => self.expr(&e.expr),
            Expr::Group(e) => self.expr(&e.expr),
            Expr::Reference(e) => self.expr(&e.expr),
            Expr::RawAddr(e) => self.expr(&e.expr),
            Expr::Await(e) => self.expr(&e.base),
            Expr::Try(e) => self.attempt(&e.expr),
            Expr::Cast(e) => self.expr(&e.expr),
            Expr::Unary(e) if matches!(e.op, UnOp::Deref(_)) => self.expr(&e.expr),
            Expr::Unary(unary) => {
                let inner = self.expr(&unary.expr);
                self.add(ExprKind::Opaque(vec![inner]), self.expr_span(e))
            }
            Expr::Lit(lit) => self.literal(&lit.lit),
            Expr::Path(path) => match &path.qself {
                None => self.value_path(&path.path),
                Some(qself) => self.qualified(qself, &path.path, self.expr_span(e)),
            },
            Expr::Field(field) => {
                let object = self.expr(&field.base);
                self.add(ExprKind::Member { object, name: member_name(&field.member) }, self.expr_span(e))
            }
            Expr::Index(index) => {
                let object = self.expr(&index.expr);
                let key = self.expr(&index.index);
                self.add(ExprKind::Index { object, key }, self.expr_span(e))
            }
            Expr::Call(call) => self.call(call, self.expr_span(e)),
            Expr::MethodCall(call) => self.method_call(call, self.expr_span(e)),
            Expr::Macro(mac) => self.macro_call(&mac.mac),
            Expr::Struct(literal) => self.struct_literal(literal),
            Expr::Closure(closure) => self.closure(closure, self.expr_span(e)),
            Expr::Assign(assign) => {
                let value = self.expr(&assign.right);
                if matches!(&*assign.left, Expr::Infer(_)) {
                    return value;
                }
                if let Expr::Tuple(parts) = &*assign.left {
                    return self.assign_parts(parts, value);
                }
                let target = self.target(&assign.left);
                self.add(ExprKind::Assign { target, value, kind: AssignKind::Set }, self.expr_span(e))
            }
            Expr::Binary(binary) => self.binary(binary, self.expr_span(e)),
            Expr::Let(_) => self.condition(e),
            Expr::Array(array) => {
                let items = array.elems.iter().map(|item| self.expr(item)).collect();
                self.add(ExprKind::Sequence(items), self.expr_span(e))
            }
            Expr::Tuple(tuple) => {
                let items = tuple.elems.iter().map(|item| self.expr(item)).collect();
                self.add(ExprKind::Sequence(items), self.expr_span(e))
            }
            Expr::Repeat(repeat) => {
                let item = self.expr(&repeat.expr);
                self.expr(&repeat.len);
                self.add(ExprKind::Sequence(vec![item]), self.expr_span(e))
            }
            Expr::Range(range) => {
                let parts: Vec<ExprId> = range.start.iter().chain(&range.end).map(|part| self.expr(part)).collect();
                self.add(ExprKind::Opaque(parts), self.expr_span(e))
            }
            Expr::Return(ret) => self.return_(ret, self.expr_span(e)),
            Expr::Break(brk) => {
                let children = brk.expr.iter().map(|value| self.expr(value)).collect();
                self.add(ExprKind::Opaque(children), self.expr_span(e))
            }
            Expr::Yield(yields) => {
                let value = yields.expr.as_ref().map(|value| self.expr(value));
                self.add(ExprKind::Yield(value), self.expr_span(e))
            }
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
                self.loop_(e);
                self.nothing(self.expr_span(e))
            }
            Expr::If(_)
            | Expr::Match(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::Async(_)
            | Expr::TryBlock(_)
            | Expr::Const(_) => {
                let value = self.used(e, Use::Value);
                value.unwrap_or_else(|| self.nothing(self.expr_span(e)))
            }
            Expr::Verbatim(tokens) => {
                let at = self.expr_span(e);
                self.unseen(tokens, at)
            }
            _ => self.nothing(self.expr_span(e)),
        }
    }

    /// `e?`: where `e` is an error, the function leaves with it.
    fn attempt(&mut self, e: &Expr) -> ExprId {
        if let Some(error) = super::control::error_of(e) {
            let value = error.map(|error| self.expr(error));
            return self.add_throw(value, self.expr_span(e));
        }
        self.expr(e)
    }

    fn return_(&mut self, ret: &syn::ExprReturn, at: Span) -> ExprId {
        if let Some(value) = &ret.expr {
            if let Some(error) = super::control::error_of(value) {
                let value = error.map(|error| self.expr(error));
                return self.add_throw(value, at);
            }
            let value = self.expr(value);
            let id = self.add(ExprKind::Return(Some(value)), at);
            self.module.functions[self.at.func.index()].returns.push(value);
            return id;
        }
        self.add(ExprKind::Return(None), at)
    }

    fn assign_parts(&mut self, parts: &syn::ExprTuple, value: ExprId) -> ExprId {
        for (index, part) in parts.elems.iter().enumerate() {
            if matches!(part, Expr::Infer(_)) {
                continue;
            }
            let at = self.expr_span(part);
            let own = self.add(ExprKind::Member { object: value, name: Name::new(&index.to_string()) }, at);
            let target = self.target(part);
            self.add(ExprKind::Assign { target, value: own, kind: AssignKind::Set }, at);
        }
        value
    }

    fn literal(&mut self, lit: &Lit) -> ExprId {
        let at = self.span(lit.span().byte_range());
        match lit {
            Lit::Str(text) => self.add(ExprKind::Text(Name::new(&text.value())), at),
            Lit::ByteStr(text) => {
                let value = text.value();
                self.add(ExprKind::Text(Name::new(&String::from_utf8_lossy(&value))), at)
            }
            // Names, so that a switch can be told on from off.
            Lit::Bool(value) => self.add(ExprKind::Global(Name::new(if value.value { "true" } else { "false" })), at),
            _ => self.add(ExprKind::Literal, at),
        }
    }

    /// A path where a value is expected: a unit struct is one made here.
    fn value_path(&mut self, path: &syn::Path) -> ExprId {
        let at = self.span(span::path(path));
        let names = Self::names(path);
        let is_type = names.last().is_some_and(|last| super::is_type_name(*last));
        if is_type
            && (names.len() > 1 || self.local(names[0]).is_none())
            && let Some((class, None)) = self.class_at(&names)
            && self.module.class(class).fields.is_empty()
        {
            let callee = self.add(ExprKind::Class(class), at);
            return self.add(ExprKind::New { callee, args: Vec::new() }, at);
        }
        self.path_of(&names, at)
    }

    /// `<Type as Trait>::name`.
    pub(super) fn qualified(&mut self, qself: &syn::QSelf, path: &syn::Path, at: Span) -> ExprId {
        let names = Self::names(path);
        let mut ty = &*qself.ty;
        while let syn::Type::Reference(inner) = ty {
            ty = &inner.elem;
        }
        let syn::Type::Path(ty) = ty else { return self.nothing(at) };
        let mut full = Self::names(&ty.path);
        full.extend(names.last());
        self.path_of(&full, at)
    }

    fn binary(&mut self, e: &syn::ExprBinary, at: Span) -> ExprId {
        let update = |op: &BinOp| {
            matches!(
                op,
                BinOp::AddAssign(_)
                    | BinOp::SubAssign(_)
                    | BinOp::MulAssign(_)
                    | BinOp::DivAssign(_)
                    | BinOp::RemAssign(_)
                    | BinOp::BitXorAssign(_)
                    | BinOp::BitAndAssign(_)
                    | BinOp::BitOrAssign(_)
                    | BinOp::ShlAssign(_)
                    | BinOp::ShrAssign(_)
            )
        };
        if update(&e.op) {
            let value = self.expr(&e.right);
            let target = self.target(&e.left);
            return self.add(ExprKind::Assign { target, value, kind: AssignKind::Update }, at);
        }
        let operator = match e.op {
            BinOp::And(_) | BinOp::Or(_) => {
                let arms = vec![self.expr(&e.left), self.expr(&e.right)];
                let choice = if matches!(e.op, BinOp::And(_)) { Choice::And } else { Choice::Coalesce };
                return self.add(ExprKind::Either { condition: None, arms, choice }, at);
            }
            BinOp::Eq(_) => "==",
            BinOp::Ne(_) => "!=",
            BinOp::Lt(_) => "<",
            BinOp::Le(_) => "<=",
            BinOp::Gt(_) => ">",
            BinOp::Ge(_) => ">=",
            BinOp::Add(_) => {
                // Strings are put together so; a sum of numbers holds no text.
                let parts = vec![self.expr(&e.left), self.expr(&e.right)];
                return self.add(ExprKind::Template(parts), at);
            }
            _ => {
                let children = vec![self.expr(&e.left), self.expr(&e.right)];
                return self.add(ExprKind::Opaque(children), at);
            }
        };
        let (left, right) = (self.expr(&e.left), self.expr(&e.right));
        self.add(ExprKind::Compare { operator: Name::new(operator), left, right }, at)
    }
}
