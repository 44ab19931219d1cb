//! Calls, and the idioms of the standard library that are no calls here: what passes a value through, what makes a fresh one, what
//! changes a place.

use syn::{Expr, ExprCall, ExprMethodCall};

use super::pattern::WRAPPERS;
use super::types::{is_cell, is_transparent};
use super::{Lowerer, is_type_name, name, span};
use crate::model::facts::{Arg, Choice, ExprId, ExprKind, Span, TypeId};
use crate::model::name::Name;

/// Methods without arguments whose value is the receiver's, or what is in it.
const TRANSPARENT: &[&str] = &[
    "unwrap",
    "lock",
    "read",
    "write",
    "upgradable_read",
    "borrow",
    "borrow_mut",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "clone",
    "cloned",
    "copied",
    "to_owned",
    "into",
    "deref",
    "deref_mut",
    "blocking_lock",
    "blocking_read",
    "blocking_write",
    "lock_owned",
    "read_owned",
    "write_owned",
    "try_lock",
    "try_read",
    "try_write",
    "try_borrow",
    "try_borrow_mut",
    "get_mut",
    "into_inner",
    "ok",
    "flatten",
    "iter",
    "iter_mut",
    "into_iter",
    "drain_all",
    "to_vec",
    "as_slice",
    "as_mut_slice",
    "unwrap_unchecked",
    "by_ref",
    "load_full",
    "value",
    "value_mut",
    "peekable",
    "rev",
    "as_str",
    "into_boxed_str",
    "boxed",
    "fuse",
    "transpose",
    "get",
];

/// Among them, those that make a copy.
const COPIES: &[&str] = &["clone", "cloned", "copied", "to_owned", "to_vec", "into"];

/// Among them, those that reach into a cell.
const LOCKS: &[&str] = &[
    "lock",
    "read",
    "write",
    "borrow_mut",
    "blocking_lock",
    "blocking_read",
    "blocking_write",
    "lock_owned",
    "read_owned",
    "write_owned",
    "try_lock",
    "try_read",
    "try_write",
    "try_borrow_mut",
];

/// Methods with arguments of which the happy path is the receiver.
const CHECKS: &[&str] = &["expect", "map_err", "inspect", "inspect_err"];

/// Methods that leave with the given error where the receiver is absent.
const REQUIRES: &[&str] = &["ok_or", "ok_or_else", "context", "with_context", "wrap_err", "wrap_err_with"];

/// Whether a method call is its receiver.
pub(super) fn is_transparent_call(e: &ExprMethodCall) -> bool {
    let method = e.method.to_string();
    if e.turbofish.is_some() && method == "get" {
        return false;
    }
    (e.args.is_empty() && TRANSPARENT.contains(&method.as_str()))
        || CHECKS.contains(&method.as_str())
        || REQUIRES.contains(&method.as_str())
}

/// Whether a call makes a copy of its receiver.
pub(super) fn is_copy(e: &ExprMethodCall) -> bool {
    COPIES.iter().any(|copy| e.method == copy)
}

/// Whether a call reaches into a cell.
pub(super) fn is_lock(e: &ExprMethodCall) -> bool {
    LOCKS.iter().any(|lock| e.method == lock)
}

