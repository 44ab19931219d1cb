//! Building the arenas of a module.

use super::Lowerer;
use super::scope::Reference;
use crate::model::facts::{Expr, ExprId, ExprKind, Span, Type, TypeId};
use crate::model::name::Name;

impl Lowerer<'_> {
    pub(super) fn add(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.module.exprs.len() as u32);
        let exprs = &mut self.module.exprs;
        kind.each_child(|child| {
            // A value that several synthesised reads share belongs to the first.
            let parent = &mut exprs[child.index()].parent;
            if parent.is_none() {
                *parent = Some(id);
            }
        });
        exprs.push(Expr { kind, span, func: self.at.func, parent: None });
        id
    }

    /// Adds one more child to an expression that was just built.
    pub(super) fn adopt(&mut self, parent: ExprId, child: ExprId) {
        self.module.exprs[child.index()].parent = Some(parent);
    }

    pub(super) fn reference(&mut self, name: Name, span: Span) -> ExprId {
        let expr = self.add(ExprKind::Global(name), span);
        self.references.push(Reference { expr, name, scope: self.at.scope });
        expr
    }

    pub(super) fn nothing(&mut self, span: Span) -> ExprId {
        self.add(ExprKind::Opaque(Vec::new()), span)
    }

    pub(super) fn add_type(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.module.types.len() as u32);
        self.module.types.push(ty);
        id
    }

    /// Gives a function or class that is written without a name the name of what it is assigned to.
    pub(super) fn christen(&mut self, value: ExprId, name: Name, span: Span) {
        match *self.module.kind(value) {
            ExprKind::Function(id) => {
                let function = &mut self.module.functions[id.index()];
                if function.name.is_none() {
                    function.name = Some(name);
                    function.name_span = span;
                }
            }
            ExprKind::Class(id) => {
                let class = &mut self.module.classes[id.index()];
                if class.name.is_none() {
                    class.name = Some(name);
                    class.name_span = span;
                }
            }
            _ => {}
        }
    }
}
