//! Assignment targets: names, attributes, items, and patterns of them.

use super::Lowerer;
use super::grammar::{F, K};
use super::tree::Node;
use crate::lower::scopes::{MODULE, ScopeId};
use crate::model::facts::{AssignKind, ClassField, ClassId, ExprId, ExprKind, Span, SymbolKind, TypeId};
use crate::model::name::Name;

/// Where a plain name is declared, and as what.
#[derive(Clone, Copy)]
pub(super) struct Bind {
    pub(super) kind: SymbolKind,
    pub(super) scope: ScopeId,
}

impl<'t> Lowerer<'t> {
    /// How an assignment binds names here.
    pub(super) fn bind_here(&self) -> Bind {
        Bind { kind: SymbolKind::Variable { mutable: true }, scope: self.at.scope }
    }

    /// Assigns `value` to a target.
    pub(super) fn assign_target(&mut self, target: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        if !self.enter() {
            return;
        }
        match self.k(target) {
            K::PatternList | K::TuplePattern | K::ListPattern | K::Tuple | K::List | K::ExpressionList => {
                self.unpack(target, value, bind, kind);
            }
            K::Parenthesized | K::AsPatternTarget => {
                if let Some(inner) = self.inner(target) {
                    self.assign_target(inner, value, bind, kind);
                }
            }
            _ => {
                self.assign_leaf(target, None, Some(value), bind, kind, self.span(target));
            }
        }
        self.leave();
    }

    fn unpack(&mut self, pattern: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        let mut after_star = false;
        for (position, part) in self.parts(pattern).enumerate() {
            let span = self.span(part.node);
            if matches!(part.k, K::ListSplatPattern | K::ListSplat) {
                after_star = true;
                let rest = self.add(ExprKind::Opaque(vec![value]), span);
                if let Some(inner) = self.inner(part.node) {
                    self.assign_target(inner, rest, bind, kind);
                }
                continue;
            }
            let read = if after_star {
                let part = crate::model::facts::Part::Iterated;
                ExprKind::Element { of: value, part }
            } else {
                ExprKind::Member { object: value, name: Name::new(&position.to_string()) }
            };
            let read = self.add(read, span);
            self.assign_target(part.node, read, bind, kind);
        }
    }

    /// `target: ty = value`, where the target is no pattern. The answer is the assignment.
    pub(super) fn assign_leaf(
        &mut self,
        target: Node<'t>,
        ty: Option<TypeId>,
        value: Option<ExprId>,
        bind: Bind,
        kind: AssignKind,
        span: Span,
    ) -> Option<ExprId> {
        let target_span = self.span(target);
        match self.k(target) {
            K::Identifier => self.assign_name(target, ty, value, bind, kind, span),
            K::Attribute => {
                let (object, name) = (self.field(target, F::Object)?, self.field(target, F::Attribute)?);
                let name_span = self.span(name);
                let name = self.name(name);
                if let Some(class) = self.is_self(object) {
                    self.note_field(class, name, ty, value, name_span);
                }
                let value = value?;
                self.christen(value, name, name_span);
                let object = self.expr(object);
                let target = self.add(ExprKind::Member { object, name }, target_span);
                Some(self.add(ExprKind::Assign { target, value, kind: settled(kind) }, span))
            }
            K::Error => None,
            _ => {
                let target = self.expr(target);
                let value = value?;
                Some(self.add(ExprKind::Assign { target, value, kind: settled(kind) }, span))
            }
        }
    }

    fn assign_name(
        &mut self,
        target: Node<'t>,
        ty: Option<TypeId>,
        value: Option<ExprId>,
        bind: Bind,
        kind: AssignKind,
        span: Span,
    ) -> Option<ExprId> {
        let target_span = self.span(target);
        let name = self.name(target);
        if name == "" {
            return None;
        }
        let known = self.scopes.own(bind.scope, name);
        let again = known.is_some_and(|symbol| bind.scope != MODULE || !self.provisional.contains(&symbol));
        let symbol = self.declare(bind.scope, self.at.func, name, bind.kind, target_span);
        let known = &mut self.module.symbols[symbol.index()];
        if ty.is_some() && known.ty.is_none() {
            known.ty = ty;
        }
        let value = value?;
        if !again && known.init.is_none() {
            known.init = Some(value);
        }
        self.christen(value, name, target_span);
        // Whether a name was bound before decides between a first value and another one.
        let kind = if again && kind == AssignKind::Init { AssignKind::Set } else { kind };
        let target = self.symbol_use(symbol, target_span);
        let assigned = self.add(ExprKind::Assign { target, value, kind }, span);
        if let Some(class) = self.at.body_of {
            self.class_attribute(class, symbol, name, ty, value, target_span);
        }
        Some(assigned)
    }

    /// Whether an expression is the instance that the method at hand belongs to.
    pub(super) fn is_self(&mut self, object: Node<'t>) -> Option<ClassId> {
        if self.k(object) != K::Identifier {
            return None;
        }
        let name = self.name(object);
        let symbol = self.scopes.value(self.at.scope, name)?;
        self.selves.get(&symbol).copied()
    }

    /// Notes a field at its first assignment in a method.
    fn note_field(&mut self, class: ClassId, name: Name, ty: Option<TypeId>, init: Option<ExprId>, span: Span) {
        let fields = &mut self.module.classes[class.index()].fields;
        if let Some(known) = fields.iter_mut().find(|field| field.name == name) {
            known.ty = known.ty.or(ty);
            known.init = known.init.or(init);
            return;
        }
        fields.push(ClassField { name, ty, init, is_static: false, readonly: false, span });
    }
}

/// Attributes and items are never declared by an assignment.
fn settled(kind: AssignKind) -> AssignKind {
    match kind {
        AssignKind::Init => AssignKind::Set,
        other => other,
    }
}
