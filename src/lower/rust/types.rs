//! Written types. References, smart pointers, locks and wrappers are their inner type; what a lock or cell holds may also be the
//! cell itself, for a plain value in it has no identity of its own.

use syn::{GenericParam, Generics, PathArguments, ReturnType, TypeParamBound};

use super::paths::Head;
use super::scope::{Item, ScopeId};
use super::{Lowerer, name, span};
use crate::model::facts::{SymbolKind, Type, TypeDecl, TypeDeclId, TypeId};
use crate::model::name::Name;

/// Types that are their first type argument here.
const TRANSPARENT: &[&str] = &[
    "Arc",
    "Rc",
    "Weak",
    "Box",
    "Pin",
    "Option",
    "Result",
    "Cow",
    "LazyLock",
    "LazyCell",
    "Lazy",
    "Ref",
    "RefMut",
    "MutexGuard",
    "OwnedMutexGuard",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "MappedMutexGuard",
    "Extension",
    "State",
    "Data",
    "Json",
    "Form",
    "ManuallyDrop",
    "Wrapping",
    "Poll",
    "CachePadded",
];

/// Types of which the argument can change in place behind a shared reference.
const CELLS: &[&str] = &[
    "Mutex",
    "FairMutex",
    "ReentrantMutex",
    "RwLock",
    "RefCell",
    "Cell",
    "UnsafeCell",
    "OnceCell",
    "OnceLock",
    "SetOnce",
    "ArcSwap",
    "ArcSwapOption",
    "ArcSwapAny",
];

/// Whether a type's name is that of a cell.
pub(super) fn is_cell(name: &str) -> bool {
    CELLS.contains(&name) || name.strip_prefix("Atomic").is_some_and(|rest| !rest.is_empty())
}

/// Whether a type's name is that of a pointer or wrapper.
pub(super) fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name)
}

