//! Functions of every spelling.

use tree_sitter::Node;

use super::grammar::K;
use super::pattern::Bind;
use super::{Kid, Lowerer, Place};
use crate::model::facts::{
    AssignKind, ClassField, ClassId, ExprKind, FuncId, FuncKind, Function, Param, Span, SymbolId, SymbolKind, TypeId,
};
use crate::model::name::Name;
use crate::syntax::tree::first_token;

/// What is known of a parameter after its declaration.
struct Bound<'t> {
    symbol: SymbolId,
    span: Span,
    pattern: Option<Node<'t>>,
    default: Option<Node<'t>>,
    /// A parameter property: declares a field of this name.
    property: Option<Property>,
}

struct Property {
    name: Name,
    ty: Option<TypeId>,
    readonly: bool,
}

impl<'t> Lowerer<'t> {
    /// Makes room for a function; its parts are filled in as they are met.
    pub(super) fn new_function(
        &mut self,
        kind: FuncKind,
        name: Option<(Name, Span)>,
        class: Option<ClassId>,
        span: Span,
        name_span: Span,
    ) -> FuncId {
        let id = FuncId(self.module.functions.len() as u32);
        self.module.functions.push(Function {
            name: name.map(|(name, _)| name),
            kind,
            parent: Some(self.at.func),
            class,
            is_static: false,
            params: Vec::new(),
            returns: Vec::new(),
            ret: None,
            decorators: Vec::new(),
            span,
            name_span: name.map_or(name_span, |(_, span)| span),
            throws: Vec::new(),
        });
        id
    }

    /// A function expression, arrow or method. `class` is the class that a method belongs to.
    pub(super) fn function(
        &mut self,
        node: Node<'t>,
        kind: FuncKind,
        name: Option<(Name, Span)>,
        class: Option<ClassId>,
    ) -> FuncId {
        let written = match self.k(node) {
            K::FunctionExpression | K::GeneratorFunction => self.field(node, self.g.f.name),
            _ => None,
        };
        let own_name = written.map(|written| (self.name(written), self.span(written)));
        let class = match self.k(node) {
            // An arrow has no `this` of its own.
            K::ArrowFunction => self.at.class,
            _ => class,
        };
        let span = self.span(node);
        let first = self.span(first_token(node));
        let id = self.new_function(kind, own_name.or(name), class, span, first);
        match own_name {
            Some((name, span)) => self.in_block(|it| {
                let symbol = SymbolKind::Function(id);
                it.declare(it.at.scope, it.at.func, name, symbol, span);
                it.function_parts(id, node);
            }),
            None => self.function_parts(id, node),
        }
        id
    }

    /// `function name() {}` and its signatures.
    pub(super) fn function_declaration(&mut self, node: Node<'t>) {
        let span = self.span(node);
        let name_node = self.field(node, self.g.f.name);
        let name = name_node.map(|name| (self.name(name), self.span(name)));
        let first = self.span(first_token(node));
        let id = self.new_function(FuncKind::Named, name, None, span, first);
        let bodiless = self.k(node) == K::FunctionSignature;
        if bodiless {
            self.bodiless.insert(id);
        }
        if let Some((name, name_span)) = name {
            let kind = SymbolKind::Function(id);
            let at = self.at;
            let symbol = self.declare(at.scope, at.func, name, kind, name_span);
            // In sloppy code the name is seen in the whole function, unless that has one of its own.
            if at.scope != at.function_scope && self.scopes.own(at.function_scope, name).is_none() && !bodiless {
                self.scopes.bind(at.function_scope, name, symbol);
            }
        }
        self.function_parts(id, node);
    }

    /// Parameters, types and body of a function.
    pub(super) fn function_parts(&mut self, id: FuncId, node: Node<'t>) {
        let scope = self.scopes.open(self.at.scope);
        let place = Place { func: id, class: self.module.function(id).class, scope, function_scope: scope };
        self.within(place, |it| it.function_inside(id, node));
    }

    fn function_inside(&mut self, id: FuncId, node: Node<'t>) {
        let f = &self.g.f;
        self.type_parameters(node);
        let mut bound = Vec::new();
        if let Some(parameter) = self.field(node, f.parameter) {
            let parameter = self.parameter_symbol(parameter, false, false, 0);
            bound.push(parameter);
        }
        if let Some(list) = self.field(node, f.parameters) {
            for kid in self.kids(list) {
                if matches!(kid.k, K::RequiredParameter | K::OptionalParameter) {
                    let position = bound.len();
                    bound.extend(self.parameter(kid, position));
                }
            }
        }
        if let Some(ret) = self.field(node, f.return_type) {
            let ret = self.annotation(ret);
            self.module.functions[id.index()].ret = Some(ret);
        }
        for parameter in bound {
            self.bind_parameter(parameter);
        }
        let Some(body) = self.field(node, f.body) else {
            return;
        };
        if self.k(body) == K::StatementBlock {
            // Parameters and the body's own names share a scope: the latter cannot hide the former.
            self.statements(body);
        } else {
            let value = self.expr(body);
            self.add_return(Some(value), self.span(body));
        }
    }

