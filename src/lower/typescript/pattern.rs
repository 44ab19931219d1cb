//! Destructuring: every name of a pattern is assigned a read of the value.

use tree_sitter::Node;

use super::Lowerer;
use super::grammar::K;
use crate::model::facts::{AssignKind, Choice, ExprId, ExprKind, Field, Key, Span, SymbolKind};
use crate::model::name::Name;

use super::scope::ScopeId;

/// What a name in a pattern does.
#[derive(Clone, Copy)]
pub(super) enum Bind {
    /// Declares a symbol.
    Declare { scope: ScopeId, kind: SymbolKind },
    /// Assigns to what is there.
    Assign,
}

impl<'t> Lowerer<'t> {
    /// Assigns `value` to the names of `pattern`.
    pub(super) fn assign_pattern(&mut self, pattern: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        if !self.enter() {
            return;
        }
        match self.k(pattern) {
            K::ObjectPattern => self.object_pattern(pattern, value, bind, kind),
            K::ArrayPattern => self.array_pattern(pattern, value, bind, kind),
            K::AssignmentPattern | K::ObjectAssignmentPattern => {
                self.defaulted(pattern, value, bind, kind);
            }
            K::Parenthesized if matches!(bind, Bind::Assign) => {
                if let Some(inner) = self.kids(pattern).into_iter().find(|kid| !kid.k.is_token()) {
                    self.assign_pattern(inner.node, value, bind, kind);
                }
            }
            _ => self.assign_leaf(pattern, value, bind, kind),
        }
        self.leave();
    }

    fn assign_leaf(&mut self, target: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        let span = self.span(target);
        let k = self.k(target);
        let named = matches!(k, K::Identifier | K::ShorthandPattern | K::Undefined);
        let assigned = match bind {
            Bind::Declare { scope, kind } if named => {
                let name = self.name(target);
                let symbol = self.declare(scope, self.at.func, name, kind, span);
                self.add(ExprKind::Symbol(symbol), span)
            }
            Bind::Declare { .. } => return,
            Bind::Assign if named => {
                let name = self.name(target);
                self.reference(name, span)
            }
            Bind::Assign => self.target(target),
        };
        self.add(ExprKind::Assign { target: assigned, value, kind }, span);
    }

    /// `target = default`.
    fn defaulted(&mut self, pattern: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        let f = &self.g.f;
        let (Some(target), Some(default)) = (self.field(pattern, f.left), self.field(pattern, f.right)) else {
            return;
        };
        let value = self.or_default(value, default, self.span(pattern));
        self.assign_pattern(target, value, bind, kind);
    }

    /// `value`, or `default` where it is absent.
    pub(super) fn or_default(&mut self, value: ExprId, default: Node<'t>, span: Span) -> ExprId {
        let default = self.expr(default);
        self.add(ExprKind::Either { condition: None, arms: vec![value, default], choice: Choice::Default }, span)
    }

    fn object_pattern(&mut self, pattern: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        let f = &self.g.f;
        for part in self.kids(pattern) {
            let node = part.node;
            match part.k {
                K::ShorthandPattern => {
                    let name = self.name(node);
                    let read = self.read_member(value, name, self.span(node));
                    self.assign_pattern(node, read, bind, kind);
                }
                K::ObjectAssignmentPattern => {
                    let Some(left) = self.field(node, f.left) else {
                        continue;
                    };
                    let name = self.name(left);
                    let read = self.read_member(value, name, self.span(left));
                    self.assign_pattern(node, read, bind, kind);
                }
                K::PairPattern => {
                    let (Some(key), Some(target)) = (self.field(node, f.key), self.field(node, f.value)) else {
                        continue;
                    };
                    let read = self.read_key(value, key, self.span(target));
                    self.assign_pattern(target, read, bind, kind);
                }
                K::RestPattern => {
                    // The rest is an object of its own with the value's fields.
                    let span = self.span(node);
                    let rest = ExprKind::Object(vec![Field { key: Key::Spread, value, span }]);
                    let rest = self.add(rest, span);
                    self.assign_rest(node, rest, bind, kind);
                }
                _ => {}
            }
        }
    }

    fn array_pattern(&mut self, pattern: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        let mut position = 0_usize;
        for part in self.kids(pattern) {
            match part.k {
                K::CommaToken => position += 1,
                K::RestPattern => {
                    let rest = self.add(ExprKind::Opaque(vec![value]), self.span(part.node));
                    self.assign_rest(part.node, rest, bind, kind);
                }
                k if k.is_token() || k == K::Error => {}
                _ => {
                    let name = Name::new(&position.to_string());
                    let read = self.read_member(value, name, self.span(part.node));
                    self.assign_pattern(part.node, read, bind, kind);
                }
            }
        }
    }

    fn assign_rest(&mut self, rest: Node<'t>, value: ExprId, bind: Bind, kind: AssignKind) {
        if let Some(target) = self.kids(rest).into_iter().find(|kid| !kid.k.is_token()) {
            self.assign_pattern(target.node, value, bind, kind);
        }
    }

    fn read_member(&mut self, object: ExprId, name: Name, span: Span) -> ExprId {
        self.add(ExprKind::Member { object, name }, span)
    }

    /// A read by a key as a pattern writes it.
    fn read_key(&mut self, object: ExprId, key: Node<'t>, span: Span) -> ExprId {
        match self.k(key) {
            K::String | K::ComputedPropertyName => {
                let key = self.key_expr(key);
                self.add(ExprKind::Index { object, key }, span)
            }
            _ => {
                let name = self.name(key);
                self.read_member(object, name, span)
            }
        }
    }

    /// The names that a pattern binds, in order.
    pub(super) fn pattern_names(&mut self, pattern: Node<'t>, names: &mut Vec<Name>) {
        if !self.enter() {
            return;
        }
        let f = &self.g.f;
        match self.k(pattern) {
            K::Identifier | K::ShorthandPattern => {
                let name = self.name(pattern);
                names.push(name);
            }
            K::PairPattern => {
                if let Some(target) = self.field(pattern, f.value) {
                    self.pattern_names(target, names);
                }
            }
            K::AssignmentPattern | K::ObjectAssignmentPattern => {
                if let Some(target) = self.field(pattern, f.left) {
                    self.pattern_names(target, names);
                }
            }
            K::ObjectPattern | K::ArrayPattern | K::RestPattern => {
                for part in self.kids(pattern) {
                    if !part.k.is_token() {
                        self.pattern_names(part.node, names);
                    }
                }
            }
            _ => {}
        }
        self.leave();
    }
}
