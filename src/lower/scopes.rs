//! Lexical scopes: what a name means where it stands.

use rustc_hash::FxHashMap;

use crate::model::facts::{SymbolId, TypeDeclId};
use crate::model::name::Name;

/// A scope of one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

/// The module's own scope.
pub(super) const MODULE: ScopeId = ScopeId(0);

/// What a name means where a type is expected.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeName {
    /// An interface, alias or enum.
    Decl(TypeDeclId),
    /// A type parameter: stands for nothing that is known, but shadows.
    Parameter,
}

/// All scopes of a module.
pub(super) struct Scopes {
    parents: Vec<ScopeId>,
    /// Most blocks declare nothing; look-ups skip them without hashing.
    any: Vec<bool>,
    values: FxHashMap<(ScopeId, Name), SymbolId>,
    types: FxHashMap<(ScopeId, Name), TypeName>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        Self { parents: vec![MODULE], any: vec![false], values: FxHashMap::default(), types: FxHashMap::default() }
    }

    pub(super) fn open(&mut self, parent: ScopeId) -> ScopeId {
        let id = ScopeId(self.parents.len() as u32);
        self.parents.push(parent);
        self.any.push(false);
        id
    }

    /// The symbol of exactly this scope.
    pub(super) fn own(&self, scope: ScopeId, name: Name) -> Option<SymbolId> {
        self.values.get(&(scope, name)).copied()
    }

    /// The type name of exactly this scope.
    pub(super) fn own_type(&self, scope: ScopeId, name: Name) -> Option<TypeName> {
        self.types.get(&(scope, name)).copied()
    }

    pub(super) fn bind(&mut self, scope: ScopeId, name: Name, symbol: SymbolId) {
        self.any[scope.0 as usize] = true;
        self.values.insert((scope, name), symbol);
    }

    pub(super) fn bind_type(&mut self, scope: ScopeId, name: Name, what: TypeName) {
        self.any[scope.0 as usize] = true;
        self.types.insert((scope, name), what);
    }

    fn find<T>(&self, mut scope: ScopeId, mut own: impl FnMut(&Self, ScopeId) -> Option<T>) -> Option<T> {
        loop {
            if self.any[scope.0 as usize]
                && let Some(found) = own(self, scope)
            {
                return Some(found);
            }
            if scope == MODULE {
                return None;
            }
            scope = self.parents[scope.0 as usize];
        }
    }

    /// The symbol that a use of `name` in `scope` means.
    pub(super) fn value(&self, scope: ScopeId, name: Name) -> Option<SymbolId> {
        self.find(scope, |scopes, scope| scopes.own(scope, name))
    }

    /// The symbol that `name` means around `scope`, the module left out.
    pub(super) fn value_above(&self, scope: ScopeId, name: Name) -> Option<SymbolId> {
        let mut at = scope;
        while at != MODULE {
            at = self.parents[at.0 as usize];
            if at != MODULE
                && let Some(found) = self.own(at, name)
            {
                return Some(found);
            }
        }
        None
    }

    /// All names of a scope, in the order of their declaration.
    pub(super) fn names(&self, scope: ScopeId) -> Vec<(Name, SymbolId)> {
        let mut names: Vec<_> = self
            .values
            .iter()
            .filter(|((of, _), _)| *of == scope)
            .map(|((_, name), symbol)| (*name, *symbol))
            .collect();
        names.sort_by_key(|(name, symbol)| (*symbol, name.text()));
        names
    }

    /// What a type `name` in `scope` means.
    pub(super) fn type_name(&self, scope: ScopeId, name: Name) -> Option<TypeName> {
        self.find(scope, |scopes, scope| scopes.own_type(scope, name))
    }
}
