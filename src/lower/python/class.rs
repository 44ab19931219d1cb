//! Classes. Attributes of the class are assigned where it is declared; fields of an instance where a method first assigns them;
//! fields of a data class are parameters of its constructor.

use super::function::First;
use super::grammar::{F, K};
use super::tree::Node;
use super::{Lowerer, Place};
use crate::model::facts::{
    AssignKind, Choice, Class, ClassField, ClassId, ExprId, ExprKind, FuncId, FuncKind, Param, Span, SymbolId,
    SymbolKind, TypeId,
};
use crate::model::name::Name;

/// Decorators and bases that turn annotated attributes into parameters of the constructor.
const RECORDS: &[&str] = &[
    "dataclass",
    "define",
    "frozen",
    "mutable",
    "attrs",
    "BaseModel",
    "BaseSettings",
    "NamedTuple",
    "TypedDict",
    "Struct",
    "SQLModel",
];

impl<'t> Lowerer<'t> {
    /// `class Name(bases): …`.
    pub(super) fn class_definition(&mut self, node: Node<'t>, decorators: &[ExprId]) -> Option<ClassId> {
        let name_node = self.field(node, F::Name)?;
        let (name, name_span) = (self.name(name_node), self.span(name_node));
        let span = self.span(node);
        let id = ClassId(self.module.classes.len() as u32);
        let constructor = self.new_function(
            FuncKind::Constructor,
            Some((Name::new("__init__"), name_span)),
            Some(id),
            span,
            name_span,
        );
        self.module.classes.push(Class {
            name: Some(name),
            bases: Vec::new(),
            implements: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            constructor,
            decorators: decorators.to_vec(),
            func: self.at.func,
            span,
            name_span,
        });
        self.bases(id, node);
        let symbol = self.declare(self.at.scope, self.at.func, name, SymbolKind::Class(id), name_span);
        self.class_symbols.insert(id, symbol);
        let scope = self.scopes.open(self.at.visible);
        let place = Place { body_of: Some(id), scope, ..self.at };
        let record = self.is_record(id);
        self.within(place, |it| {
            let body = it.field(node, F::Body);
            for kid in body.into_iter().flat_map(|body| it.parts(body)).collect::<Vec<_>>() {
                if !record || !it.record_field(id, kid.node) {
                    it.statement(kid.node);
                }
            }
        });
        Some(id)
    }

    fn bases(&mut self, id: ClassId, node: Node<'t>) {
        let Some(list) = self.field(node, F::Superclasses) else { return };
        for kid in self.parts(list) {
            match kid.k {
                K::KeywordArgument => {
                    if let Some(value) = self.field(kid.node, F::Value) {
                        self.expr(value);
                    }
                }
                // `Base[T]`: the arguments are types.
                K::Subscript => {
                    if let Some(base) = self.field(kid.node, F::Value) {
                        let base = self.expr(base);
                        self.module.classes[id.index()].bases.push(base);
                    }
                }
                _ => {
                    let base = self.expr(kid.node);
                    self.module.classes[id.index()].bases.push(base);
                }
            }
        }
    }

    fn is_record(&self, id: ClassId) -> bool {
        let class = self.module.class(id);
        class.decorators.iter().chain(&class.bases).any(|expr| RECORDS.contains(&self.decorator_name(*expr)))
    }

    /// An annotated attribute of a record: `name: T`, `name: T = default`. False: it is something else.
    fn record_field(&mut self, class: ClassId, statement: Node<'t>) -> bool {
        if self.k(statement) != K::ExpressionStatement {
            return false;
        }
        let Some(node) = self.inner(statement).filter(|inner| self.k(*inner) == K::Assignment) else { return false };
        let (Some(left), Some(ty)) = (self.field(node, F::Left), self.field(node, F::Ty)) else { return false };
        if self.k(left) != K::Identifier || self.slice(ty).starts_with("ClassVar") {
            return false;
        }
        let ty = self.ty(ty);
        let (name, span) = (self.name(left), self.span(left));
        // Defaults are made, or copied, for each instance.
        let place = Place { func: self.module.class(class).constructor, ..self.at };
        let value = self.field(node, F::Right);
        let value = value.map(|value| self.within(place, |it| it.default_of(value)));
        self.constructor_field(class, name, ty, value, span);
        true
    }

    /// The default of a record's field; `field(default_factory=f)` is a call of `f`.
    fn default_of(&mut self, node: Node<'t>) -> ExprId {
        let value = self.expr(node);
        let ExprKind::Call { args, .. } = self.module.kind(value) else { return value };
        let named = |wanted: &[&str]| {
            args.iter().find(|arg| arg.name.is_some_and(|name| wanted.contains(&name.text()))).map(|arg| arg.value)
        };
        if let Some(callee) = named(&["default_factory", "factory"]) {
            return self.add(ExprKind::Call { callee, args: Vec::new() }, self.span(node));
        }
        named(&["default"]).unwrap_or(value)
    }

