//! Names: declared where they are assigned, looked up when the file has been read.

use super::Lowerer;
use crate::lower::scopes::{MODULE, ScopeId};
use crate::model::facts::{
    AssignKind, Export, Exported, ExprId, ExprKind, FuncId, Span, Symbol, SymbolId, SymbolKind, TOP, Type, TypeId,
};
use crate::model::name::Name;

/// A use of a name, to be resolved at the end.
pub(super) struct Reference {
    pub(super) expr: ExprId,
    pub(super) name: Name,
    pub(super) scope: ScopeId,
}

/// A use of a name in a type, to be resolved at the end.
pub(super) struct TypeReference {
    pub(super) ty: TypeId,
    /// The first segment of the path.
    pub(super) head: Name,
    pub(super) scope: ScopeId,
}

impl Lowerer<'_> {
    /// Declares `name` in `scope`. A name bound twice there is one symbol; the binding that says more decides its kind.
    pub(super) fn declare(
        &mut self,
        scope: ScopeId,
        func: FuncId,
        name: Name,
        kind: SymbolKind,
        span: Span,
    ) -> SymbolId {
        let Some(id) = self.scopes.own(scope, name) else {
            let id = self.new_symbol(func, name, kind, span);
            self.scopes.bind(scope, name, id);
            return id;
        };
        if scope == MODULE && self.provisional.remove(&id) {
            let known = &mut self.module.symbols[id.index()];
            known.kind = kind;
            known.span = span;
            return id;
        }
        let known = self.module.symbol(id).kind;
        match (known, kind) {
            (SymbolKind::Parameter, _) | (_, SymbolKind::Variable { .. } | SymbolKind::Parameter) => {}
            (SymbolKind::Import(old), SymbolKind::Import(new)) => self.second_import(id, old, new),
            (SymbolKind::Variable { .. }, SymbolKind::Import(new)) if self.is_branching(id) => self.feed(id, new),
            (SymbolKind::Function(old), SymbolKind::Function(_)) if !self.stubs.contains(&old) => {
                // Either may be the one that is defined: they stand under different conditions.
                let value = self.add(ExprKind::Function(old), span);
                self.assign_symbol(id, value, span, AssignKind::Set);
                self.module.symbols[id.index()].kind = kind;
            }
            (SymbolKind::Function(old), SymbolKind::Function(_)) => {
                debug_assert!(self.stubs.contains(&old));
                self.module.symbols[id.index()].kind = kind;
                self.module.symbols[id.index()].span = span;
            }
            _ => self.module.symbols[id.index()].kind = kind,
        }
        id
    }

    /// A symbol that no written name reaches.
    pub(super) fn new_symbol(&mut self, func: FuncId, name: Name, kind: SymbolKind, span: Span) -> SymbolId {
        let id = SymbolId(self.module.symbols.len() as u32);
        self.module.symbols.push(Symbol { name, kind, func, span, ty: None, init: None });
        id
    }

    /// `symbol = value`.
    pub(super) fn assign_symbol(&mut self, symbol: SymbolId, value: ExprId, span: Span, kind: AssignKind) {
        let target = self.symbol_use(symbol, span);
        self.add(ExprKind::Assign { target, value, kind }, span);
    }

    /// One name for two imports (`try: from a import X` … `except ImportError: from b import X`): it may be either.
    fn second_import(&mut self, id: SymbolId, old: u32, new: u32) {
        let import = &self.module.imports[old as usize];
        let same = self
            .module
            .imports
            .get(new as usize)
            .is_some_and(|other| other.source == import.source && other.imported == import.imported);
        if same {
            return;
        }
        self.module.symbols[id.index()].kind = SymbolKind::Variable { mutable: true };
        self.feed(id, old);
        self.feed(id, new);
    }

    /// Lets an import flow into a variable, through a symbol of its own.
    fn feed(&mut self, id: SymbolId, import: u32) {
        let Symbol { name, func, span, .. } = *self.module.symbol(id);
        let hidden = self.new_symbol(func, name, SymbolKind::Import(import), span);
        if let Some(entry) = self.module.imports.get_mut(import as usize) {
            entry.symbol = Some(hidden);
        }
        let value = self.symbol_use(hidden, span);
        self.assign_symbol(id, value, span, AssignKind::Set);
    }

    /// Whether a variable is fed by imports already.
    fn is_branching(&self, id: SymbolId) -> bool {
        let name = self.module.symbol(id).name;
        self.module
            .imports
            .iter()
            .any(|import| import.symbol.is_some_and(|symbol| symbol != id && self.module.symbol(symbol).name == name))
    }

    /// `global name`.
    pub(super) fn global_name(&mut self, name: Name, span: Span) {
        if self.at.scope == MODULE {
            return;
        }
        let known = self.scopes.own(MODULE, name);
        let symbol = known.unwrap_or_else(|| {
            let kind = SymbolKind::Variable { mutable: true };
            let symbol = self.new_symbol(TOP, name, kind, span);
            self.scopes.bind(MODULE, name, symbol);
            self.provisional.insert(symbol);
            symbol
        });
        self.scopes.bind(self.at.scope, name, symbol);
    }

    /// `nonlocal name`.
    pub(super) fn nonlocal_name(&mut self, name: Name) {
        let found = self.scopes.value_above(self.at.scope, name);
        if let Some(symbol) = found {
            self.scopes.bind(self.at.scope, name, symbol);
        }
    }

    /// Looks up every reference of the file.
    pub(super) fn resolve(&mut self) {
        for reference in std::mem::take(&mut self.references) {
            if let Some(symbol) = self.scopes.value(reference.scope, reference.name) {
                let kind = match self.selves.get(&symbol) {
                    Some(class) => ExprKind::This(Some(*class)),
                    None => ExprKind::Symbol(symbol),
                };
                self.module.exprs[reference.expr.index()].kind = kind;
            }
        }
        for reference in std::mem::take(&mut self.type_references) {
            let found = self.scopes.value(reference.scope, reference.head);
            if let Type::Named { head, .. } = &mut self.module.types[reference.ty.index()] {
                *head = found;
            }
        }
    }

    /// An import that another binding of its name has replaced binds nothing.
    pub(super) fn settle_imports(&mut self) {
        for (position, import) in self.module.imports.iter_mut().enumerate() {
            let binds =
                |symbol: &SymbolId| self.module.symbols[symbol.index()].kind == SymbolKind::Import(position as u32);
            import.symbol = import.symbol.filter(binds);
        }
    }

    /// Every name of a module can be imported from it.
    pub(super) fn export_all(&mut self) {
        let names = self.scopes.names(MODULE);
        let known: Vec<Export> =
            names.into_iter().map(|(name, symbol)| Export { name, what: Exported::Local(symbol) }).collect();
        self.module.exports.extend(known);
    }
}
