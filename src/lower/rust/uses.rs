//! `use` and `mod`: imports, aliases within the file, and what the file exports.

use syn::{ItemUse, UseTree};

use super::paths::join;
use super::scope::{FILE, Glob, Item, ScopeId};
use super::{Lowerer, is_type_name, name};
use crate::model::facts::{Export, Exported, Imported, Span, SymbolId, SymbolKind};
use crate::model::name::Name;

impl Lowerer<'_> {
    /// `mod x;`: a module in a file of its own.
    pub(super) fn declare_file_module(&mut self, ident: &syn::Ident, scope: ScopeId) {
        let span = self.ident_span(ident);
        let own = name(ident);
        let mut path = vec![Name::new("self")];
        path.extend(self.scopes.path(scope));
        path.push(own);
        let symbol = self.add_import(own, join(&path), Imported::Namespace, span);
        self.scopes.declare(scope, own, Item::Symbol(symbol), true);
    }

    /// `extern crate x as y;`
    pub(super) fn declare_crate(&mut self, item: &syn::ItemExternCrate, scope: ScopeId) {
        let bound = item.rename.as_ref().map_or(&item.ident, |(_, rename)| rename);
        let span = self.ident_span(bound);
        let symbol = self.add_import(name(bound), name(&item.ident), Imported::Namespace, span);
        self.scopes.declare(scope, name(bound), Item::Symbol(symbol), true);
    }

    pub(super) fn declare_use(&mut self, item: &ItemUse, scope: ScopeId) {
        let start = item.use_token.span.byte_range().start;
        let end = item.semi_token.span.byte_range().end;
        let span = self.span(start..end);
        self.use_tree(&item.tree, &mut Vec::new(), scope, span, 0);
    }

    fn use_tree(&mut self, tree: &UseTree, path: &mut Vec<Name>, scope: ScopeId, span: Span, depth: u32) {
        if depth > 100 {
            self.too_deep = true;
            return;
        }
        match tree {
            UseTree::Path(tree) => {
                path.push(name(&tree.ident));
                self.use_tree(&tree.tree, path, scope, span, depth + 1);
                path.pop();
            }
            UseTree::Group(tree) => {
                for item in &tree.items {
                    self.use_tree(item, path, scope, span, depth + 1);
                }
            }
            UseTree::Name(tree) => self.use_name(path, name(&tree.ident), name(&tree.ident), scope, span),
            UseTree::Rename(tree) => self.use_name(path, name(&tree.ident), name(&tree.rename), scope, span),
            UseTree::Glob(_) => self.use_glob(path, scope),
        }
    }

    fn use_name(&mut self, path: &[Name], taken: Name, bound: Name, scope: ScopeId, span: Span) {
        let mut full = path.to_vec();
        let mut bound = bound;
        if taken == "self" {
            if bound == "self"
                && let Some(last) = path.last()
            {
                bound = *last;
            }
        } else {
            full.push(taken);
        }
        if full.is_empty() || bound == "_" {
            return;
        }
        match self.leaves_file(scope, &full) {
            Some(full) => {
                let (source, imported) = match full.split_last() {
                    Some((last, rest)) if !rest.is_empty() => (join(rest), Imported::Named(*last)),
                    _ => (full[0], Imported::Namespace),
                };
                let symbol = self.add_import(bound, source, imported, span);
                self.scopes.declare(scope, bound, Item::Symbol(symbol), false);
            }
            None => {
                let index = self.scopes.aliases.len() as u32;
                self.scopes.aliases.push((scope, full));
                self.scopes.declare(scope, bound, Item::Alias(index), false);
            }
        }
    }

    /// The path outside the file that a `use` names, if it leaves the file.
    fn leaves_file(&self, scope: ScopeId, path: &[Name]) -> Option<Vec<Name>> {
        use super::paths::Head;
        match path[0].text() {
            "crate" | "self" | "super" => match self.follow(scope, path, true) {
                Head::Outside(full) => Some(full),
                _ => None,
            },
            _ => match self.scopes.own(scope, path[0], true) {
                // Itself: `use serde::Serialize` beside `extern crate serde`, or a crate called like the item it brings.
                _ if path.len() == 1 => Some(path.to_vec()),
                Some(Item::Mod(_) | Item::Alias(_)) => None,
                Some(Item::Symbol(symbol)) => match self.module.symbol(symbol).kind {
                    // `mod x;` beside `use x::Y;`
                    SymbolKind::Import(index) => {
                        let import = &self.module.imports[index as usize];
                        let mut full: Vec<Name> = import.source.text().split("::").map(Name::new).collect();
                        if let Imported::Named(name) = import.imported {
                            full.push(name);
                        }
                        full.extend(&path[1..]);
                        Some(full)
                    }
                    SymbolKind::Class(_) => None,
                    _ => Some(path.to_vec()),
                },
                _ => Some(path.to_vec()),
            },
        }
    }

    fn use_glob(&mut self, path: &[Name], scope: ScopeId) {
        if path.is_empty() {
            return;
        }
        let glob = match self.leaves_file(scope, path) {
            Some(full) if path.len() > 1 || self.scopes.own(scope, path[0], true).is_none() => {
                Glob::Source(join(&full))
            }
            _ if self.is_own(scope, path) => Glob::Own(path.to_vec()),
            Some(full) => Glob::Source(join(&full)),
            None => Glob::Own(path.to_vec()),
        };
        self.scopes.add_glob(scope, glob);
    }

    fn is_own(&self, scope: ScopeId, path: &[Name]) -> bool {
        match self.scopes.own(scope, path[0], true) {
            Some(Item::Mod(_) | Item::Alias(_)) => true,
            Some(Item::Symbol(symbol)) => matches!(self.module.symbol(symbol).kind, SymbolKind::Class(_)),
            _ => false,
        }
    }

    /// Everything that the file declares can be named from elsewhere: from its parent, from modules below, or where it is public.
    pub(super) fn export_items(&mut self) {
        for (name, item) in self.scopes.names(FILE) {
            let what = match item {
                Item::Symbol(symbol) => Exported::Local(symbol),
                Item::Decl(decl) => Exported::Type(decl),
                Item::Alias(_) => match self.aliased(name) {
                    Some(symbol) => Exported::Local(symbol),
                    None => continue,
                },
                Item::Mod(_) | Item::Parameter(_) => continue,
            };
            self.module.exports.push(Export { name, what });
        }
        let globs = self.scopes.globs(FILE);
        for glob in globs {
            if let Glob::Source(source) = glob {
                self.module.exports.push(Export { name: Name::new("*"), what: Exported::All { source } });
            }
        }
        self.export_inline_modules();
    }

    fn aliased(&self, name: Name) -> Option<SymbolId> {
        use super::paths::Head;
        match self.follow(FILE, &[name], is_type_name(name)) {
            Head::Symbol(symbol, _) => Some(symbol),
            _ => None,
        }
    }

    /// What inline modules declare, under `module::name`.
    fn export_inline_modules(&mut self) {
        let mut pending: Vec<(String, ScopeId)> = vec![(String::new(), FILE)];
        while let Some((prefix, scope)) = pending.pop() {
            for (name, item) in self.scopes.names(scope) {
                let full = format!("{prefix}{name}");
                match item {
                    Item::Mod(inner) => pending.push((format!("{full}::"), inner)),
                    _ if scope == FILE => {}
                    Item::Symbol(symbol) => {
                        self.module.exports.push(Export { name: Name::new(&full), what: Exported::Local(symbol) });
                    }
                    Item::Decl(decl) => {
                        self.module.exports.push(Export { name: Name::new(&full), what: Exported::Type(decl) });
                    }
                    Item::Alias(_) | Item::Parameter(_) => {}
                }
            }
        }
    }
}
