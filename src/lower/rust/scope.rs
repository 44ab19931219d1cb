//! Scopes of items: modules, blocks with items of their own, generic parameters. Items are declared before any body is read, so
//! that a reference is resolved where it stands; variables are kept apart, for a later one of the same name shadows the earlier.

use rustc_hash::FxHashMap;

use crate::model::facts::{SymbolId, TypeDeclId, TypeId};
use crate::model::name::Name;

/// A scope of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

/// The file's own scope.
pub(super) const FILE: ScopeId = ScopeId(0);

/// What a name stands for in a scope of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A function, class, static or import.
    Symbol(SymbolId),
    /// A trait or an alias of a type.
    Decl(TypeDeclId),
    /// An inline module.
    Mod(ScopeId),
    /// A type parameter with its first bound.
    Parameter(Option<TypeId>),
    /// A path that leads elsewhere in the file: index into [`Scopes::aliases`].
    Alias(u32),
}

/// One scope.
struct Scope {
    parent: ScopeId,
    /// Names of the scope around it are out of sight, as in a module.
    closed: bool,
    /// Its path from the file, for a module.
    path: Vec<Name>,
    values: FxHashMap<Name, Item>,
    types: FxHashMap<Name, Item>,
    /// What `use path::*` names.
    globs: Vec<Glob>,
}

/// A `use path::*`.
#[derive(Clone, Debug)]
pub(super) enum Glob {
    /// Of an inline module (or enum) of the file, by path.
    Own(Vec<Name>),
    /// Of another file or crate.
    Source(Name),
}

/// All scopes of a file.
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    /// Names that stand for a path within the file.
    pub(super) aliases: Vec<(ScopeId, Vec<Name>)>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        Self { scopes: vec![Scope::new(FILE, true, Vec::new())], aliases: Vec::new() }
    }

    /// Opens a block's scope.
    pub(super) fn open(&mut self, parent: ScopeId) -> ScopeId {
        let path = self.scopes[parent.0 as usize].path.clone();
        self.push(Scope::new(parent, false, path))
    }

    /// Opens a module's scope.
    pub(super) fn open_module(&mut self, parent: ScopeId, name: Name) -> ScopeId {
        let mut path = self.scopes[parent.0 as usize].path.clone();
        path.push(name);
        self.push(Scope::new(parent, true, path))
    }

    fn push(&mut self, scope: Scope) -> ScopeId {
        self.scopes.push(scope);
        ScopeId(self.scopes.len() as u32 - 1)
    }

    fn at(&self, scope: ScopeId) -> &Scope {
        &self.scopes[scope.0 as usize]
    }

    /// The module that a scope belongs to.
    pub(super) fn module_of(&self, mut scope: ScopeId) -> ScopeId {
        while !self.at(scope).closed {
            scope = self.at(scope).parent;
        }
        scope
    }

    /// The module around a module; `None` at the file's edge.
    pub(super) fn outer_module(&self, scope: ScopeId) -> Option<ScopeId> {
        let module = self.module_of(scope);
        (module != FILE).then(|| self.module_of(self.at(module).parent))
    }

    /// The path of a scope's module from the file.
    pub(super) fn path(&self, scope: ScopeId) -> &[Name] {
        &self.at(scope).path
    }

    /// Declares a name. The first declaration counts (the others stand under another `cfg`), but nothing hides behind an alias.
    pub(super) fn declare(&mut self, scope: ScopeId, name: Name, item: Item, is_type: bool) {
        let scope = &mut self.scopes[scope.0 as usize];
        let names = if is_type { &mut scope.types } else { &mut scope.values };
        let known = names.entry(name).or_insert(item);
        if matches!(known, Item::Alias(_)) && !matches!(item, Item::Alias(_)) {
            *known = item;
        }
    }

    /// Gives a type parameter its bound.
    pub(super) fn bound(&mut self, scope: ScopeId, name: Name, bound: TypeId) {
        if let Some(item @ Item::Parameter(None)) = self.scopes[scope.0 as usize].types.get_mut(&name) {
            *item = Item::Parameter(Some(bound));
        }
    }

    pub(super) fn add_glob(&mut self, scope: ScopeId, glob: Glob) {
        self.scopes[scope.0 as usize].globs.push(glob);
    }

    /// The item of exactly this scope: as a value, else as a type.
    pub(super) fn own(&self, scope: ScopeId, name: Name, wants_type: bool) -> Option<Item> {
        let scope = self.at(scope);
        let (first, second) = if wants_type { (&scope.types, &scope.values) } else { (&scope.values, &scope.types) };
        first.get(&name).or_else(|| second.get(&name)).copied()
    }

    /// The symbol of exactly this scope.
    pub(super) fn symbol(&self, scope: ScopeId, name: Name) -> Option<SymbolId> {
        match self.own(scope, name, false) {
            Some(Item::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    /// What a name means in a scope.
    pub(super) fn find(&self, mut scope: ScopeId, name: Name, wants_type: bool) -> Option<Item> {
        loop {
            if let Some(item) = self.own(scope, name, wants_type) {
                return Some(item);
            }
            if self.at(scope).closed {
                return None;
            }
            scope = self.at(scope).parent;
        }
    }

    /// The globs in sight.
    pub(super) fn globs(&self, mut scope: ScopeId) -> Vec<Glob> {
        let mut out = Vec::new();
        loop {
            out.extend(self.at(scope).globs.iter().cloned());
            if self.at(scope).closed {
                return out;
            }
            scope = self.at(scope).parent;
        }
    }

    /// All names of a scope, in the order of their text.
    pub(super) fn names(&self, scope: ScopeId) -> Vec<(Name, Item)> {
        let scope = self.at(scope);
        let mut out: Vec<(Name, Item)> = scope.values.iter().chain(&scope.types).map(|(n, i)| (*n, *i)).collect();
        out.sort_by_key(|(name, _)| name.text());
        out
    }
}

impl Scope {
    fn new(parent: ScopeId, closed: bool, path: Vec<Name>) -> Self {
        Self { parent, closed, path, values: FxHashMap::default(), types: FxHashMap::default(), globs: Vec::new() }
    }
}
