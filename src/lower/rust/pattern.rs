//! Patterns: the names they bind, and what they say of the value they match.

use syn::Pat;

use super::place::{Place, member_name};
use super::{Lowerer, is_type_name, name, span};
use crate::model::facts::{AssignKind, ExprId, ExprKind, Part, Span, SymbolId, SymbolKind, TypeId};
use crate::model::name::Name;

/// Wrappers that are their inner value here.
pub(super) const WRAPPERS: &[&str] = &[
    "Some",
    "Ok",
    "Err",
    "Parameters",
    "Extension",
    "State",
    "Json",
    "Form",
    "Query",
    "Path",
    "Box",
    "Arc",
    "Wrapping",
];

/// What a pattern says of the presence of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is there.
    There,
    /// It is not.
    Absent,
    /// Nothing.
    Open,
}

/// What a pattern says of presence.
pub(super) fn presence(pat: &Pat) -> Presence {
    match pat {
        Pat::Ident(p) if p.ident == "None" => Presence::Absent,
        Pat::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "None") => Presence::Absent,
        Pat::TupleStruct(p) => match p.path.segments.last().map(|segment| segment.ident.to_string()).as_deref() {
            Some("Some" | "Ok") => Presence::There,
            Some("Err") => Presence::Absent,
            _ => Presence::Open,
        },
        Pat::Or(p) => p.cases.first().map_or(Presence::Open, presence),
        Pat::Paren(p) => presence(&p.pat),
        Pat::Reference(p) => presence(&p.pat),
        Pat::Guard(p) => presence(&p.pat),
        _ => Presence::Open,
    }
}

/// The texts that a pattern compares with.
pub(super) fn texts(pat: &Pat) -> Vec<String> {
    match pat {
        Pat::Lit(p) => match &p.lit {
            syn::Lit::Str(text) => vec![text.value()],
            _ => Vec::new(),
        },
        Pat::Or(p) => p.cases.iter().flat_map(texts).collect(),
        Pat::Paren(p) => texts(&p.pat),
        Pat::TupleStruct(p) if p.elems.len() == 1 && presence(pat) == Presence::There => texts(&p.elems[0]),
        _ => Vec::new(),
    }
}

