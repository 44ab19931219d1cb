//! Annotations: expressions that are read as types.

use super::Lowerer;
use super::grammar::{F, K};
use super::scope::TypeReference;
use super::tree::Node;
use crate::model::facts::{ExprId, Type, TypeId};
use crate::model::name::Name;

/// A type with arguments, before it is known what it stands for.
pub(super) struct Generic {
    /// As written, with dots.
    pub(super) path: String,
    pub(super) args: Vec<TypeId>,
}

impl<'t> Lowerer<'t> {
    /// One annotation.
    pub(super) fn ty(&mut self, node: Node<'t>) -> TypeId {
        if !self.enter() {
            return self.unknown();
        }
        let ty = self.ty_inner(node);
        self.leave();
        ty
    }

    fn ty_inner(&mut self, node: Node<'t>) -> TypeId {
        match self.k(node) {
            K::Type | K::Parenthesized => match self.inner(node) {
                Some(inner) => self.ty(inner),
                None => self.unknown(),
            },
            K::Identifier | K::Attribute | K::MemberType => {
                let path = self.dotted(node);
                self.generic(Generic { path, args: Vec::new() })
            }
            K::GenericType => {
                let parts = self.parts(node);
                let name = parts.clone().next().map(|part| self.dotted(part.node)).unwrap_or_default();
                let arguments = match parts.clone().find(|part| part.k == K::TypeParameter) {
                    Some(list) => self.parts(list.node).map(|part| part.node).collect(),
                    None => Vec::new(),
                };
                self.subscripted(name, arguments)
            }
            K::Subscript => {
                let value = self.field(node, F::Value);
                let name = value.map(|value| self.dotted(value)).unwrap_or_default();
                let arguments: Vec<Node<'t>> = self
                    .kids(node)
                    .filter(|kid| kid.field == F::Subscript && !kid.k.is_token())
                    .map(|kid| kid.node)
                    .collect();
                self.subscripted(name, arguments)
            }
            K::UnionType => {
                let arms = self.parts(node).map(|part| part.node).collect();
                self.union(arms)
            }
            K::Binary => {
                let mut arms = Vec::new();
                let mut at = node;
                while self.k(at) == K::Binary {
                    arms.extend(self.field(at, F::Right));
                    match self.field(at, F::Left) {
                        Some(left) => at = left,
                        None => break,
                    }
                }
                arms.push(at);
                arms.reverse();
                self.union(arms)
            }
            K::String => {
                let written = self.string_text(node);
                match written {
                    Some(written) => self.written_type(written.text()),
                    None => self.unknown(),
                }
            }
            _ => self.unknown(),
        }
    }

    /// The types of a list in brackets (the parameters of a callable).
    fn type_list(&mut self, node: Node<'t>) -> Vec<TypeId> {
        let node = if self.k(node) == K::Type { self.inner(node).unwrap_or(node) } else { node };
        if self.k(node) != K::List {
            return Vec::new();
        }
        let parts = self.parts(node);
        parts.into_iter().map(|part| self.ty(part.node)).collect()
    }

    fn subscripted(&mut self, path: String, arguments: Vec<Node<'t>>) -> TypeId {
        match last_segment(&path) {
            // What follows the type in brackets says more about the parameter, not about the type.
            "Annotated" => match arguments.first() {
                Some(first) => self.ty(*first),
                None => self.unknown(),
            },
            "Literal" => self.unknown(),
            "Callable" => {
                let params = arguments.first().map(|list| self.type_list(*list)).unwrap_or_default();
                let ret = arguments.get(1).map(|ret| self.ty(*ret));
                self.add_type(Type::Function { params, ret })
            }
            _ => {
                let args = arguments.into_iter().map(|argument| self.ty(argument)).collect();
                self.generic(Generic { path, args })
            }
        }
    }

    fn union(&mut self, arms: Vec<Node<'t>>) -> TypeId {
        let arms: Vec<Node<'t>> = arms.into_iter().filter(|arm| self.slice(*arm) != "None").collect();
        let arms = arms.into_iter().map(|arm| self.ty(arm)).collect();
        self.union_of(arms)
    }

    pub(super) fn union_of(&mut self, arms: Vec<TypeId>) -> TypeId {
        match arms[..] {
            [] => self.unknown(),
            [only] => only,
            _ => self.add_type(Type::Union(arms)),
        }
    }

    /// What a name with arguments stands for.
    pub(super) fn generic(&mut self, Generic { path, args }: Generic) -> TypeId {
        match last_segment(&path) {
            "None" | "Any" | "object" | "NoReturn" | "Never" | "Self" => return self.unknown(),
            "Optional" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "Awaitable" | "Annotated" => {
                return args.first().copied().unwrap_or_else(|| self.unknown());
            }
            "Union" => return self.union_of(args),
            "Coroutine" => return args.last().copied().unwrap_or_else(|| self.unknown()),
            // What is iterated over has elements; a generator's come first.
            "Iterator" | "AsyncIterator" | "Iterable" | "AsyncIterable" | "Generator" | "AsyncGenerator"
            | "Sequence" | "Collection" => {
                let item = args.first().copied().unwrap_or_else(|| self.unknown());
                return self.add_type(Type::List(item));
            }
            "tuple" | "Tuple" if !args.is_empty() => {
                let fields = args.iter().enumerate().map(|(at, ty)| (Name::new(&at.to_string()), *ty)).collect();
                return self.add_type(Type::Object { fields, index: None });
            }
            "type" | "Type" | "Literal" | "Callable" | "" => return self.unknown(),
            _ => {}
        }
        let head = Name::new(path.split('.').next().unwrap_or_default());
        let path = Name::new(&path);
        let ty = self.add_type(Type::Named { path, head: None, decl: None, args });
        self.type_references.push(TypeReference { ty, head, scope: self.at.scope });
        ty
    }

    /// A name with dots between, as one text; empty where it is something else.
    pub(super) fn dotted(&mut self, node: Node<'t>) -> String {
        match self.k(node) {
            K::Identifier => self.slice(node).to_owned(),
            K::Type | K::Attribute | K::MemberType | K::DottedName => {
                let written = self.slice(node);
                let plain = written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
                if plain { written.to_owned() } else { String::new() }
            }
            _ => String::new(),
        }
    }

    /// The calls among what follows the type in `Annotated[T, …]`: `Depends(f)` fills the parameter.
    pub(super) fn injected(&mut self, node: Node<'t>) -> Option<ExprId> {
        let node = if self.k(node) == K::Type { self.inner(node)? } else { node };
        let parts = self.parts(node);
        let named = parts.clone().next().is_some_and(|part| last_segment(self.slice(part.node)) == "Annotated");
        if !named {
            return None;
        }
        let list = match parts.clone().find(|part| part.k == K::TypeParameter) {
            Some(list) => self.parts(list.node),
            None => parts,
        };
        for part in list.into_iter().skip(1) {
            let value = if part.k == K::Type { self.inner(part.node) } else { Some(part.node) };
            let Some(value) = value.filter(|value| self.k(*value) == K::Call) else { continue };
            let callee = self.field(value, F::Function);
            if callee.is_some_and(|callee| last_segment(self.slice(callee)) == "Depends") {
                return Some(self.expr(value));
            }
        }
        None
    }
}

/// The part after the last dot.
pub(super) fn last_segment(path: &str) -> &str {
    memchr::memrchr(b'.', path.as_bytes()).map_or(path, |at| &path[at + 1..])
}
