//! Declarations of types, and of type parameters.

use tree_sitter::Node;

use super::Lowerer;
use super::grammar::K;
use super::scope::TypeName;
use crate::model::facts::{Span, Type, TypeDecl, TypeDeclId, TypeId};
use crate::model::name::Name;

impl<'t> Lowerer<'t> {
    /// Declares the type parameters that a node writes, in the current scope.
    pub(super) fn type_parameters(&mut self, node: Node<'t>) {
        let f = &self.g.f;
        let Some(list) = self.field(node, f.type_parameters) else {
            return;
        };
        for kid in self.kids(list) {
            if kid.k == K::TypeParameter
                && let Some(name) = self.field(kid.node, f.name)
            {
                let name = self.name(name);
                self.scopes.bind_type(self.at.scope, name, TypeName::Parameter);
            }
        }
    }

    pub(super) fn interface(&mut self, node: Node<'t>) {
        let f = &self.g.f;
        let Some(name) = self.field(node, f.name) else {
            return;
        };
        let (ty, extends) = self.in_block(|it| {
            it.type_parameters(node);
            let mut extends = Vec::new();
            for clause in it.kids(node) {
                if clause.k == K::ExtendsTypeClause {
                    extends.extend(it.type_list(clause.node));
                }
            }
            let ty = match it.field(node, f.body) {
                Some(body) => it.object_type(body),
                None => it.unknown(),
            };
            (ty, extends)
        });
        let span = self.span(name);
        let name = self.name(name);
        self.declare_type(name, ty, extends, span);
    }

    pub(super) fn type_alias(&mut self, node: Node<'t>) {
        let f = &self.g.f;
        let Some(name) = self.field(node, f.name) else {
            return;
        };
        let ty = self.in_block(|it| {
            it.type_parameters(node);
            match it.field(node, f.value) {
                Some(value) => it.ty(value),
                None => it.unknown(),
            }
        });
        let span = self.span(name);
        let name = self.name(name);
        self.declare_type(name, ty, Vec::new(), span);
    }

    /// Declares a type. Interfaces of one name merge.
    pub(super) fn declare_type(&mut self, name: Name, ty: TypeId, extends: Vec<TypeId>, span: Span) {
        if let Some(TypeName::Decl(known)) = self.scopes.own_type(self.at.scope, name) {
            let into = self.module.type_decls[known.index()].ty;
            self.module.type_decls[known.index()].extends.extend(extends);
            if let Type::Object { fields, index } = self.module.ty(ty).clone()
                && let Type::Object { fields: known_fields, index: known_index } = &mut self.module.types[into.index()]
            {
                known_fields.extend(fields);
                *known_index = known_index.or(index);
            }
            return;
        }
        let id = TypeDeclId(self.module.type_decls.len() as u32);
        self.module.type_decls.push(TypeDecl { name, ty, extends, span });
        self.scopes.bind_type(self.at.scope, name, TypeName::Decl(id));
    }
}
