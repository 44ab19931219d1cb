//! Paths: what a name leads to, in the file or outside it.

use super::scope::{FILE, Glob, Item, ScopeId};
use super::{Lowerer, is_type_name, name, span};
use crate::model::facts::{ExprId, ExprKind, Import, Imported, Span, SymbolId, SymbolKind, Type, TypeDeclId, TypeId};
use crate::model::name::Name;

/// What the head of a path leads to.
#[derive(Clone, Debug)]
pub(super) enum Head {
    /// A declared name; the segments from here on hang on it.
    Symbol(SymbolId, usize),
    /// A trait or alias.
    Decl(TypeDeclId, usize),
    /// An inline module.
    Mod(ScopeId),
    /// A type parameter.
    Parameter(Option<TypeId>, usize),
    /// A path that leaves the file.
    Outside(Vec<Name>),
    /// A name that nothing declares.
    Unknown,
}

/// How often one alias may lead to another.
const HOPS: u32 = 16;

impl Lowerer<'_> {
    /// Whether the file is the root of a crate, so that `crate` means the file.
    fn is_root(&self) -> bool {
        let path = self.module.path.as_str();
        let file = path.rsplit('/').next().unwrap_or(path);
        matches!(file, "main.rs" | "lib.rs" | "build.rs")
            || ["bin/", "examples/", "tests/", "benches/"].iter().any(|dir| {
                let parent = path.strip_suffix(file).unwrap_or_default();
                parent.ends_with(&format!("/{dir}")) || parent == *dir
            })
    }

    /// Follows a path.
    pub(super) fn follow(&self, scope: ScopeId, path: &[Name], wants_type: bool) -> Head {
        self.follow_within(scope, path, wants_type, 0)
    }

    fn follow_within(&self, scope: ScopeId, path: &[Name], wants_type: bool, hops: u32) -> Head {
        let Some(first) = path.first() else { return Head::Unknown };
        if hops > HOPS {
            return Head::Unknown;
        }
        let mut at = 0;
        let mut module = match first.text() {
            "crate" if self.is_root() => Some(FILE),
            "crate" => return Head::Outside(path.to_vec()),
            "self" if path.len() > 1 => Some(self.scopes.module_of(scope)),
            "super" => {
                let mut module = self.scopes.module_of(scope);
                while path.get(at).is_some_and(|segment| *segment == "super") {
                    match self.scopes.outer_module(module) {
                        Some(outer) => module = outer,
                        None => return Head::Outside(path[at..].to_vec()),
                    }
                    at += 1;
                }
                at -= 1;
                Some(module)
            }
            _ => None,
        };
        if module.is_some() {
            at += 1;
        }
        loop {
            let Some(&segment) = path.get(at) else { return module.map_or(Head::Unknown, Head::Mod) };
            let last = at + 1 == path.len();
            let found = match module {
                Some(module) => self.scopes.own(module, segment, wants_type && last),
                None => self.scopes.find(scope, segment, wants_type && last),
            };
            let Some(item) = found else {
                if let Some(head) = self.through_globs(module.unwrap_or(scope), &path[at..], wants_type, hops) {
                    return head;
                }
                return match module {
                    // Something of a module's own that is not seen: a macro made it, or a glob brings it.
                    Some(module) => {
                        let own = [Name::new("self")].into_iter().chain(self.scopes.path(module).iter().copied());
                        Head::Outside(own.chain(path[at..].iter().copied()).collect())
                    }
                    None if path.len() > 1 && !is_type_name(segment) => Head::Outside(path.to_vec()),
                    None => Head::Unknown,
                };
            };
            match item {
                Item::Symbol(id) => {
                    if let SymbolKind::Import(index) = self.module.symbol(id).kind
                        && !last
                        && let Some(full) = self.module_path(index)
                    {
                        return Head::Outside(full.into_iter().chain(path[at + 1..].iter().copied()).collect());
                    }
                    return Head::Symbol(id, at + 1);
                }
                Item::Decl(id) => return Head::Decl(id, at + 1),
                Item::Parameter(bound) => return Head::Parameter(bound, at + 1),
                Item::Mod(inner) => module = Some(inner),
                Item::Alias(index) => {
                    let (scope, target) = &self.scopes.aliases[index as usize];
                    let full: Vec<Name> = target.iter().chain(&path[at + 1..]).copied().collect();
                    return match self.follow_within(*scope, &full, wants_type, hops + 1) {
                        // Positions count from the path that was asked for.
                        Head::Symbol(id, next) => Head::Symbol(id, rebase(next, target.len(), at)),
                        Head::Decl(id, next) => Head::Decl(id, rebase(next, target.len(), at)),
                        Head::Parameter(bound, next) => Head::Parameter(bound, rebase(next, target.len(), at)),
                        other => other,
                    };
                }
            }
            at += 1;
        }
    }

    /// What a glob import brings in.
    fn through_globs(&self, scope: ScopeId, path: &[Name], wants_type: bool, hops: u32) -> Option<Head> {
        for glob in self.scopes.globs(scope) {
            let Glob::Own(target) = glob else { continue };
            match self.follow_within(scope, &target, true, hops + 1) {
                Head::Mod(module) if self.scopes.own(module, path[0], wants_type).is_some() => {
                    let full: Vec<Name> = [Name::new("self")].iter().chain(path).copied().collect();
                    return Some(match self.follow_within(module, &full, wants_type, hops + 1) {
                        Head::Symbol(id, next) => Head::Symbol(id, next - 1),
                        Head::Decl(id, next) => Head::Decl(id, next - 1),
                        other => other,
                    });
                }
                // Variants of an enum.
                Head::Symbol(id, _) => {
                    if let SymbolKind::Class(class) = self.module.symbol(id).kind
                        && self.has_static(class, path[0])
                    {
                        return Some(Head::Symbol(id, 0));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The path of a module that an import names; `None` where it names something else.
    fn module_path(&self, import: u32) -> Option<Vec<Name>> {
        let import = &self.module.imports[import as usize];
        let mut path: Vec<Name> = import.source.text().split("::").map(Name::new).collect();
        match import.imported {
            Imported::Namespace => {}
            Imported::Named(name) if !is_type_name(name) => path.push(name),
            _ => return None,
        }
        Some(path)
    }

    /// The import that a path outside the file stands for, and how many of its segments it covers: up to the first type.
    pub(super) fn import_for(&mut self, path: &[Name], span: Span) -> (SymbolId, usize) {
        let local = path.iter().take_while(|s| matches!(s.text(), "crate" | "self" | "super")).count();
        let first = local.max(1);
        let at = path.iter().skip(first).position(|segment| is_type_name(*segment)).map(|at| at + first);
        let last = at.unwrap_or(path.len() - 1);
        let (source, imported) = match last {
            0 => (path[0], Imported::Namespace),
            _ => (join(&path[..last]), Imported::Named(path[last])),
        };
        let known = match imported {
            Imported::Named(name) => (source, name),
            _ => (source, Name::new("")),
        };
        if let Some(&symbol) = self.imports.get(&known) {
            return (symbol, last + 1);
        }
        let symbol = self.add_import(path[last], source, imported, span);
        self.imports.insert(known, symbol);
        (symbol, last + 1)
    }

    /// A symbol that an import binds.
    pub(super) fn add_import(&mut self, name: Name, source: Name, imported: Imported, span: Span) -> SymbolId {
        let index = self.module.imports.len() as u32;
        let symbol = self.add_symbol(name, SymbolKind::Import(index), span);
        self.module.symbols[symbol.index()].func = crate::model::facts::TOP;
        self.module.imports.push(Import { source, imported, symbol: Some(symbol), type_only: false, span });
        symbol
    }

    /// The names of a path.
    pub(super) fn names(path: &syn::Path) -> Vec<Name> {
        path.segments.iter().map(|segment| name(&segment.ident)).collect()
    }

    /// A path as a value.
    pub(super) fn path(&mut self, path: &syn::Path) -> ExprId {
        let at = self.span(span::path(path));
        let names = Self::names(path);
        self.path_of(&names, at)
    }

    /// A written path as a value.
    pub(super) fn path_of(&mut self, path: &[Name], at: Span) -> ExprId {
        if let [single] = path {
            if let Some(symbol) = self.local(*single) {
                return self.add(ExprKind::Symbol(symbol), at);
            }
            match single.text() {
                "self" => return self.add(ExprKind::This(self.at.class), at),
                "None" => return self.add(ExprKind::Absent, at),
                _ => {}
            }
        }
        let (head, next) = self.head(path, at);
        self.members(head, &path[next..], at)
    }

    /// The expression for the head of a path, and how many segments it covers.
    fn head(&mut self, path: &[Name], at: Span) -> (ExprId, usize) {
        if path[0] == "Self"
            && let Some(class) = self.at.class
        {
            return (self.add(ExprKind::Class(class), at), 1);
        }
        match self.follow(self.at.scope, path, false) {
            Head::Symbol(symbol, next) => (self.add(ExprKind::Symbol(symbol), at), next),
            Head::Outside(full) => {
                let (symbol, covered) = self.import_for(&full, at);
                let rest = full.len() - covered;
                let expr = self.add(ExprKind::Symbol(symbol), at);
                (expr, path.len() - rest)
            }
            // An associated function of an alias's type is one of the type.
            Head::Decl(decl, next) => match self.alias_head(decl) {
                Some(symbol) => (self.add(ExprKind::Symbol(symbol), at), next),
                None => (self.nothing(at), next),
            },
            Head::Parameter(_, next) => (self.nothing(at), next),
            Head::Mod(_) => (self.nothing(at), path.len()),
            Head::Unknown => {
                let expr = self.add(ExprKind::Global(path[0]), at);
                self.unresolved.push((expr, path[0], self.at.scope));
                (expr, 1)
            }
        }
    }

    /// The named type that an alias stands for.
    fn alias_head(&self, decl: TypeDeclId) -> Option<SymbolId> {
        match self.module.ty(self.module.type_decls[decl.index()].ty) {
            Type::Named { head, .. } => *head,
            _ => None,
        }
    }

    fn members(&mut self, mut head: ExprId, rest: &[Name], at: Span) -> ExprId {
        for name in rest {
            head = self.add(ExprKind::Member { object: head, name: *name }, at);
        }
        head
    }

    /// The variable of a name in sight.
    pub(super) fn local(&self, name: Name) -> Option<SymbolId> {
        self.locals[self.floor..].iter().rev().find(|(known, _)| *known == name).map(|(_, symbol)| *symbol)
    }

    /// The class of the file that a path names, and the variant where it names one.
    pub(super) fn class_at(&self, path: &[Name]) -> Option<(crate::model::facts::ClassId, Option<Name>)> {
        if path.first().is_some_and(|first| *first == "Self") {
            return self.at.class.map(|class| (class, path.get(1).copied()));
        }
        match self.follow(self.at.scope, path, true) {
            Head::Symbol(symbol, next) => match self.module.symbol(symbol).kind {
                SymbolKind::Class(class) => Some((class, path.get(next).copied())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a path names nothing of the file, so that a well-known name is the well-known thing.
    pub(super) fn is_foreign(&self, path: &[Name]) -> bool {
        match self.follow(self.at.scope, path, false) {
            Head::Symbol(symbol, _) => match self.module.symbol(symbol).kind {
                SymbolKind::Import(index) => {
                    let source = self.module.imports[index as usize].source;
                    !["crate", "self", "super"].iter().any(|own| source.text().split("::").next() == Some(own))
                }
                _ => false,
            },
            Head::Outside(full) => !matches!(full[0].text(), "crate" | "self" | "super"),
            Head::Unknown => true,
            Head::Decl(..) | Head::Mod(_) | Head::Parameter(..) => false,
        }
    }

    /// Names that no declaration explains may come in through a glob import of another file.
    pub(super) fn resolve_globs(&mut self) {
        let own = Name::new("self");
        for (expr, name, scope) in std::mem::take(&mut self.unresolved) {
            let local = self.scopes.globs(scope).into_iter().any(|glob| match glob {
                Glob::Source(source) => matches!(source.text().split("::").next(), Some("crate" | "self" | "super")),
                Glob::Own(_) => false,
            });
            if local {
                let known = self.imports.get(&(own, name)).copied();
                let symbol = known.unwrap_or_else(|| {
                    let span = self.module.expr(expr).span;
                    let symbol = self.add_import(name, own, Imported::Named(name), span);
                    self.imports.insert((own, name), symbol);
                    symbol
                });
                self.module.exprs[expr.index()].kind = ExprKind::Symbol(symbol);
            }
        }
    }
}

/// A position in a path behind an alias, as one in the path with the alias.
fn rebase(next: usize, target: usize, at: usize) -> usize {
    (next + at + 1).saturating_sub(target)
}

/// A path as a specifier.
pub(super) fn join(path: &[Name]) -> Name {
    let texts: Vec<&str> = path.iter().map(|name| name.text()).collect();
    Name::new(&texts.join("::"))
}
