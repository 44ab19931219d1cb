//! Calls that change the place they are made on, and calls that make a fresh value.

use syn::{Expr, ExprMethodCall};

use super::Lowerer;
use super::types::is_transparent;
use crate::model::facts::{AssignKind, ExprId, ExprKind, Span};
use crate::model::name::Name;

impl Lowerer<'_> {
    /// Methods that change the place that they are called on.
    pub(super) fn change(&mut self, e: &ExprMethodCall, method: &str, at: Span) -> Option<ExprId> {
        let ordered = e.args.last().is_some_and(is_ordering);
        let kind = match (method, e.args.len()) {
            ("take", 0) | ("set" | "replace" | "send_replace", 1) => AssignKind::Set,
            ("get_or_init" | "get_or_insert_with" | "get_or_insert" | "get_or_try_init", 1) => AssignKind::IfAbsent,
            ("load", 1) if ordered => return Some(self.expr(&e.receiver)),
            ("store" | "swap", 2) if ordered => AssignKind::Set,
            (_, 2) if ordered && method.starts_with("fetch_") => AssignKind::Update,
            ("compare_exchange" | "compare_exchange_weak" | "fetch_update", _) if ordered => AssignKind::Update,
            ("store" | "swap", 1) if self.is_place_of_field(&e.receiver) => AssignKind::Set,
            _ => return None,
        };
        let place = self.place(&e.receiver)?;
        let receiver = self.expr(&e.receiver);
        let value = match e.args.first() {
            None => self.add(ExprKind::Absent, at),
            Some(made) if matches!(method, "get_or_init" | "get_or_insert_with" | "get_or_try_init") => {
                self.invoke(made)
            }
            Some(value) => self.expr(value),
        };
        let target = self.place_expr(&place, self.module.expr(receiver).span);
        let assigned = self.add(ExprKind::Assign { target, value, kind }, at);
        Some(if kind == AssignKind::IfAbsent { assigned } else { receiver })
    }

    fn is_place_of_field(&self, e: &Expr) -> bool {
        matches!(e, Expr::Field(_)) && self.place(e).is_some()
    }

    /// `mem::take(place)`, `mem::replace(place, value)`.
    pub(super) fn taken(&mut self, place: &Expr, value: Option<&Expr>, at: Span) -> Option<ExprId> {
        let found = self.place(place)?;
        let old = self.expr(place);
        let value = match value {
            Some(value) => self.expr(value),
            None => self.fresh(at),
        };
        let target = self.place_expr(&found, self.module.expr(old).span);
        self.add(ExprKind::Assign { target, value, kind: AssignKind::Set }, at);
        Some(old)
    }

    /// Whether a path names a function that makes a fresh value of a type which only its use tells.
    pub(super) fn is_make(&self, path: &[Name]) -> bool {
        let [owner @ .., last] = path else { return false };
        let Some(owner) = owner.last() else { return false };
        *last == "default" && (*owner == "Default" || is_transparent(owner.text())) && self.is_foreign(path)
    }

    /// A fresh value of a type which only its use tells.
    pub(super) fn fresh(&mut self, at: Span) -> ExprId {
        self.library_call(&["Default", "default"], at)
    }

    /// A fresh cell.
    pub(super) fn cell(&mut self, at: Span) -> ExprId {
        self.library_call(&["Cell", "new"], at)
    }

    fn library_call(&mut self, path: &[&str; 2], at: Span) -> ExprId {
        let object = self.add(ExprKind::Global(Name::new(path[0])), at);
        let callee = self.add(ExprKind::Member { object, name: Name::new(path[1]) }, at);
        self.add(ExprKind::Call { callee, args: Vec::new() }, at)
    }

    /// `Alias::default()`: a fresh value of the type that the alias stands for.
    pub(super) fn made_by_alias(&mut self, path: &[Name], empty: bool, at: Span) -> Option<ExprId> {
        let [_, .., last] = path else { return None };
        if !empty || !matches!(last.text(), "default" | "new") {
            return None;
        }
        let super::paths::Head::Decl(decl, next) = self.follow(self.at.scope, path, false) else { return None };
        if next + 1 != path.len() {
            return None;
        }
        let value = self.fresh(at);
        let ty = self.module.type_decls[decl.index()].ty;
        Some(self.add(ExprKind::Cast { value, ty }, at))
    }
}

/// Whether an argument is the memory order of an atomic operation.
fn is_ordering(e: &Expr) -> bool {
    match e {
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
            matches!(last.ident.to_string().as_str(), "Relaxed" | "SeqCst" | "Acquire" | "Release" | "AcqRel")
        }),
        // `fetch_update(order, order, f)` and the like end in something else.
        _ => false,
    }
}
