//! Written types.

use tree_sitter::Node;

use super::grammar::K;
use super::scope::TypeReference;
use super::{Lowerer, bridge};
use crate::model::facts::{ExprKind, Import, Imported, Span, SymbolId, SymbolKind, Type, TypeId};
use crate::model::name::Name;

impl<'t> Lowerer<'t> {
    pub(super) fn unknown(&mut self) -> TypeId {
        self.add_type(Type::Unknown)
    }

    /// `: T`.
    pub(super) fn annotation(&mut self, node: Node<'t>) -> TypeId {
        match self.inner(node) {
            Some(inner) => self.ty(inner),
            None => self.unknown(),
        }
    }

    /// The types of a list in angle brackets.
    pub(super) fn type_list(&mut self, node: Node<'t>) -> Vec<TypeId> {
        let mut types = Vec::new();
        for kid in self.kids(node) {
            if !kid.k.is_token() {
                types.push(self.ty(kid.node));
            }
        }
        types
    }

    /// One type.
    pub(super) fn ty(&mut self, node: Node<'t>) -> TypeId {
        if !self.enter() {
            return self.unknown();
        }
        let ty = self.ty_inner(node);
        self.leave();
        ty
    }

    fn ty_inner(&mut self, node: Node<'t>) -> TypeId {
        let f = &self.g.f;
        match self.k(node) {
            K::TypeIdentifier | K::Identifier | K::NestedTypeIdentifier | K::NestedIdentifier => {
                self.named(node, Vec::new())
            }
            K::PredefinedType => match self.slice(node) {
                "any" | "unknown" | "void" | "never" | "undefined" | "null" => self.unknown(),
                _ => {
                    let path = self.name(node);
                    self.add_type(Type::Named { path, head: None, decl: None, args: Vec::new() })
                }
            },
            K::GenericType => self.generic(node),
            K::ParenthesizedType | K::ReadonlyType | K::OptionalType | K::RestType => match self.inner(node) {
                Some(inner) => self.ty(inner),
                None => self.unknown(),
            },
            K::TypeAnnotation => self.annotation(node),
            K::UnionType | K::IntersectionType => self.union(node),
            K::ArrayType => {
                let item = match self.inner(node) {
                    Some(inner) => self.ty(inner),
                    None => self.unknown(),
                };
                self.add_type(Type::List(item))
            }
            K::TupleType => self.tuple(node),
            K::ObjectType => self.object_type(node),
            K::FunctionType => self.in_block(|it| {
                it.type_parameters(node);
                let params = it.parameter_types(node);
                let ret = it.field(node, f.return_type);
                let ret = ret.map(|ret| it.ty(ret));
                it.add_type(Type::Function { params, ret })
            }),
            K::TypeQuery => match self.operand(node) {
                Some(value) => self.add_type(Type::Of(value)),
                None => self.unknown(),
            },
            K::ThisType => {
                let name = self.at.class.and_then(|class| self.module.class(class).name);
                match name {
                    Some(name) => self.path(name, name, true, Vec::new()),
                    None => self.unknown(),
                }
            }
            K::Member | K::Call => self.imported_type(node, Vec::new()),
            _ => self.unknown(),
        }
    }

    /// A name with dots between.
    fn named(&mut self, node: Node<'t>, args: Vec<TypeId>) -> TypeId {
        let head = self.leftmost_identifier(node);
        let Some(head) = head.filter(|head| bridge::specifier(self.slice(*head)).is_none()) else {
            return self.imported_type(node, args);
        };
        let single = head == node;
        let head = self.name(head);
        let written = self.slice(node);
        let path = if single || !written.contains(char::is_whitespace) {
            self.name_of(written)
        } else {
            Name::new(&written.split_whitespace().collect::<String>())
        };
        self.path(path, head, single, args)
    }

    fn path(&mut self, path: Name, head: Name, single: bool, args: Vec<TypeId>) -> TypeId {
        let ty = self.add_type(Type::Named { path, head: None, decl: None, args });
        self.type_references.push(TypeReference { ty, head, single, scope: self.at.scope });
        ty
    }

    fn generic(&mut self, node: Node<'t>) -> TypeId {
        let f = &self.g.f;
        let Some(name) = self.field(node, f.name) else {
            return self.unknown();
        };
        let list = self.field(node, f.type_arguments);
        let args = match list {
            Some(list) => self.type_list(list),
            None => Vec::new(),
        };
        if let [only] = args[..] {
            match self.slice(name) {
                // Of interest is what the value has, not how it is wrapped or restricted.
                "Readonly" | "Partial" | "Required" | "Promise" | "Awaited" | "NonNullable" => {
                    return only;
                }
                "ReturnType" => {
                    let &Type::Of(callee) = self.module.ty(only) else {
                        return self.unknown();
                    };
                    let args = Vec::new();
                    let call = ExprKind::Call { callee, args };
                    let call = self.add(call, self.span(node));
                    return self.add_type(Type::Of(call));
                }
                "InstanceType" => {
                    let query = list.and_then(|list| self.inner(list)).filter(|query| self.k(*query) == K::TypeQuery);
                    let class = query.and_then(|query| self.inner(query));
                    return match class {
                        Some(class) => self.named(class, Vec::new()),
                        None => self.unknown(),
                    };
                }
                _ => {}
            }
        }
        self.named(name, args)
    }

