//! Places: what a guard or a mutable reference leads to, so that changing through it is changing the place.

use syn::{Expr, Member};

use super::{Lowerer, calls, name};
use crate::model::facts::{ExprId, ExprKind, Span, SymbolId};
use crate::model::name::Name;

/// A variable or field.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: Root,
    fields: Vec<Name>,
    /// Reached through a copy: the same place only for what lies behind a lock.
    copied: bool,
}

#[derive(Clone, Copy, Debug)]
enum Root {
    This,
    Symbol(SymbolId),
    /// A static of the file or of another.
    Item(Name),
}

impl Place {
    /// A part of it.
    pub(super) fn field(&self, name: Name) -> Self {
        let mut fields = self.fields.clone();
        fields.push(name);
        Self { root: self.root, fields, copied: self.copied }
    }
}

impl Lowerer<'_> {
    /// The place that changing an expression's value changes: through references, locks and the happy path.
    pub(super) fn place(&self, e: &Expr) -> Option<Place> {
        self.place_behind(e).filter(|place| !place.copied)
    }

    /// The place that an expression's value comes from.
    pub(super) fn place_behind(&self, e: &Expr) -> Option<Place> {
        let mut fields = Vec::new();
        let mut at = e;
        let (mut locked, mut copied) = (false, false);
        let root = loop {
            match at {
                Expr::Paren(e) => at = &e.expr,
                Expr::Group(e) => at = &e.expr,
                Expr::Reference(e) => at = &e.expr,
                Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => at = &e.expr,
                Expr::Await(e) => at = &e.base,
                Expr::Try(e) => at = &e.expr,
                Expr::MethodCall(e)
                    if calls::is_transparent_call(e) && !self.own_methods.contains(&name(&e.method)) =>
                {
                    locked |= calls::is_lock(e);
                    copied |= calls::is_copy(e) && !locked;
                    at = &e.receiver;
                }
                Expr::Field(e) => {
                    fields.push(member_name(&e.member));
                    at = &e.base;
                }
                Expr::Path(e) if e.qself.is_none() => {
                    let Some(ident) = e.path.get_ident() else {
                        let names = Self::names(&e.path);
                        let last = names.last()?;
                        if !is_static_name(*last) {
                            return None;
                        }
                        break Root::Item(super::paths::join(&names));
                    };
                    if ident == "self" {
                        break Root::This;
                    }
                    match self.local(name(ident)) {
                        Some(symbol) => match self.places.get(&symbol) {
                            Some(place) if locked || !place.copied => {
                                fields.extend(place.fields.iter().rev());
                                break place.root;
                            }
                            _ => break Root::Symbol(symbol),
                        },
                        None if is_static_name(name(ident)) => break Root::Item(name(ident)),
                        None => return None,
                    }
                }
                _ => return None,
            }
        };
        fields.reverse();
        Some(Place { root, fields, copied })
    }

    /// A place as an expression.
    pub(super) fn place_expr(&mut self, place: &Place, span: Span) -> ExprId {
        let mut out = match place.root {
            Root::This => self.add(ExprKind::This(self.at.class), span),
            Root::Symbol(symbol) => self.add(ExprKind::Symbol(symbol), span),
            Root::Item(path) => {
                let names: Vec<Name> = path.text().split("::").map(Name::new).collect();
                self.path_of(&names, span)
            }
        };
        for field in &place.fields {
            out = self.add(ExprKind::Member { object: out, name: *field }, span);
        }
        out
    }

    /// What an assignment goes to.
    pub(super) fn target(&mut self, e: &Expr) -> ExprId {
        let span = self.expr_span(e);
        match e {
            Expr::Paren(e) => self.target(&e.expr),
            Expr::Group(e) => self.target(&e.expr),
            Expr::Path(path) if path.qself.is_none() => self.path(&path.path),
            Expr::Field(e) => {
                let object = self.expr(&e.base);
                self.add(ExprKind::Member { object, name: member_name(&e.member) }, span)
            }
            Expr::Index(e) => {
                let object = self.expr(&e.expr);
                let key = self.expr(&e.index);
                self.add(ExprKind::Index { object, key }, span)
            }
            _ => match self.place(e) {
                Some(place) => self.place_expr(&place, span),
                None => self.expr(e),
            },
        }
    }
}

fn is_static_name(name: Name) -> bool {
    let text = name.text();
    text.chars().any(char::is_alphabetic) && !text.chars().any(char::is_lowercase)
}

/// The name of a field.
pub(super) fn member_name(member: &Member) -> Name {
    match member {
        Member::Named(ident) => name(ident),
        Member::Unnamed(index) => Name::new(&index.index.to_string()),
    }
}
