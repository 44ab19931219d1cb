//! Decorated definitions: the decorators are recorded, and applied to what is defined.

use super::Lowerer;
use super::grammar::{F, K};
use super::tree::Node;
use crate::model::facts::{Arg, AssignKind, ExprId, ExprKind, SymbolKind};

/// Decorators that change how a definition is read; they are no calls of interest.
const READ_BY_THE_FRONT_END: &[&str] = &[
    "property",
    "cached_property",
    "staticmethod",
    "classmethod",
    "overload",
    "abstractmethod",
    "override",
    "final",
    "setter",
    "getter",
    "deleter",
    "dataclass",
];

impl<'t> Lowerer<'t> {
    /// `@decorator … def` or `class`.
    pub(super) fn decorated(&mut self, node: Node<'t>) {
        let mut decorators = Vec::new();
        for part in self.parts(node) {
            if part.k == K::Decorator {
                let inner = self.inner(part.node);
                decorators.push((part.node, self.expr_or_nothing(inner, self.span(part.node))));
            }
        }
        let exprs: Vec<ExprId> = decorators.iter().map(|(_, expr)| *expr).collect();
        let Some(definition) = self.field(node, F::Definition) else {
            self.statements(node);
            return;
        };
        let span = self.field(definition, F::Name).map_or(self.span(definition), |name| self.span(name));
        let value = match self.k(definition) {
            K::ClassDefinition => self.class_definition(definition, &exprs).map(ExprKind::Class),
            _ => self.function_definition(definition, &exprs).map(ExprKind::Function),
        };
        let Some(value) = value else { return };
        // Applied from the inside out.
        let mut applied = None;
        for (written, callee) in decorators.into_iter().rev() {
            if self.is_read_here(callee) {
                continue;
            }
            let argument = match applied {
                Some(inner) => inner,
                None => self.add(value.clone(), span),
            };
            let args = vec![Arg { value: argument, name: None, spread: false }];
            let whole = self.span(written);
            applied = Some(self.add(ExprKind::Call { callee, args }, whole));
        }
        let Some(applied) = applied else { return };
        if self.at.body_of.is_some() {
            return;
        }
        if let Some(name) = self.field(definition, F::Name) {
            let name_text = self.name(name);
            let symbol = self.scopes.own(self.at.scope, name_text);
            if let Some(symbol) = symbol
                && matches!(self.module.symbol(symbol).kind, SymbolKind::Function(_) | SymbolKind::Class(_))
            {
                self.assign_symbol(symbol, applied, span, AssignKind::Init);
            }
        }
    }

    /// Whether a decorator is one that the front end understands by itself.
    fn is_read_here(&self, decorator: ExprId) -> bool {
        let mut at = decorator;
        if let ExprKind::Call { callee, .. } = self.module.kind(at) {
            at = *callee;
        }
        match self.module.kind(at) {
            ExprKind::Global(name) | ExprKind::Member { name, .. } => READ_BY_THE_FRONT_END.contains(&name.text()),
            _ => false,
        }
    }

    /// The last name of a decorator, called or not.
    pub(super) fn decorator_name(&self, decorator: ExprId) -> &'static str {
        let mut at = decorator;
        if let ExprKind::Call { callee, .. } = self.module.kind(at) {
            at = *callee;
        }
        match self.module.kind(at) {
            ExprKind::Global(name) | ExprKind::Member { name, .. } => name.text(),
            _ => "",
        }
    }
}
