//! Items: declared first, so that order does not matter, and defined afterwards.

use syn::{Item, Stmt};

use super::attributes::is_test;
use super::scope::{self, ScopeId};
use super::{At, Lowerer, name, span};
use crate::model::facts::{AssignKind, ExprKind, FuncKind, Span, SymbolId, SymbolKind};
use crate::model::name::Name;

impl Lowerer<'_> {
    /// Brings the names of items into a scope.
    pub(super) fn declare_items(&mut self, items: &[Item], scope: ScopeId) {
        self.declare_list(&items.iter().collect::<Vec<_>>(), scope);
    }

    /// Fills the items in.
    pub(super) fn define_items(&mut self, items: &[Item], scope: ScopeId) {
        self.define_list(&items.iter().collect::<Vec<_>>(), scope);
    }

    /// The items among a block's statements; they are in sight in all of it.
    pub(super) fn block_items(&mut self, statements: &[Stmt], scope: ScopeId) {
        let items: Vec<&Item> = statements
            .iter()
            .filter_map(|statement| match statement {
                Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        self.declare_list(&items, scope);
        self.define_list(&items, scope);
    }

    fn declare_list(&mut self, items: &[&Item], scope: ScopeId) {
        if !self.enter() {
            return;
        }
        for item in items {
            self.declare_item(item, scope);
        }
        for item in items {
            if let Item::Use(item) = item
                && !is_test(&item.attrs)
            {
                self.declare_use(item, scope);
            }
        }
        self.leave();
    }

    fn declare_item(&mut self, item: &Item, scope: ScopeId) {
        let key = std::ptr::from_ref(item) as usize;
        match item {
            Item::Fn(item) if !is_test(&item.attrs) => {
                let end = span::block(&item.block).end;
                let id = self.declare_function(&item.sig, FuncKind::Named, None, end);
                let span = self.ident_span(&item.sig.ident);
                let symbol = self.add_symbol(name(&item.sig.ident), SymbolKind::Function(id), span);
                self.scopes.declare(scope, name(&item.sig.ident), scope::Item::Symbol(symbol), false);
                self.functions.insert(key, id);
            }
            Item::Struct(item) if !is_test(&item.attrs) => {
                let end = match (&item.fields, &item.semi_token) {
                    (_, Some(semi)) => semi.span.byte_range().end,
                    (syn::Fields::Named(fields), None) => fields.brace_token.span.join().byte_range().end,
                    _ => item.ident.span().byte_range().end,
                };
                let start = item.struct_token.span.byte_range().start;
                let class = self.declare_type_class(&item.ident, start, end, scope);
                self.types.insert(key, class);
            }
            Item::Enum(item) if !is_test(&item.attrs) => {
                let start = item.enum_token.span.byte_range().start;
                let end = item.brace_token.span.join().byte_range().end;
                let class = self.declare_type_class(&item.ident, start, end, scope);
                self.types.insert(key, class);
            }
            Item::Union(item) if !is_test(&item.attrs) => {
                let start = item.union_token.span.byte_range().start;
                let end = item.fields.brace_token.span.join().byte_range().end;
                let class = self.declare_type_class(&item.ident, start, end, scope);
                self.types.insert(key, class);
            }
            Item::Trait(item) if !is_test(&item.attrs) => {
                self.declare_type(&item.ident, scope);
            }
            Item::Type(item) if !is_test(&item.attrs) => {
                self.declare_type(&item.ident, scope);
            }
            Item::Const(item) if !is_test(&item.attrs) => self.declare_variable(&item.ident, scope),
            Item::Static(item) if !is_test(&item.attrs) => self.declare_variable(&item.ident, scope),
            Item::Mod(item) if !is_test(&item.attrs) => match &item.content {
                Some((_, items)) => {
                    let inner = self.scopes.open_module(scope, name(&item.ident));
                    self.scopes.declare(scope, name(&item.ident), scope::Item::Mod(inner), true);
                    self.declare_items(items, inner);
                }
                None => self.declare_file_module(&item.ident, scope),
            },
            Item::ExternCrate(item) => self.declare_crate(item, scope),
            Item::Impl(item) => {
                for part in &item.items {
                    if let syn::ImplItem::Fn(function) = part
                        && function.sig.receiver().is_some()
                    {
                        self.own_methods.insert(name(&function.sig.ident));
                    }
                }
            }
            Item::Macro(item) => self.declare_macro_statics(&item.mac, scope),
            _ => {}
        }
    }

    fn declare_type_class(
        &mut self,
        ident: &syn::Ident,
        start: usize,
        end: usize,
        scope: ScopeId,
    ) -> crate::model::facts::ClassId {
        let whole = self.span(start..end.max(start));
        self.declare_class(name(ident), self.ident_span(ident), whole, Some(scope))
    }

    pub(super) fn declare_variable(&mut self, ident: &syn::Ident, scope: ScopeId) {
        let span = self.ident_span(ident);
        let symbol = self.add_symbol(name(ident), SymbolKind::Variable { mutable: false }, span);
        self.scopes.declare(scope, name(ident), scope::Item::Symbol(symbol), false);
    }

    fn define_list(&mut self, items: &[&Item], scope: ScopeId) {
        if !self.enter() {
            return;
        }
        let place = At { scope, ..self.at };
        self.within(place, |it| {
            for item in items {
                it.define_item(item, scope);
            }
        });
        self.leave();
    }

    fn define_item(&mut self, item: &Item, scope: ScopeId) {
        let key = std::ptr::from_ref(item) as usize;
        match item {
            Item::Fn(item) => {
                if let Some(&id) = self.functions.get(&key) {
                    self.function(id, &item.sig, Some(&item.block), &item.attrs);
                }
            }
            Item::Struct(item) => {
                if let Some(&class) = self.types.get(&key) {
                    let inner = self.scopes.open(scope);
                    self.generics(&item.generics, inner);
                    self.define_struct(class, &item.fields, &item.attrs, inner);
                }
            }
            Item::Enum(item) => {
                if let Some(&class) = self.types.get(&key) {
                    let inner = self.scopes.open(scope);
                    self.generics(&item.generics, inner);
                    self.define_enum(class, &item.variants, &item.attrs, inner);
                }
            }
            Item::Trait(item) if !is_test(&item.attrs) => self.define_trait(item, scope),
            Item::Type(item) if !is_test(&item.attrs) => {
                if let Some(scope::Item::Decl(decl)) = self.scopes.own(scope, name(&item.ident), true) {
                    let inner = self.scopes.open(scope);
                    self.generics(&item.generics, inner);
                    let place = At { scope: inner, ..self.at };
                    let ty = self.within(place, |it| it.ty(&item.ty));
                    self.module.type_decls[decl.index()].ty = ty;
                }
            }
            Item::Const(item) if !is_test(&item.attrs) => {
                self.define_variable(&item.ident, &item.ty, &item.expr, scope)
            }
            Item::Static(item) if !is_test(&item.attrs) => {
                self.define_variable(&item.ident, &item.ty, &item.expr, scope);
            }
            Item::Mod(item) if !is_test(&item.attrs) => {
                if let Some((_, items)) = &item.content
                    && let Some(scope::Item::Mod(inner)) = self.scopes.own(scope, name(&item.ident), true)
                {
                    self.define_items(items, inner);
                }
            }
            Item::Impl(item) if !is_test(&item.attrs) => self.define_impl(item, scope),
            Item::Macro(item) => self.define_macro_statics(&item.mac, scope),
            _ => {}
        }
    }

    pub(super) fn define_variable(&mut self, ident: &syn::Ident, ty: &syn::Type, value: &syn::Expr, scope: ScopeId) {
        let Some(symbol) = self.scopes.symbol(scope, name(ident)) else { return };
        let at = self.ident_span(ident);
        let ty = self.ty(ty);
        let value = self.expr(value);
        let end = self.module.expr(value).span.end;
        self.give(symbol, Some(ty), value, Span { start: at.start, end: end.max(at.start) });
    }

    /// The initial value of a declared variable.
    pub(super) fn give(
        &mut self,
        symbol: SymbolId,
        ty: Option<crate::model::facts::TypeId>,
        value: crate::model::facts::ExprId,
        span: Span,
    ) {
        let known = &mut self.module.symbols[symbol.index()];
        known.ty = ty;
        known.init = Some(value);
        let name_span = known.span;
        let target = self.add(ExprKind::Symbol(symbol), name_span);
        self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, span);
    }

    /// A trait is a declared type; the bodies it gives run on whatever implements it.
    fn define_trait(&mut self, item: &syn::ItemTrait, scope: ScopeId) {
        let Some(scope::Item::Decl(decl)) = self.scopes.own(scope, name(&item.ident), true) else { return };
        let inner = self.scopes.open(scope);
        self.generics(&item.generics, inner);
        let place = At { scope: inner, ..self.at };
        let mut extends = Vec::new();
        self.within(place, |it| {
            for bound in &item.supertraits {
                if let syn::TypeParamBound::Trait(bound) = bound {
                    extends.push(it.path_type(&bound.path));
                }
            }
            for part in &item.items {
                if let syn::TraitItem::Fn(function) = part
                    && let Some(body) = &function.default
                    && !is_test(&function.attrs)
                {
                    let id = it.declare_function(&function.sig, FuncKind::Named, None, span::block(body).end);
                    it.function(id, &function.sig, Some(body), &function.attrs);
                }
            }
        });
        let ty = self.add_type(crate::model::facts::Type::Object { fields: Vec::new(), index: None });
        let declared = &mut self.module.type_decls[decl.index()];
        declared.ty = ty;
        declared.extends = extends;
    }

    /// The name of a static that only a macro declares.
    pub(super) fn macro_static(&self, scope: ScopeId, name: Name) -> Option<SymbolId> {
        self.scopes.symbol(scope, name)
    }
}
