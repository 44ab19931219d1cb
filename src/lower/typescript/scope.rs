//! Lexical scopes. Names are declared while the file is read and references are looked up when all of it has been: hoisting then
//! needs no pass of its own.

use super::Lowerer;
pub(super) use crate::lower::scopes::{MODULE, ScopeId, Scopes, TypeName};
use crate::model::facts::{ExprId, ExprKind, FuncId, Span, Symbol, SymbolId, SymbolKind, Type, TypeId};
use crate::model::name::Name;

/// A use of a name, to be resolved at the end.
pub(super) struct Reference {
    pub(super) expr: ExprId,
    pub(super) name: Name,
    pub(super) scope: ScopeId,
}

/// A use of a type name, to be resolved at the end.
pub(super) struct TypeReference {
    pub(super) ty: TypeId,
    /// The first segment of the path.
    pub(super) head: Name,
    /// The path has no further segment.
    pub(super) single: bool,
    pub(super) scope: ScopeId,
}

impl Lowerer<'_> {
    /// Declares `name` in `scope`. A name declared twice there is one symbol, as `var` and overloads have it; the later declaration
    /// that says more decides the kind.
    pub(super) fn declare(
        &mut self,
        scope: ScopeId,
        func: FuncId,
        name: Name,
        kind: SymbolKind,
        span: Span,
    ) -> SymbolId {
        if let Some(id) = self.scopes.own(scope, name) {
            let known = &mut self.module.symbols[id.index()];
            match (known.kind, kind) {
                (_, SymbolKind::Class(_) | SymbolKind::Import(_)) => known.kind = kind,
                // A namespace or an ambient signature merges into the function or class of its name.
                (SymbolKind::Other, _) => known.kind = kind,
                (SymbolKind::Function(old), SymbolKind::Function(_)) if self.bodiless.contains(&old) => {
                    known.kind = kind;
                    known.span = span;
                }
                (SymbolKind::Variable { .. }, SymbolKind::Function(_)) => known.kind = kind,
                _ => {}
            }
            return id;
        }
        let id = self.new_symbol(func, name, kind, span);
        self.scopes.bind(scope, name, id);
        id
    }

    /// A symbol that no written name reaches.
    pub(super) fn new_symbol(&mut self, func: FuncId, name: Name, kind: SymbolKind, span: Span) -> SymbolId {
        let id = SymbolId(self.module.symbols.len() as u32);
        self.module.symbols.push(Symbol { name, kind, func, span, ty: None, init: None });
        id
    }

    /// Looks up every reference of the file.
    pub(super) fn resolve(&mut self) {
        for reference in std::mem::take(&mut self.references) {
            if let Some(symbol) = self.scopes.value(reference.scope, reference.name) {
                self.module.exprs[reference.expr.index()].kind = ExprKind::Symbol(symbol);
            } else if reference.name == self.words.undefined {
                self.module.exprs[reference.expr.index()].kind = ExprKind::Absent;
            }
        }
        for reference in std::mem::take(&mut self.type_references) {
            let found = if reference.single { self.scopes.type_name(reference.scope, reference.head) } else { None };
            if matches!(found, Some(TypeName::Parameter)) {
                self.module.types[reference.ty.index()] = Type::Unknown;
                continue;
            }
            // Where a type is expected, variables and functions are not in sight.
            let symbol = self.scopes.value(reference.scope, reference.head).filter(|&symbol| {
                matches!(
                    self.module.symbol(symbol).kind,
                    SymbolKind::Class(_) | SymbolKind::Import(_) | SymbolKind::Other
                )
            });
            if let Type::Named { head, decl, .. } = &mut self.module.types[reference.ty.index()] {
                *head = head.or(symbol);
                if let Some(TypeName::Decl(found)) = found {
                    *decl = Some(found);
                }
            }
        }
    }
}
