//! Structs, enums and their `impl`s as classes.

use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, ImplItem, ItemImpl, Variant};

use super::attributes::{derives, is_test};
use super::pattern::variant_field;
use super::place::member_name;
use super::scope::{Item, ScopeId};
use super::{At, Lowerer, name, span};
use crate::model::facts::{
    AssignKind, Class, ClassField, ClassId, ExprId, ExprKind, FuncId, FuncKind, Function, Param, Span, SymbolKind,
    Type, TypeId,
};
use crate::model::name::Name;

/// Traits of the standard library whose methods nothing outside runs.
const ORDINARY: &[&str] = &[
    "Clone",
    "Debug",
    "Display",
    "Default",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "FromStr",
    "Deref",
    "DerefMut",
    "AsRef",
    "AsMut",
    "Iterator",
    "IntoIterator",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Error",
    "Serialize",
    "Deserialize",
    "Future",
    "Stream",
    "Read",
    "Write",
    "Index",
    "IndexMut",
    "Add",
    "Sub",
    "ToString",
    "Borrow",
    "Extend",
];

impl Lowerer<'_> {
    /// A class without members yet.
    pub(super) fn declare_class(&mut self, own: Name, name_span: Span, span: Span, scope: Option<ScopeId>) -> ClassId {
        let id = ClassId(self.module.classes.len() as u32);
        let constructor = self.add_function(Function {
            kind: FuncKind::Constructor,
            class: Some(id),
            ..self.blank(Some(own), span, name_span)
        });
        self.module.classes.push(Class {
            name: Some(own),
            bases: Vec::new(),
            implements: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            constructor,
            decorators: Vec::new(),
            func: self.at.func,
            span,
            name_span,
        });
        if let Some(scope) = scope {
            let symbol = self.add_symbol(own, SymbolKind::Class(id), name_span);
            self.scopes.declare(scope, own, Item::Symbol(symbol), true);
        }
        id
    }

    /// A function with nothing in it.
    pub(super) fn blank(&self, name: Option<Name>, span: Span, name_span: Span) -> Function {
        Function {
            name,
            kind: FuncKind::Named,
            parent: Some(self.at.func),
            class: None,
            is_static: false,
            params: Vec::new(),
            returns: Vec::new(),
            ret: None,
            decorators: Vec::new(),
            span,
            name_span,
            throws: Vec::new(),
        }
    }

    /// Whether a class of the file has an associated function.
    pub(super) fn has_static(&self, class: ClassId, name: Name) -> bool {
        self.module.class(class).methods.iter().any(|method| {
            let method = self.module.function(*method);
            method.is_static && method.name == Some(name)
        })
    }

    /// The fields of a struct, and the constructor of a tuple struct.
    pub(super) fn define_struct(&mut self, class: ClassId, fields: &Fields, attrs: &[Attribute], scope: ScopeId) {
        let constructor = self.module.class(class).constructor;
        let place = At { func: constructor, class: Some(class), scope };
        self.within(place, |it| {
            let types: Vec<(Name, TypeId, Span)> = it.field_types(fields, None);
            for (own, ty, at) in &types {
                it.add_field(class, *own, *ty, *at);
                if matches!(fields, Fields::Unnamed(_)) {
                    it.take_part(constructor, class, *own, *ty, *at);
                }
            }
        });
        if derives(attrs, "Default") {
            self.derive_default(class);
        }
        self.decorate_class(class, attrs);
    }

    fn field_types(&mut self, fields: &Fields, variant: Option<Name>) -> Vec<(Name, TypeId, Span)> {
        fields
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let ty = self.ty(&field.ty);
                let at = match &field.ident {
                    Some(ident) => self.ident_span(ident),
                    None => self.span(span::ty(&field.ty)),
                };
                let own = field.ident.as_ref().map_or_else(|| index.to_string(), |ident| name(ident).text().to_owned());
                (variant_field(variant, &own), ty, at)
            })
            .collect()
    }

    fn add_field(&mut self, class: ClassId, name: Name, ty: TypeId, span: Span) {
        let field = ClassField { name, ty: Some(ty), init: None, is_static: false, readonly: false, span };
        self.module.classes[class.index()].fields.push(field);
    }

    /// A parameter of a function that goes into a field.
    fn take_part(&mut self, func: FuncId, class: ClassId, field: Name, ty: TypeId, at: Span) {
        let symbol = self.add_symbol(Name::new(&format!("#{field}")), SymbolKind::Parameter, at);
        self.module.symbols[symbol.index()].ty = Some(ty);
        self.module.functions[func.index()].params.push(Param { symbol, rest: false, optional: false });
        let object = self.add(ExprKind::This(Some(class)), at);
        let target = self.add(ExprKind::Member { object, name: field }, at);
        let value = self.add(ExprKind::Symbol(symbol), at);
        self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, at);
    }

    /// Variants as associated functions that make the enum's value.
    pub(super) fn define_enum(
        &mut self,
        class: ClassId,
        variants: &Punctuated<Variant, syn::Token![,]>,
        attrs: &[Attribute],
        scope: ScopeId,
    ) {
        for variant in variants {
            let own = name(&variant.ident);
            let at = self.ident_span(&variant.ident);
            let func = self.associated(class, own, at);
            self.within(At { func, class: Some(class), scope }, |it| {
                it.wire_name(&variant.attrs, at);
                for (field, ty, at) in it.field_types(&variant.fields, Some(own)) {
                    it.add_field(class, field, ty, at);
                    it.take_part(func, class, field, ty, at);
                }
                it.return_new(class, at);
            });
        }
        if derives(attrs, "Default") {
            self.derive_default(class);
        }
        self.decorate_class(class, attrs);
    }

    /// The text by which a variant goes over the wire: it is compared with what comes in.
    fn wire_name(&mut self, attrs: &[Attribute], at: Span) {
        let named = attrs.iter().filter(|attr| attr.path().is_ident("serde"));
        for text in named.filter_map(|attr| self.attribute_text(attr, "rename")).collect::<Vec<_>>() {
            self.add(ExprKind::Text(text), at);
        }
    }

    /// An associated function that the file does not spell out.
    fn associated(&mut self, class: ClassId, own: Name, at: Span) -> FuncId {
        let func = self.add_function(Function {
            kind: FuncKind::Method,
            class: Some(class),
            is_static: true,
            ..self.blank(Some(own), at, at)
        });
        self.module.classes[class.index()].methods.push(func);
        func
    }

    fn return_new(&mut self, class: ClassId, at: Span) {
        let callee = self.add(ExprKind::Class(class), at);
        let value = self.add(ExprKind::New { callee, args: Vec::new() }, at);
        self.add_return(Some(value), at);
    }

    fn derive_default(&mut self, class: ClassId) {
        let at = self.module.class(class).name_span;
        let func = self.associated(class, Name::new("default"), at);
        let place = At { func, class: Some(class), scope: self.at.scope };
        self.within(place, |it| it.return_new(class, at));
    }

    fn decorate_class(&mut self, class: ClassId, attrs: &[Attribute]) {
        let decorators = self.decorators(attrs);
        self.module.classes[class.index()].decorators.extend(decorators);
    }

    /// An `impl`: its methods go to the class it is for.
    pub(super) fn define_impl(&mut self, item: &ItemImpl, outer: ScopeId) {
        let scope = self.scopes.open(outer);
        let place = At { scope, ..self.at };
        self.within(place, |it| {
            it.generics(&item.generics, scope);
            let class = it.class_of(item);
            it.at.class = Some(class);
            let of_trait = item.trait_.as_ref().map(|(path, _)| path);
            if let Some(path) = of_trait {
                let ty = it.path_type(path);
                it.module.classes[class.index()].implements.push(ty);
            }
            it.macro_made(class, &item.attrs);
            for part in &item.items {
                match part {
                    ImplItem::Fn(function) => it.method(class, function, of_trait),
                    ImplItem::Const(constant) => it.associated_const(class, constant),
                    ImplItem::Macro(mac) => {
                        let at = it.span(span::macro_(&mac.mac));
                        it.unseen(&mac.mac.tokens, at);
                    }
                    _ => {}
                }
            }
            it.decorate_class(class, &item.attrs);
        });
    }

    /// The class that an `impl` is for; one that continues it, where the type is of another file.
    fn class_of(&mut self, item: &ItemImpl) -> ClassId {
        let at = self.span(span::ty(&item.self_ty));
        let mut written = &*item.self_ty;
        while let syn::Type::Reference(inner) = written {
            written = &inner.elem;
        }
        let own = match written {
            syn::Type::Path(ty) if ty.qself.is_none() => {
                let path = Self::names(&ty.path);
                if let Some((class, _)) = self.class_at(&path) {
                    return class;
                }
                path.last().copied()
            }
            _ => None,
        };
        let Some(own) = own else {
            return self.declare_class(Name::new("impl"), at, at, None);
        };
        let base = self.ty(written);
        let head = match self.module.ty(base) {
            Type::Named { head, .. } => *head,
            _ => None,
        };
        if let Some(head) = head
            && let Some(known) = self.continued.get(&head)
        {
            return *known;
        }
        let class = self.declare_class(own, at, at, None);
        if let Some(head) = head {
            let base = self.add(ExprKind::Symbol(head), at);
            self.module.classes[class.index()].bases.push(base);
            self.continued.insert(head, class);
        }
        class
    }

    /// What attribute macros add to an `impl`: the router of its tools.
    fn macro_made(&mut self, class: ClassId, attrs: &[Attribute]) {
        for attr in attrs {
            let Some(last) = attr.path().segments.last() else { continue };
            if last.ident != "tool_router" && last.ident != "prompt_router" {
                continue;
            }
            let at = self.span(span::path(attr.path()));
            let own = self.attribute_text(attr, "router").unwrap_or_else(|| name(&last.ident));
            if self.has_static(class, own) {
                continue;
            }
            let func = self.associated(class, own, at);
            let path = Name::new(if last.ident == "tool_router" { "ToolRouter" } else { "PromptRouter" });
            let ty = self.add_type(Type::Named { path, head: None, decl: None, args: Vec::new() });
            self.module.functions[func.index()].ret = Some(ty);
        }
    }

    fn method(&mut self, class: ClassId, item: &syn::ImplItemFn, of_trait: Option<&syn::Path>) {
        if is_test(&item.attrs) {
            return;
        }
        let func = self.declare_function(&item.sig, FuncKind::Method, Some(class), span::block(&item.block).end);
        self.module.classes[class.index()].methods.push(func);
        self.function(func, &item.sig, Some(&item.block), &item.attrs);
        let Some(path) = of_trait else { return };
        let names = Self::names(path);
        let ordinary = names.last().is_none_or(|last| ORDINARY.contains(&last.text()));
        if ordinary || !self.is_foreign(&names) {
            return;
        }
        let at = self.ident_span(&item.sig.ident);
        let object = self.path_of(&names, at);
        let callee = self.add(ExprKind::Member { object, name: name(&item.sig.ident) }, at);
        let decorator = self.add(ExprKind::Call { callee, args: Vec::new() }, at);
        self.module.functions[func.index()].decorators.push(decorator);
    }

    fn associated_const(&mut self, class: ClassId, item: &syn::ImplItemConst) {
        let at = self.ident_span(&item.ident);
        let value = self.expr(&item.expr);
        let object = self.add(ExprKind::Class(class), at);
        let target = self.add(ExprKind::Member { object, name: name(&item.ident) }, at);
        self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, at);
    }

    /// `Name { field: value, ..rest }`.
    pub(super) fn struct_literal(&mut self, e: &syn::ExprStruct) -> ExprId {
        let at = self.span(span::path(&e.path).start..e.brace_token.span.join().byte_range().end);
        let path = Self::names(&e.path);
        let own = if e.qself.is_none() { self.class_at(&path) } else { None };
        let path_at = self.span(span::path(&e.path));
        let (callee, variant) = match own {
            Some((class, variant)) => (self.add(ExprKind::Class(class), path_at), variant),
            // `Enum::Variant { … }` of another file.
            None if path.len() > 1 && super::is_type_name(path[path.len() - 2]) => {
                (self.path_of(&path[..path.len() - 1], path_at), path.last().copied())
            }
            None => (self.path_of(&path, path_at), None),
        };
        let mut values: Vec<(Name, ExprId, Span)> = Vec::new();
        for field in &e.fields {
            let value = self.expr(&field.expr);
            let own = variant_field(variant, member_name(&field.member).text());
            let start = match &field.member {
                syn::Member::Named(ident) => ident.span().byte_range().start,
                syn::Member::Unnamed(index) => index.span.byte_range().start,
            };
            let end = span::expr(&field.expr).end;
            values.push((own, value, self.span(start..end)));
        }
        let rest = e.rest.as_ref().map(|rest| self.expr(rest));
        let made = self.add(ExprKind::New { callee, args: Vec::new() }, at);
        for (own, value, at) in values {
            let object = match own_class(own_id(&self.module, callee)) {
                Some(class) => self.add(ExprKind::This(Some(class)), at),
                None => made,
            };
            let target = self.add(ExprKind::Member { object, name: own }, at);
            self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, at);
        }
        if let Some(value) = rest {
            let at = self.module.expr(value).span;
            let target = self.add(ExprKind::Member { object: made, name: Name::new("...") }, at);
            self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, at);
        }
        made
    }
}

fn own_id(module: &crate::model::facts::Module, callee: ExprId) -> &ExprKind {
    module.kind(callee)
}

fn own_class(kind: &ExprKind) -> Option<ClassId> {
    match kind {
        ExprKind::Class(class) => Some(*class),
        _ => None,
    }
}
