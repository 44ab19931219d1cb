//! Imports. What a name imported from a module is (a name in it, or a module of its own) shows only where both are known: the
//! latter possibility is noted as an import that binds nothing.

use super::Lowerer;
use super::grammar::{F, K};
use super::tree::Node;
use crate::lower::scopes::MODULE;
use crate::model::facts::{Export, Exported, Import, Imported, Span, SymbolKind};
use crate::model::name::Name;

impl<'t> Lowerer<'t> {
    /// `import a.b`, `import a.b as c`.
    pub(super) fn import_statement(&mut self, node: Node<'t>) {
        let span = self.span(node);
        for kid in self.kids(node) {
            if kid.field != F::Name {
                continue;
            }
            if kid.k == K::AliasedImport {
                let (name, alias) = (self.field(kid.node, F::Name), self.field(kid.node, F::Alias));
                if let (Some(name), Some(alias)) = (name, alias) {
                    let source = self.module_name(name);
                    self.import(source, Imported::Namespace, Some(alias), span);
                }
                continue;
            }
            // The first segment is bound; the modules below it are loaded.
            let written = self.module_name(kid.node);
            let first = self.inner(kid.node).unwrap_or(kid.node);
            let head = self.name(first);
            self.import(head, Imported::Namespace, Some(first), span);
            if written != head {
                self.import(written, Imported::Namespace, None, span);
            }
        }
    }

    /// `from m import a, b as c`, `from . import d`, `from m import *`.
    pub(super) fn import_from(&mut self, node: Node<'t>) {
        let span = self.span(node);
        let Some(source) = self.field(node, F::ModuleName) else { return };
        let source = self.module_name(source);
        for kid in self.kids(node) {
            if kid.k == K::WildcardImport {
                self.import(source, Imported::Effects, None, span);
                if self.at.scope == MODULE {
                    let export = Export { name: Name::new("*"), what: Exported::All { source } };
                    self.module.exports.push(export);
                }
                continue;
            }
            if kid.field != F::Name {
                continue;
            }
            let (name, local) = match kid.k {
                K::AliasedImport => {
                    let (name, alias) = (self.field(kid.node, F::Name), self.field(kid.node, F::Alias));
                    let Some(name) = name else { continue };
                    (name, alias.unwrap_or(name))
                }
                _ => (kid.node, kid.node),
            };
            let local = if self.k(local) == K::DottedName { self.inner(local).unwrap_or(local) } else { local };
            let name = self.module_name(name);
            self.import(source, Imported::Named(name), Some(local), span);
            self.import(submodule(source, name), Imported::Namespace, None, span);
        }
    }

    /// A module's name without spaces.
    fn module_name(&mut self, node: Node<'t>) -> Name {
        let written = self.slice(node);
        if written.contains(char::is_whitespace) {
            Name::new(&written.split_whitespace().collect::<String>())
        } else {
            self.name_of(written)
        }
    }

    fn import(&mut self, source: Name, imported: Imported, local: Option<Node<'t>>, span: Span) {
        let index = self.module.imports.len() as u32;
        let type_only = self.at.type_only;
        self.module.imports.push(Import { source, imported, symbol: None, type_only, span });
        if let Some(local) = local {
            let (name, name_span) = (self.name(local), self.span(local));
            let kind = SymbolKind::Import(index);
            let symbol = self.declare(self.at.scope, self.at.func, name, kind, name_span);
            let import = &mut self.module.imports[index as usize];
            import.symbol = import.symbol.or(Some(symbol));
        }
    }
}

/// The name of a module within another: `a` and `b` are `a.b`, `.` and `b` are `.b`.
pub fn submodule(source: Name, name: Name) -> Name {
    let dot = if source.text().ends_with('.') { "" } else { "." };
    Name::new(&format!("{source}{dot}{name}"))
}