    /// Declares one parameter. `None` for a typed `this`.
    fn parameter(&mut self, kid: Kid<'t>, position: usize) -> Option<Bound<'t>> {
        let f = &self.g.f;
        let kids = self.kids(kid.node);
        let part = |field: u16| kids.iter().find(|kid| kid.field == field);
        for decorator in kids.iter().filter(|kid| kid.k == K::Decorator) {
            // Decorators run when the class is made, not when the function is called.
            let outer = self.module.function(self.at.func).parent;
            let place = Place { func: outer.unwrap_or(self.at.func), ..self.at };
            self.within(place, |it| it.expr(decorator.node));
        }
        let pattern = part(f.pattern).or_else(|| part(f.name))?;
        if pattern.k == K::This {
            return None;
        }
        let (target, rest) = match pattern.k {
            K::RestPattern => (self.inner(pattern.node)?, true),
            _ => (pattern.node, false),
        };
        let default = part(f.value).map(|value| value.node);
        let optional = kid.k == K::OptionalParameter || default.is_some();
        let mut bound = self.parameter_symbol(target, rest, optional, position);
        bound.default = default;
        let ty = part(f.ty).map(|ty| ty.node);
        let ty = ty.map(|ty| self.annotation(ty));
        self.module.symbols[bound.symbol.index()].ty = ty;
        let readonly = kids.iter().any(|kid| kid.k == K::ReadonlyToken);
        let modifier = kids.iter().any(|kid| kid.k == K::AccessibilityModifier || self.slice(kid.node) == "override");
        if (readonly || modifier) && bound.pattern.is_none() {
            bound.property = Some(Property { name: self.module.symbol(bound.symbol).name, ty, readonly });
        }
        Some(bound)
    }

    fn parameter_symbol(&mut self, target: Node<'t>, rest: bool, optional: bool, position: usize) -> Bound<'t> {
        let span = self.span(target);
        let kind = SymbolKind::Parameter;
        let at = self.at;
        let named = matches!(self.k(target), K::Identifier | K::Undefined);
        let symbol = if named {
            let name = self.name(target);
            self.declare(at.scope, at.func, name, kind, span)
        } else {
            self.new_symbol(at.func, Name::new(&format!("#{position}")), kind, span)
        };
        self.module.functions[at.func.index()].params.push(Param { symbol, rest, optional });
        Bound { symbol, span, pattern: (!named).then_some(target), default: None, property: None }
    }

    /// What a parameter does at the start of the body: default, destructuring, field.
    fn bind_parameter(&mut self, bound: Bound<'t>) {
        let span = bound.span;
        if let Some(default) = bound.default {
            let given = self.symbol_use(bound.symbol, span);
            let value = self.or_default(given, default, span);
            let target = self.symbol_use(bound.symbol, span);
            let kind = AssignKind::Init;
            self.add(ExprKind::Assign { target, value, kind }, span);
        }
        if let Some(pattern) = bound.pattern {
            let value = self.symbol_use(bound.symbol, span);
            let bind = Bind::Declare { scope: self.at.scope, kind: SymbolKind::Parameter };
            self.assign_pattern(pattern, value, bind, AssignKind::Init);
        }
        let Some(property) = bound.property else {
            return;
        };
        let function = self.module.function(self.at.func);
        if let (FuncKind::Constructor, Some(class)) = (function.kind, function.class) {
            self.module.classes[class.index()].fields.push(ClassField {
                name: property.name,
                ty: property.ty,
                init: None,
                is_static: false,
                readonly: property.readonly,
                span,
            });
            let this = self.add(ExprKind::This(Some(class)), span);
            let value = self.symbol_use(bound.symbol, span);
            self.init_member(this, property.name, value, span);
        }
    }

    /// What kind of method a definition is.
    pub(super) fn method_kind(&mut self, node: Node<'t>) -> FuncKind {
        let name = self.field(node, self.g.f.name);
        let kids = self.kids(node);
        let before_name = kids.iter().take_while(|kid| Some(kid.node) != name);
        let mut is_static = false;
        for kid in before_name {
            match kid.k {
                K::GetToken => return FuncKind::Getter,
                K::SetToken => return FuncKind::Setter,
                K::StaticToken => is_static = true,
                _ => {}
            }
        }
        match name {
            Some(name) if self.slice(name) == "constructor" && !is_static => FuncKind::Constructor,
            _ => FuncKind::Method,
        }
    }
}
