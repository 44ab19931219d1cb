//! Imports and exports of ECMAScript modules.

use tree_sitter::Node;

use super::Lowerer;
use super::grammar::K;
use super::scope::{MODULE, TypeName};
use crate::model::facts::{AssignKind, Export, Exported, ExprKind, Import, Imported, Span, SymbolKind};
use crate::model::name::Name;

/// `export { name as exported }`: what `name` is shows when the file has been read.
pub(super) struct LocalExport {
    name: Name,
    exported: Name,
}

impl<'t> Lowerer<'t> {
    pub(super) fn import_statement(&mut self, node: Node<'t>) {
        let f = &self.g.f;
        let span = self.span(node);
        let kids = self.kids(node);
        let type_only = kids.iter().any(|kid| matches!(kid.k, K::TypeToken | K::TypeofToken));
        if let Some(clause) = kids.iter().find(|kid| kid.k == K::ImportRequireClause) {
            let source = self.field(clause.node, f.source);
            let source = source.and_then(|source| self.string_value(source));
            let local = self.inner(clause.node);
            if let (Some(source), Some(local)) = (source, local) {
                self.import(source, Imported::Namespace, local, type_only, span);
            }
            return;
        }
        let source = self.field(node, f.source);
        let Some(source) = source.and_then(|source| self.string_value(source)) else {
            return;
        };
        let Some(clause) = kids.iter().find(|kid| kid.k == K::ImportClause) else {
            self.module.imports.push(Import { source, imported: Imported::Effects, symbol: None, type_only, span });
            return;
        };
        for part in self.kids(clause.node) {
            match part.k {
                K::Identifier => {
                    self.import(source, Imported::Default, part.node, type_only, span);
                }
                K::NamespaceImport => {
                    if let Some(local) = self.inner(part.node) {
                        self.import(source, Imported::Namespace, local, type_only, span);
                    }
                }
                K::NamedImports => {
                    for specifier in self.kids(part.node) {
                        if specifier.k == K::ImportSpecifier {
                            self.import_specifier(source, specifier.node, type_only, span);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn import_specifier(&mut self, source: Name, node: Node<'t>, type_only: bool, span: Span) {
        let f = &self.g.f;
        let Some(name) = self.field(node, f.name) else {
            return;
        };
        let type_only = type_only || self.kids(node).iter().any(|kid| matches!(kid.k, K::TypeToken | K::TypeofToken));
        let local = self.field(node, f.alias).unwrap_or(name);
        let Some(name) = self.literal_key(name) else {
            return;
        };
        let imported = if name == self.words.default { Imported::Default } else { Imported::Named(name) };
        self.import(source, imported, local, type_only, span);
    }

    fn import(&mut self, source: Name, imported: Imported, local: Node<'t>, type_only: bool, span: Span) {
        let name = self.name(local);
        let symbol = self.import_symbol(name, self.span(local), Some(self.at.scope));
        self.module.imports.push(Import { source, imported, symbol: Some(symbol), type_only, span });
    }

    /// `import A = B.C`: a name for a part of a namespace.
    pub(super) fn import_alias(&mut self, node: Node<'t>) {
        let kids = self.kids(node);
        let mut parts = kids.iter().filter(|kid| !kid.k.is_token());
        let (Some(local), Some(value)) = (parts.next(), parts.next()) else {
            return;
        };
        let (name, span) = (self.name(local.node), self.span(local.node));
        let at = self.at;
        let symbol = self.declare(at.scope, at.func, name, SymbolKind::Other, span);
        let value = self.expr(value.node);
        self.module.symbols[symbol.index()].init = Some(value);
        let target = self.symbol_use(symbol, span);
        let kind = AssignKind::Init;
        self.add(ExprKind::Assign { target, value, kind }, self.span(node));
    }

    pub(super) fn export_statement(&mut self, node: Node<'t>) {
        let f = &self.g.f;
        let kids = self.kids(node);
        let has = |k: K| kids.iter().any(|kid| kid.k == k);
        let default = has(K::DefaultToken);
        let mut decorators = Vec::new();
        for kid in kids.iter().filter(|kid| kid.k == K::Decorator) {
            decorators.push(self.expr(kid.node));
        }
        if let Some(declaration) = self.field(node, f.declaration) {
            if matches!(self.k(declaration), K::ClassDeclaration | K::AbstractClassDeclaration) {
                self.class_declaration(declaration, decorators);
            } else {
                self.statement(declaration);
            }
            self.export_declared(declaration, default);
            return;
        }
        if let Some(source) = self.field(node, f.source) {
            if let Some(source) = self.string_value(source) {
                self.reexport(node, source);
            }
            return;
        }
        if let Some(clause) = kids.iter().find(|kid| kid.k == K::ExportClause) {
            for specifier in self.kids(clause.node) {
                if let Some((name, exported)) = self.export_specifier(specifier.node)
                    && self.exports_here()
                {
                    self.exports.push(LocalExport { name, exported });
                }
            }
            return;
        }
        let value = self.field(node, f.value).or_else(|| {
            let equals = has(K::EqualsToken);
            let value = kids.iter().find(|kid| !kid.k.is_token());
            value.filter(|_| equals).map(|kid| kid.node)
        });
        let Some(value) = value else { return };
        let value = if self.k(value) == K::Class {
            let class = self.class(value, decorators, None);
            self.add(ExprKind::Class(class), self.span(value))
        } else {
            self.expr(value)
        };
        let name = if default { self.words.default } else { self.words.equals };
        self.export(name, Exported::Value(value));
    }

    /// Exports inside a namespace or an ambient module are not the file's.
    fn exports_here(&self) -> bool {
        self.at.scope == MODULE
    }

    fn export(&mut self, name: Name, what: Exported) {
        if self.exports_here() {
            self.module.exports.push(Export { name, what });
        }
    }

    /// The exports of `export <declaration>`.
    fn export_declared(&mut self, declaration: Node<'t>, default: bool) {
        if !self.exports_here() {
            return;
        }
        for name in self.declared_names(declaration) {
            let exported = if default { self.words.default } else { name };
            self.exports.push(LocalExport { name, exported });
        }
    }

    fn declared_names(&mut self, declaration: Node<'t>) -> Vec<Name> {
        let f = &self.g.f;
        let mut names = Vec::new();
        match self.k(declaration) {
            K::LexicalDeclaration | K::VariableDeclaration => {
                for kid in self.kids(declaration) {
                    if let Some(pattern) = self.field(kid.node, f.name) {
                        self.pattern_names(pattern, &mut names);
                    }
                }
            }
            K::AmbientDeclaration => {
                for kid in self.kids(declaration) {
                    if kid.k.is_statement() && kid.k != K::StatementBlock {
                        names.extend(self.declared_names(kid.node));
                    }
                }
            }
            K::ImportAlias => {
                if let Some(local) = self.inner(declaration) {
                    names.push(self.name(local));
                }
            }
            _ => {
                let name = self.field(declaration, f.name);
                let name = name.and_then(|name| self.leftmost_identifier(name));
                if let Some(name) = name {
                    names.push(self.name(name));
                }
            }
        }
        names
    }

    fn export_specifier(&mut self, node: Node<'t>) -> Option<(Name, Name)> {
        if self.k(node) != K::ExportSpecifier {
            return None;
        }
        let f = &self.g.f;
        let name = self.field(node, f.name)?;
        let alias = self.field(node, f.alias).unwrap_or(name);
        Some((self.literal_key(name)?, self.literal_key(alias)?))
    }

    /// `export … from source`.
    fn reexport(&mut self, node: Node<'t>, source: Name) {
        let mut all = true;
        for kid in self.kids(node) {
            match kid.k {
                K::NamespaceExport => {
                    all = false;
                    let name = self.inner(kid.node);
                    if let Some(exported) = name.and_then(|name| self.literal_key(name)) {
                        let name = Imported::Namespace;
                        self.export(exported, Exported::From { source, name });
                    }
                }
                K::ExportClause => {
                    all = false;
                    for specifier in self.kids(kid.node) {
                        let Some((name, exported)) = self.export_specifier(specifier.node) else {
                            continue;
                        };
                        let name = if name == self.words.default { Imported::Default } else { Imported::Named(name) };
                        self.export(exported, Exported::From { source, name });
                    }
                }
                _ => {}
            }
        }
        if all {
            self.export(self.words.star, Exported::All { source });
        }
    }

    /// Settles the exports of declared names.
    pub(super) fn finish_exports(&mut self) {
        let mut seen = rustc_hash::FxHashSet::default();
        for LocalExport { name, exported } in std::mem::take(&mut self.exports) {
            // Overloads and merged declarations are exported once.
            if !seen.insert((name, exported)) {
                continue;
            }
            if let Some(symbol) = self.scopes.own(MODULE, name) {
                self.module.exports.push(Export { name: exported, what: Exported::Local(symbol) });
            }
            if let Some(TypeName::Decl(decl)) = self.scopes.own_type(MODULE, name) {
                self.module.exports.push(Export { name: exported, what: Exported::Type(decl) });
            }
        }
    }
}