impl Lowerer<'_> {
    /// A variable comes into sight.
    pub(super) fn declare_local(&mut self, name: Name, mutable: bool, span: Span) -> SymbolId {
        let symbol = self.add_symbol(name, SymbolKind::Variable { mutable }, span);
        self.locals.push((name, symbol));
        symbol
    }

    /// Binds the names of a pattern to a value. `place`: where the value lies, if it lies somewhere.
    pub(super) fn bind(&mut self, pat: &Pat, value: ExprId, place: Option<&Place>) {
        if !self.enter() {
            return;
        }
        self.bind_inner(pat, value, place);
        self.leave();
    }

    fn bind_inner(&mut self, pat: &Pat, value: ExprId, place: Option<&Place>) {
        let at = self.span(span::pattern(pat));
        match pat {
            Pat::Ident(p) => {
                let own = name(&p.ident);
                if is_type_name(own) && p.subpat.is_none() {
                    return;
                }
                let symbol = self.declare_local(own, p.mutability.is_some(), at);
                self.init(symbol, value, at);
                if let Some(place) = place {
                    self.places.insert(symbol, place.clone());
                }
                if let Some((_, sub)) = &p.subpat {
                    self.bind(sub, value, place);
                }
            }
            Pat::Tuple(p) => {
                for (index, pat) in p.elems.iter().enumerate() {
                    self.bind_part(pat, value, Name::new(&index.to_string()), place);
                }
            }
            Pat::TupleStruct(p) => {
                let path = Self::names(&p.path);
                let class = self.class_at(&path);
                let last = path.last().map_or("", |name| name.text());
                if class.is_none() && p.elems.len() == 1 && WRAPPERS.contains(&last) {
                    if last == "Err" {
                        let error = self.nothing(at);
                        self.bind(&p.elems[0], error, None);
                    } else {
                        self.bind(&p.elems[0], value, place);
                    }
                    return;
                }
                let variant = class.and_then(|(_, variant)| variant).or(class.is_none().then(|| Name::new(last)));
                for (index, pat) in p.elems.iter().enumerate() {
                    let field = variant_field(variant, &index.to_string());
                    self.bind_part(pat, value, field, place);
                }
            }
            Pat::Struct(p) => {
                let path = Self::names(&p.path);
                let variant = match self.class_at(&path) {
                    Some((_, variant)) => variant,
                    // `Enum::Variant { … }` of another file.
                    None if path.len() > 1 && is_type_name(path[path.len() - 2]) => path.last().copied(),
                    None => None,
                };
                for field in &p.fields {
                    let own = variant_field(variant, member_name(&field.member).text());
                    self.bind_part(&field.pat, value, own, place);
                }
            }
            Pat::Slice(p) => {
                for pat in &p.elems {
                    let element = self.add(ExprKind::Element { of: value, part: Part::Item }, at);
                    self.bind(pat, element, None);
                }
            }
            Pat::Type(p) => {
                let ty = self.ty(&p.ty);
                self.bind_typed(&p.pat, value, Some(ty), place);
            }
            Pat::Paren(p) => self.bind(&p.pat, value, place),
            Pat::Reference(p) => self.bind(&p.pat, value, place),
            Pat::Guard(p) => self.bind(&p.pat, value, place),
            Pat::Or(p) => {
                if let Some(first) = p.cases.first() {
                    self.bind(first, value, place);
                }
            }
            _ => {}
        }
    }

    fn bind_part(&mut self, pat: &Pat, value: ExprId, field: Name, place: Option<&Place>) {
        if matches!(pat, Pat::Wild(_) | Pat::Rest(_)) {
            return;
        }
        let at = self.span(span::pattern(pat));
        let part = self.add(ExprKind::Member { object: value, name: field }, at);
        let place = place.map(|place| place.field(field));
        self.bind(pat, part, place.as_ref());
    }

    fn init(&mut self, symbol: SymbolId, value: ExprId, at: Span) {
        let known = &mut self.module.symbols[symbol.index()];
        if known.init.is_none() {
            known.init = Some(value);
        }
        let target = self.add(ExprKind::Symbol(symbol), at);
        self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, at);
    }

    /// `pat: ty = value`.
    pub(super) fn bind_typed(&mut self, pat: &Pat, value: ExprId, ty: Option<TypeId>, place: Option<&Place>) {
        let at = self.span(span::pattern(pat));
        match (pat, ty) {
            (Pat::Ident(p), Some(ty)) if p.subpat.is_none() => {
                let symbol = self.declare_local(name(&p.ident), p.mutability.is_some(), at);
                self.module.symbols[symbol.index()].ty = Some(ty);
                self.init(symbol, value, at);
                if let Some(place) = place {
                    self.places.insert(symbol, place.clone());
                }
            }
            (_, Some(ty)) => {
                let value = self.add(ExprKind::Cast { value, ty }, at);
                self.bind(pat, value, place);
            }
            (_, None) => self.bind(pat, value, place),
        }
    }

    /// The condition that a pattern matches a value. `others`: earlier arms have taken the values that are there.
    pub(super) fn matches(&mut self, pat: &Pat, value: ExprId, others: bool) -> ExprId {
        let at = self.span(span::pattern(pat));
        let compared = texts(pat);
        if !compared.is_empty() {
            let equal = Name::new("==");
            let mut tests: Vec<ExprId> = Vec::new();
            for text in compared {
                let right = self.add(ExprKind::Text(Name::new(&text)), at);
                tests.push(self.add(ExprKind::Compare { operator: equal, left: value, right }, at));
            }
            return match tests.as_slice() {
                [single] => *single,
                _ => {
                    let choice = crate::model::facts::Choice::Coalesce;
                    self.add(ExprKind::Either { condition: None, arms: tests, choice }, at)
                }
            };
        }
        match presence(pat) {
            Presence::There => value,
            Presence::Absent => self.add(ExprKind::Opaque(vec![value]), at),
            Presence::Open if others => self.add(ExprKind::Opaque(vec![value]), at),
            Presence::Open => self.nothing(at),
        }
    }
}

/// The field under which a variant keeps a part.
pub(super) fn variant_field(variant: Option<Name>, field: &str) -> Name {
    match variant {
        Some(variant) => Name::new(&format!("{variant}.{field}")),
        None => Name::new(field),
    }
}