    /// `import('m').Name`, as an import of that name.
    fn imported_type(&mut self, node: Node<'t>, args: Vec<TypeId>) -> TypeId {
        let f = &self.g.f;
        let mut head = None;
        let mut inner = node;
        loop {
            let (object, name) = match self.k(inner) {
                K::Member | K::NestedIdentifier => (f.object, f.property),
                K::NestedTypeIdentifier => (f.module, f.name),
                _ => break,
            };
            head = self.field(inner, name);
            match self.field(inner, object) {
                Some(object) => inner = object,
                None => return self.unknown(),
            }
        }
        let source = match bridge::specifier(self.slice(inner)) {
            Some(source) => Some(self.name_of(source)),
            None => {
                let arguments = self.field(inner, f.arguments);
                let specifier = arguments.and_then(|arguments| self.inner(arguments));
                specifier.filter(|node| self.k(*node) == K::String).and_then(|node| self.string_value(node))
            }
        };
        let Some(source) = source else {
            return self.unknown();
        };
        let span = self.span(node);
        let (imported, name) = match head {
            Some(head) => {
                let name = self.name(head);
                (Imported::Named(name), name)
            }
            None => (Imported::Namespace, source),
        };
        let symbol = self.import_symbol(name, span, None);
        self.module.imports.push(Import { source, imported, symbol: Some(symbol), type_only: true, span });
        let path = match head {
            Some(head) => {
                let path = self.text.get(head.start_byte()..node.end_byte());
                self.name_of(path.unwrap_or_default())
            }
            None => name,
        };
        self.add_type(Type::Named { path, head: Some(symbol), decl: None, args })
    }

    /// A symbol for the import that is pushed next, in a scope where it is named there.
    pub(super) fn import_symbol(&mut self, name: Name, span: Span, scope: Option<super::scope::ScopeId>) -> SymbolId {
        let kind = SymbolKind::Import(self.module.imports.len() as u32);
        match scope {
            Some(scope) => self.declare(scope, self.at.func, name, kind, span),
            None => self.new_symbol(self.at.func, name, kind, span),
        }
    }

    /// A union or intersection; both nest to the left.
    fn union(&mut self, node: Node<'t>) -> TypeId {
        let k = self.k(node);
        let mut written = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.k(node) == k {
                let kids = self.kids(node);
                let arms = kids.iter().rev().filter(|kid| !kid.k.is_token());
                open.extend(arms.map(|kid| kid.node));
            } else {
                written.push(node);
            }
        }
        let mut arms = Vec::new();
        for arm in written {
            if !matches!(self.slice(arm), "undefined" | "null" | "void") {
                arms.push(self.ty(arm));
            }
        }
        match arms[..] {
            [] => self.unknown(),
            [only] => only,
            _ => self.add_type(Type::Union(arms)),
        }
    }

    /// A tuple is an object with numbered fields, as array patterns read it.
    fn tuple(&mut self, node: Node<'t>) -> TypeId {
        let f = &self.g.f;
        let mut fields = Vec::new();
        for kid in self.kids(node) {
            if kid.k.is_token() {
                continue;
            }
            let ty = match kid.k {
                K::RequiredParameter | K::OptionalParameter => {
                    let ty = self.field(kid.node, f.ty);
                    match ty {
                        Some(ty) => self.annotation(ty),
                        None => self.unknown(),
                    }
                }
                _ => self.ty(kid.node),
            };
            fields.push((Name::new(&fields.len().to_string()), ty));
        }
        let index = None;
        self.add_type(Type::Object { fields, index })
    }

    /// `{ … }`, also the body of an interface.
    pub(super) fn object_type(&mut self, node: Node<'t>) -> TypeId {
        let f = &self.g.f;
        let (mut fields, mut index, mut call) = (Vec::new(), None, None);
        for member in self.kids(node) {
            let node = member.node;
            match member.k {
                K::PropertySignature => {
                    let ty = self.field(node, f.ty);
                    let ty = match ty {
                        Some(ty) => self.annotation(ty),
                        None => self.unknown(),
                    };
                    let name = self.field(node, f.name);
                    if let Some(name) = name.and_then(|name| self.literal_key(name)) {
                        fields.push((name, ty));
                    }
                }
                K::MethodSignature => {
                    let ty = self.in_block(|it| {
                        it.type_parameters(node);
                        it.signature(node)
                    });
                    let name = self.field(node, f.name);
                    if let Some(name) = name.and_then(|name| self.literal_key(name)) {
                        fields.push((name, ty));
                    }
                }
                K::CallSignature => {
                    call = Some(self.in_block(|it| {
                        it.type_parameters(node);
                        it.signature(node)
                    }));
                }
                K::IndexSignature => {
                    let mapped = self.kids(node).iter().any(|kid| kid.k == K::MappedTypeClause);
                    if mapped {
                        return self.unknown();
                    }
                    let ty = self.field(node, f.ty);
                    index = ty.map(|ty| self.annotation(ty));
                }
                _ => {}
            }
        }
        match call {
            Some(call) if fields.is_empty() && index.is_none() => call,
            _ => self.add_type(Type::Object { fields, index }),
        }
    }

    fn signature(&mut self, node: Node<'t>) -> TypeId {
        let params = self.parameter_types(node);
        let ret = self.field(node, self.g.f.return_type);
        let ret = ret.map(|ret| self.annotation(ret));
        self.add_type(Type::Function { params, ret })
    }

    fn parameter_types(&mut self, node: Node<'t>) -> Vec<TypeId> {
        let f = &self.g.f;
        let mut types = Vec::new();
        let Some(list) = self.field(node, f.parameters) else {
            return types;
        };
        for kid in self.kids(list) {
            if !matches!(kid.k, K::RequiredParameter | K::OptionalParameter) {
                continue;
            }
            let pattern = self.field(kid.node, f.pattern);
            if pattern.is_some_and(|pattern| self.k(pattern) == K::This) {
                continue;
            }
            let ty = self.field(kid.node, f.ty);
            types.push(match ty {
                Some(ty) => self.annotation(ty),
                None => self.unknown(),
            });
        }
        types
    }
}