impl Lowerer<'_> {
    /// A written type.
    pub(super) fn ty(&mut self, ty: &syn::Type) -> TypeId {
        if !self.enter() {
            return self.add_type(Type::Unknown);
        }
        let out = self.ty_inner(ty);
        self.leave();
        out
    }

    fn ty_inner(&mut self, ty: &syn::Type) -> TypeId {
        match ty {
            syn::Type::Paren(t) => self.ty(&t.elem),
            syn::Type::Group(t) => self.ty(&t.elem),
            syn::Type::Reference(t) => self.ty(&t.elem),
            syn::Type::Ptr(t) => self.ty(&t.elem),
            syn::Type::Slice(t) => {
                let element = self.ty(&t.elem);
                self.add_type(Type::List(element))
            }
            syn::Type::Array(t) => {
                let element = self.ty(&t.elem);
                self.add_type(Type::List(element))
            }
            syn::Type::Tuple(t) if !t.elems.is_empty() => {
                let mut fields = Vec::new();
                for (index, elem) in t.elems.iter().enumerate() {
                    fields.push((Name::new(&index.to_string()), self.ty(elem)));
                }
                self.add_type(Type::Object { fields, index: None })
            }
            syn::Type::ImplTrait(t) => self.bounds(t.bounds.iter()),
            syn::Type::TraitObject(t) => self.bounds(t.bounds.iter()),
            syn::Type::FnPtr(t) => {
                let params = t.inputs.iter().map(|arg| self.ty(&arg.ty)).collect();
                let ret = self.output(&t.output);
                self.add_type(Type::Function { params, ret })
            }
            syn::Type::Path(t) if t.qself.is_none() => self.path_type(&t.path),
            _ => self.add_type(Type::Unknown),
        }
    }

    /// What a signature returns.
    pub(super) fn output(&mut self, output: &ReturnType) -> Option<TypeId> {
        match output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(self.ty(ty)),
        }
    }

    /// A path as a type.
    pub(super) fn path_type(&mut self, path: &syn::Path) -> TypeId {
        let names = Self::names(path);
        let Some(last) = path.segments.last() else { return self.add_type(Type::Unknown) };
        let text = name(&last.ident).text();
        if let PathArguments::Parenthesized(args) = &last.arguments {
            let params = args.inputs.iter().map(|arg| self.ty(&arg.ty)).collect();
            let ret = self.output(&args.output);
            return self.add_type(Type::Function { params, ret });
        }
        let written = span::type_arguments(&last.arguments);
        let known = is_transparent(text) || is_cell(text);
        if known && self.is_foreign(&names) {
            let inner = match (written.first(), text.strip_prefix("Atomic")) {
                (Some(ty), _) => Some(self.ty(ty)),
                (None, Some(plain)) => {
                    let path = Name::new(&plain.to_ascii_lowercase());
                    Some(self.add_type(Type::Named { path, head: None, decl: None, args: Vec::new() }))
                }
                (None, None) => None,
            };
            if !is_cell(text) {
                return inner.unwrap_or_else(|| self.add_type(Type::Unknown));
            }
            let cell = Type::Named { path: Name::new("Cell"), head: None, decl: None, args: Vec::new() };
            let cell = self.add_type(cell);
            // What the cell holds comes first: it says more.
            return self.add_type(Type::Union(inner.into_iter().chain([cell]).collect()));
        }
        match text {
            // What comes out in the end.
            "Future" | "Stream" | "Iterator" | "IntoIterator" | "IntoFuture" | "BoxFuture" | "BoxStream" => {
                let Some(inner) = written.last() else { return self.add_type(Type::Unknown) };
                let inner = self.ty(inner);
                return if text.ends_with("Future") { inner } else { self.add_type(Type::List(inner)) };
            }
            "Into" | "AsRef" | "From" | "Borrow" | "ToOwned" | "Deref" if !written.is_empty() => {
                return self.ty(written[0]);
            }
            _ => {}
        }
        let args: Vec<TypeId> = written.into_iter().map(|ty| self.ty(ty)).collect();
        if names.first().is_some_and(|first| *first == "Self") {
            return self.self_type();
        }
        self.named(&names, args, self.span(span::path(path)))
    }

    fn self_type(&mut self) -> TypeId {
        let symbol = self.at.class.and_then(|class| self.class_symbol(class));
        let ty = match symbol {
            Some(symbol) => {
                let path = self.module.symbol(symbol).name;
                Type::Named { path, head: Some(symbol), decl: None, args: Vec::new() }
            }
            None => Type::Unknown,
        };
        self.add_type(ty)
    }

    /// The type that a path names.
    pub(super) fn named(&mut self, path: &[Name], args: Vec<TypeId>, at: crate::model::facts::Span) -> TypeId {
        let scope = self.at.scope;
        let ty = match self.follow(scope, path, true) {
            Head::Symbol(symbol, _) => {
                let path = self.module.symbol(symbol).name;
                Type::Named { path, head: Some(symbol), decl: None, args }
            }
            Head::Decl(decl, _) => {
                let path = self.module.type_decls[decl.index()].name;
                Type::Named { path, head: None, decl: Some(decl), args }
            }
            Head::Parameter(bound, next) => match bound {
                Some(bound) if next == path.len() => return bound,
                _ => Type::Unknown,
            },
            Head::Outside(full) => {
                let (symbol, _) = self.import_for(&full, at);
                let path = self.module.symbol(symbol).name;
                Type::Named { path, head: Some(symbol), decl: None, args }
            }
            Head::Mod(_) => Type::Unknown,
            Head::Unknown => Type::Named { path: path[path.len() - 1], head: None, decl: None, args },
        };
        self.add_type(ty)
    }

    /// The type that bounds describe: their first trait.
    fn bounds<'b>(&mut self, bounds: impl Iterator<Item = &'b TypeParamBound>) -> TypeId {
        for bound in bounds {
            if let TypeParamBound::Trait(bound) = bound {
                let last = bound.path.segments.last().map(|segment| segment.ident.to_string());
                if matches!(last.as_deref(), Some("Send" | "Sync" | "Sized" | "Unpin" | "Clone" | "Debug" | "Display"))
                {
                    continue;
                }
                return self.path_type(&bound.path);
            }
        }
        self.add_type(Type::Unknown)
    }

    /// Declares the type parameters of an item in a scope.
    pub(super) fn generics(&mut self, generics: &Generics, scope: ScopeId) {
        for param in &generics.params {
            if let GenericParam::Type(param) = param {
                self.scopes.declare(scope, name(&param.ident), Item::Parameter(None), true);
            }
        }
        let mut bounds: Vec<(Name, TypeId)> = Vec::new();
        for param in &generics.params {
            if let GenericParam::Type(param) = param
                && !param.bounds.is_empty()
            {
                bounds.push((name(&param.ident), self.bounds(param.bounds.iter())));
            }
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate
                && let syn::Type::Path(ty) = &predicate.bounded_ty
                && let Some(ident) = ty.path.get_ident()
            {
                bounds.push((name(ident), self.bounds(predicate.bounds.iter())));
            }
        }
        for (param, bound) in bounds {
            if !matches!(self.module.ty(bound), Type::Unknown) {
                self.scopes.bound(scope, param, bound);
            }
        }
    }

    /// A trait or alias, to be filled in later.
    pub(super) fn declare_type(&mut self, ident: &syn::Ident, scope: ScopeId) -> TypeDeclId {
        let ty = self.add_type(Type::Unknown);
        let id = TypeDeclId(self.module.type_decls.len() as u32);
        let span = self.ident_span(ident);
        self.module.type_decls.push(TypeDecl { name: name(ident), ty, extends: Vec::new(), span });
        self.scopes.declare(scope, name(ident), Item::Decl(id), true);
        id
    }

    /// The symbol of a class of the file; of the type it continues, where it continues one.
    pub(super) fn class_symbol(&self, class: crate::model::facts::ClassId) -> Option<crate::model::facts::SymbolId> {
        let declared = self.module.symbols.iter().position(|symbol| symbol.kind == SymbolKind::Class(class));
        declared.map(|at| crate::model::facts::SymbolId(at as u32)).or_else(|| {
            match self.module.class(class).bases.first().map(|base| self.module.kind(*base)) {
                Some(crate::model::facts::ExprKind::Symbol(symbol)) => Some(*symbol),
                _ => None,
            }
        })
    }
}