    /// A field that the constructor takes as a parameter.
    fn constructor_field(&mut self, class: ClassId, name: Name, ty: TypeId, default: Option<ExprId>, span: Span) {
        let constructor = self.module.class(class).constructor;
        let place = Place { func: constructor, class: Some(class), ..self.at };
        self.within(place, |it| {
            let symbol = it.new_symbol(constructor, name, SymbolKind::Parameter, span);
            it.module.symbols[symbol.index()].ty = Some(ty);
            let optional = default.is_some();
            it.module.functions[constructor.index()].params.push(Param { symbol, rest: false, optional });
            let given = it.symbol_use(symbol, span);
            let value = match default {
                Some(default) => it.either(given, default, Choice::Default, span),
                None => given,
            };
            let this = it.add(ExprKind::This(Some(class)), span);
            let target = it.add(ExprKind::Member { object: this, name }, span);
            it.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, span);
        });
        self.module.classes[class.index()].fields.push(ClassField {
            name,
            ty: Some(ty),
            init: default,
            is_static: false,
            readonly: false,
            span,
        });
    }

    /// A name that a class body assigns: an attribute of the class.
    pub(super) fn class_attribute(
        &mut self,
        class: ClassId,
        symbol: SymbolId,
        name: Name,
        ty: Option<TypeId>,
        value: ExprId,
        span: Span,
    ) {
        let object = self.add(ExprKind::Class(class), span);
        let target = self.add(ExprKind::Member { object, name }, span);
        let read = self.symbol_use(symbol, span);
        self.add(ExprKind::Assign { target, value: read, kind: AssignKind::Init }, span);
        let fields = &mut self.module.classes[class.index()].fields;
        if !fields.iter().any(|field| field.name == name) {
            let init = Some(value);
            fields.push(ClassField { name, ty, init, is_static: true, readonly: false, span });
        }
    }

    /// A function in a class body.
    pub(super) fn method(&mut self, class: ClassId, node: Node<'t>, decorators: &[ExprId]) -> Option<FuncId> {
        let name_node = self.field(node, F::Name)?;
        let (name, name_span) = (self.name(name_node), self.span(name_node));
        let span = self.span(node);
        let has = |it: &Self, wanted: &[&str]| {
            decorators.iter().any(|decorator| wanted.contains(&it.decorator_name(*decorator)))
        };
        let is_class_method = has(self, &["classmethod"]) || matches!(name.text(), "__new__" | "__init_subclass__");
        let is_static = has(self, &["staticmethod"]) || is_class_method;
        let kind = if name == "__init__" {
            FuncKind::Constructor
        } else if has(self, &["property", "cached_property"]) {
            FuncKind::Getter
        } else if has(self, &["setter"]) {
            FuncKind::Setter
        } else {
            FuncKind::Method
        };
        let id = if kind == FuncKind::Constructor {
            let id = self.module.class(class).constructor;
            let constructor = &mut self.module.functions[id.index()];
            constructor.span = span;
            constructor.name_span = name_span;
            // A second definition (an overload) starts afresh.
            constructor.params.clear();
            id
        } else {
            let id = self.new_function(kind, Some((name, name_span)), Some(class), span, name_span);
            self.module.classes[class.index()].methods.push(id);
            id
        };
        let function = &mut self.module.functions[id.index()];
        function.is_static = is_static;
        function.decorators = decorators.to_vec();
        let first = if is_class_method {
            self.class_symbols.get(&class).copied().map(First::Class)
        } else if is_static {
            None
        } else {
            Some(First::Instance(class))
        };
        let class = if is_static { None } else { Some(class) };
        self.function_parts(id, node, first, class);
        // The name of a method is seen in the rest of the class body.
        self.declare(self.at.scope, self.at.func, name, SymbolKind::Function(id), name_span);
        Some(id)
    }

    /// `type Name = T`, a type by another name.
    pub(super) fn type_alias(&mut self, node: Node<'t>) {
        let (left, right) = (self.field(node, F::Left), self.field(node, F::Right));
        let (Some(left), Some(right)) = (left, right) else { return };
        let Some(left) = self.inner(left).filter(|left| self.k(*left) == K::Identifier) else { return };
        let value = self.expr(right);
        let bind = self.bind_here();
        self.assign_leaf(left, None, Some(value), bind, AssignKind::Init, self.span(node));
    }
}