impl Lowerer<'_> {
    /// `receiver.method(args)`.
    pub(super) fn method_call(&mut self, e: &ExprMethodCall, at: Span) -> ExprId {
        let method = name(&e.method);
        if !self.own_methods.contains(&method)
            && let Some(value) = self.idiom(e, method, at)
        {
            return value;
        }
        let object = self.expr(&e.receiver);
        let method_at = Span { start: at.start, end: self.ident_span(&e.method).end };
        let callee = self.add(ExprKind::Member { object, name: method }, method_at);
        let args = self.arguments(&e.args);
        let types: Vec<TypeId> = match &e.turbofish {
            Some(args) => span::generic_types(&args.args).into_iter().map(|ty| self.ty(ty)).collect(),
            None => Vec::new(),
        };
        self.finish_call(callee, args, types, at)
    }

    fn finish_call(&mut self, callee: ExprId, args: Vec<Arg>, types: Vec<TypeId>, at: Span) -> ExprId {
        let call = self.add(ExprKind::Call { callee, args }, at);
        if !types.is_empty() {
            self.module.type_args.push((call, types));
        }
        call
    }

    pub(super) fn arguments<P>(&mut self, args: &syn::punctuated::Punctuated<Expr, P>) -> Vec<Arg> {
        args.iter().map(|arg| Arg { value: self.expr(arg), name: None, spread: false }).collect()
    }

    fn idiom(&mut self, e: &ExprMethodCall, method: Name, at: Span) -> Option<ExprId> {
        if is_transparent_call(e) {
            let value = self.expr(&e.receiver);
            let mut error = None;
            for arg in &e.args {
                error = Some(self.expr(arg));
            }
            if REQUIRES.contains(&method.text()) {
                let start = self.ident_span(&e.method).start;
                self.missing_leaves(value, Span { start, end: at.end }, at, error);
            }
            return Some(value);
        }
        let count = e.args.len();
        match (method.text(), count) {
            ("unwrap_or" | "or", 1) => {
                let arms = vec![self.expr(&e.receiver), self.expr(&e.args[0])];
                Some(self.add(ExprKind::Either { condition: None, arms, choice: Choice::Coalesce }, at))
            }
            ("unwrap_or_else" | "or_else", 1) => {
                let value = self.expr(&e.receiver);
                let made = self.invoke(&e.args[0]);
                let arms = vec![value, made];
                Some(self.add(ExprKind::Either { condition: None, arms, choice: Choice::Coalesce }, at))
            }
            ("unwrap_or_default", 0) => {
                let arms = vec![self.expr(&e.receiver), self.fresh(at)];
                Some(self.add(ExprKind::Either { condition: None, arms, choice: Choice::Coalesce }, at))
            }
            ("is_some" | "is_ok", 0) => Some(self.presence(&e.receiver, "!=", at)),
            ("is_none" | "is_err", 0) => Some(self.presence(&e.receiver, "==", at)),
            ("or_default" | "or_insert" | "or_insert_with" | "or_insert_with_key" | "or_try_insert_with", 0 | 1) => {
                self.entry(e, at)
            }
            _ => self.change(e, method.text(), at),
        }
    }

    /// A call of a function that is given.
    pub(super) fn invoke(&mut self, e: &Expr) -> ExprId {
        let at = self.expr_span(e);
        let callee = match e {
            Expr::Path(path) if path.qself.is_none() => {
                let names = Self::names(&path.path);
                if self.is_make(&names) {
                    return self.fresh(at);
                }
                // `unwrap_or_else(PoisonError::into_inner)`: the value all the same.
                if names.last().is_some_and(|last| *last == "into_inner") {
                    return self.nothing(at);
                }
                self.path(&path.path)
            }
            _ => self.expr(e),
        };
        self.add(ExprKind::Call { callee, args: Vec::new() }, at)
    }

    fn presence(&mut self, e: &Expr, operator: &str, at: Span) -> ExprId {
        let left = self.expr(e);
        let right = self.add(ExprKind::Absent, at);
        self.add(ExprKind::Compare { operator: Name::new(operator), left, right }, at)
    }

    /// `map.entry(key).or_insert(value)` is one call.
    fn entry(&mut self, e: &ExprMethodCall, at: Span) -> Option<ExprId> {
        let mut receiver = &*e.receiver;
        let mut modifies = Vec::new();
        while let Expr::MethodCall(call) = receiver {
            if call.method == "entry" && call.args.len() == 1 {
                let object = self.expr(&call.receiver);
                let end = self.ident_span(&call.method).end;
                let callee =
                    self.add(ExprKind::Member { object, name: Name::new("entry") }, Span { start: at.start, end });
                let key = self.expr(&call.args[0]);
                let value = match e.args.first() {
                    None => self.fresh(at),
                    Some(made) if e.method != "or_insert" => self.invoke(made),
                    Some(value) => self.expr(value),
                };
                let args = [key, value].map(|value| Arg { value, name: None, spread: false });
                let out = self.add(ExprKind::Call { callee, args: args.into() }, at);
                for callback in modifies {
                    let callback = self.expr(callback);
                    let callee = self.add(ExprKind::Member { object: out, name: Name::new("map") }, at);
                    let args = vec![Arg { value: callback, name: None, spread: false }];
                    self.add(ExprKind::Call { callee, args }, at);
                }
                return Some(out);
            }
            if call.method == "and_modify" && call.args.len() == 1 {
                modifies.push(&call.args[0]);
                receiver = &call.receiver;
                continue;
            }
            if call.method == "await" {
                return None;
            }
            return None;
        }
        None
    }

    /// `function(args)`.
    pub(super) fn call(&mut self, e: &ExprCall, at: Span) -> ExprId {
        if let Expr::Path(path) = &*e.func {
            if let Some(qself) = &path.qself {
                let callee = self.qualified(qself, &path.path, at);
                let args = self.arguments(&e.args);
                return self.finish_call(callee, args, Vec::new(), at);
            }
            if let Some(value) = self.known_function(e, &path.path, at) {
                return value;
            }
            let mut types = Vec::new();
            for segment in &path.path.segments {
                for ty in span::type_arguments(&segment.arguments) {
                    types.push(self.ty(ty));
                }
            }
            let callee = self.path(&path.path);
            let args = self.arguments(&e.args);
            return self.finish_call(callee, args, types, at);
        }
        let callee = self.expr(&e.func);
        let args = self.arguments(&e.args);
        self.finish_call(callee, args, Vec::new(), at)
    }

    fn known_function(&mut self, e: &ExprCall, path: &syn::Path, at: Span) -> Option<ExprId> {
        let names = Self::names(path);
        let last = names.last()?.text();
        let owner = names.len().checked_sub(2).map(|at| names[at]);
        if e.args.is_empty() && self.is_make(&names) {
            return Some(self.fresh(at));
        }
        if let Some(alias) = self.made_by_alias(&names, e.args.is_empty(), at) {
            return Some(alias);
        }
        if !self.is_foreign(&names) {
            return None;
        }
        let only = (e.args.len() == 1).then(|| &e.args[0]);
        match (owner.map(Name::text), last) {
            (None | Some("Option" | "Result"), "Err") => {
                let children = e.args.iter().map(|arg| self.expr(arg)).collect();
                Some(self.add(ExprKind::Opaque(children), at))
            }
            (_, wrapper) if WRAPPERS.contains(&wrapper) => only.map(|inner| self.expr(inner)),
            (Some("mem") | None, "take") => self.taken(only?, None, at),
            (Some("mem") | None, "replace" | "swap") if e.args.len() == 2 => {
                self.taken(&e.args[0], Some(&e.args[1]), at)
            }
            (Some("LazyLock" | "Lazy" | "LazyCell"), "new") => only.map(|made| self.invoke(made)),
            (Some(cell), _) if is_cell(cell) => {
                let value = match only {
                    Some(value) => Some(self.expr(value)),
                    None => (last == "default").then(|| self.fresh(at)),
                };
                let made = self.cell(at);
                match value {
                    // What is in it comes first: it says more.
                    Some(value) => {
                        let arms = vec![value, made];
                        Some(self.add(ExprKind::Either { condition: None, arms, choice: Choice::Branch }, at))
                    }
                    None => Some(made),
                }
            }
            (Some(pointer), "new" | "clone" | "pin" | "from" | "new_cyclic" | "into_inner" | "downgrade")
                if is_transparent(pointer) || WRAPPERS.contains(&pointer) =>
            {
                only.map(|inner| self.expr(inner))
            }
            (Some(ty), "clone" | "from_ref" | "as_ref" | "to_owned") if is_type_name(Name::new(ty)) => {
                only.map(|inner| self.expr(inner))
            }
            _ => None,
        }
    }
}
