//! Functions, their parameters, lambdas, and the built-in functions that stand for syntax of their own.

use super::grammar::{F, K};
use super::tree::Node;
use super::types::last_segment;
use super::{Kid, Lowerer, Place};
use crate::model::facts::{
    Arg, AssignKind, Choice, ClassId, ExprId, ExprKind, FuncId, FuncKind, Function, Param, Span, SymbolId, SymbolKind,
    Type, TypeId,
};
use crate::model::name::Name;

/// Functions that read or write an attribute, say what a value is, or load a module.
const BUILT_INS: &[&str] =
    &["getattr", "setattr", "delattr", "hasattr", "isinstance", "super", "cast", "import_module"];

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

    /// `def name(…): …` that is no method.
    pub(super) fn function_definition(&mut self, node: Node<'t>, decorators: &[ExprId]) -> Option<FuncId> {
        if let Some(class) = self.at.body_of {
            return self.method(class, node, decorators);
        }
        let name = self.field(node, F::Name)?;
        let (name, name_span) = (self.name(name), self.span(name));
        let span = self.span(node);
        let id = self.new_function(FuncKind::Named, Some((name, name_span)), self.at.class, span, name_span);
        self.module.functions[id.index()].decorators = decorators.to_vec();
        if self.is_stub(decorators) {
            self.stubs.insert(id);
        }
        self.declare(self.at.scope, self.at.func, name, SymbolKind::Function(id), name_span);
        self.function_parts(id, node, None, self.at.class);
        Some(id)
    }

    /// Whether decorators say that a definition only describes an overload.
    fn is_stub(&self, decorators: &[ExprId]) -> bool {
        decorators.iter().any(|decorator| match self.module.kind(*decorator) {
            ExprKind::Global(name) | ExprKind::Member { name, .. } => *name == "overload",
            _ => false,
        })
    }

    /// Parameters, annotations and body of a function. `own` says whose instance (or class) the first parameter is.
    pub(super) fn function_parts(&mut self, id: FuncId, node: Node<'t>, own: Option<First>, class: Option<ClassId>) {
        let outer = self.at;
        let scope = self.scopes.open(outer.visible);
        let place = Place {
            func: id,
            class,
            body_of: None,
            scope,
            function_scope: scope,
            visible: scope,
            type_only: outer.type_only,
        };
        let tries = std::mem::take(&mut self.tries);
        let parameters = self.field(node, F::Parameters);
        let mut bound = Vec::new();
        let mut first = own;
        for kid in parameters.into_iter().flat_map(|list| list.children()).map(Kid::of).filter(|kid| !kid.k.is_token())
        {
            if matches!(kid.k, K::KeywordSeparator | K::PositionalSeparator | K::Error) {
                continue;
            }
            if let Some(own) = first.take() {
                let name = self.parameter_name(kid);
                if let Some(name) = name {
                    self.within(place, |it| it.bind_first(name, own));
                    continue;
                }
            }
            // Defaults are evaluated where the function is defined.
            let default = self.field(kid.node, F::Value).map(|default| self.expr(default));
            bound.extend(self.within(place, |it| it.parameter(kid, default)));
        }
        let ret = self.field(node, F::ReturnType);
        self.within(place, |it| {
            if let Some(ret) = ret {
                let ret = it.ty(ret);
                it.module.functions[id.index()].ret = Some(ret);
            }
            for (symbol, default, span) in bound {
                it.bind_default(symbol, default, span);
            }
            let Some(body) = it.field(node, F::Body) else { return };
            if it.k(body) == K::Block {
                it.statement(body);
            } else {
                let value = it.expr(body);
                it.add_return(Some(value), it.span(body));
            }
        });
        self.tries = tries;
    }

    /// The identifier of a parameter of any spelling.
    fn parameter_name(&mut self, kid: Kid<'t>) -> Option<Node<'t>> {
        match kid.k {
            K::Identifier => Some(kid.node),
            K::TypedParameter => self.inner(kid.node).filter(|inner| self.k(*inner) == K::Identifier),
            K::DefaultParameter | K::TypedDefaultParameter => {
                self.field(kid.node, F::Name).filter(|name| self.k(*name) == K::Identifier)
            }
            _ => None,
        }
    }

    /// Binds the first parameter of a method: to the instance, or to the class.
    fn bind_first(&mut self, node: Node<'t>, own: First) {
        let (name, span) = (self.name(node), self.span(node));
        match own {
            First::Instance(class) => {
                let symbol = self.new_symbol(self.at.func, name, SymbolKind::Parameter, span);
                self.scopes.bind(self.at.scope, name, symbol);
                self.selves.insert(symbol, class);
            }
            First::Class(symbol) => self.scopes.bind(self.at.scope, name, symbol),
        }
    }

    /// Declares one parameter; the answer says with what default it starts.
    fn parameter(&mut self, kid: Kid<'t>, default: Option<ExprId>) -> Option<(SymbolId, Option<ExprId>, Span)> {
        let ty_node = self.field(kid.node, F::Ty);
        let target = match kid.k {
            K::TypedParameter => self.inner(kid.node)?,
            K::DefaultParameter | K::TypedDefaultParameter => self.field(kid.node, F::Name)?,
            _ => kid.node,
        };
        let (target, rest) = match self.k(target) {
            K::ListSplatPattern | K::DictionarySplatPattern => {
                (self.inner(target)?, Some(self.k(target) == K::DictionarySplatPattern))
            }
            K::Identifier => (target, None),
            _ => return None,
        };
        if self.k(target) != K::Identifier {
            return None;
        }
        let span = self.span(target);
        let name = self.name(target);
        let symbol = self.declare(self.at.scope, self.at.func, name, SymbolKind::Parameter, span);
        let ty: Option<TypeId> = ty_node.map(|ty| self.ty(ty));
        let ty = match rest {
            None => ty,
            Some(keywords) => {
                let item = ty.unwrap_or_else(|| self.unknown());
                let ty =
                    if keywords { Type::Object { fields: Vec::new(), index: Some(item) } } else { Type::List(item) };
                Some(self.add_type(ty))
            }
        };
        self.module.symbols[symbol.index()].ty = ty;
        let injected = ty_node.and_then(|ty| self.injected(ty));
        let optional = default.is_some();
        let params = &mut self.module.functions[self.at.func.index()].params;
        params.push(Param { symbol, rest: rest.is_some(), optional });
        Some((symbol, default.or(injected), span))
    }

    fn bind_default(&mut self, symbol: SymbolId, default: Option<ExprId>, span: Span) {
        if let Some(default) = default {
            let given = self.symbol_use(symbol, span);
            let value = self.either(given, default, Choice::Default, span);
            self.assign_symbol(symbol, value, span, AssignKind::Init);
        }
    }

    /// `lambda …: …`
    pub(super) fn lambda(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let first = Span { end: span.end.min(span.start + "lambda".len() as u32), ..span };
        let id = self.new_function(FuncKind::Anonymous, None, self.at.class, span, first);
        self.function_parts(id, node, None, self.at.class);
        self.add(ExprKind::Function(id), span)
    }

    // Built-in functions that are syntax in disguise.

    /// Whether a call is of one of them.
    pub(super) fn is_built_in(&self, node: Node<'t>) -> bool {
        let Some(callee) = self.field(node, F::Function) else { return false };
        let written = self.slice(callee);
        match self.k(callee) {
            K::Identifier => BUILT_INS.contains(&written),
            K::Attribute => {
                matches!(last_segment(written), "cast" | "import_module")
                    && matches!(written.split('.').next(), Some("typing" | "t" | "importlib"))
            }
            _ => false,
        }
    }

    pub(super) fn built_in(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let callee = self.field(node, F::Function).map_or("", |callee| last_segment(self.slice(callee)));
        let list = self.field(node, F::Arguments);
        let nodes: Vec<Kid<'t>> = list.map(|list| self.parts(list).collect()).unwrap_or_default();
        if callee == "cast"
            && let [ty, value] = nodes[..]
        {
            let texts = matches!(self.slice(ty.node), "str" | "'str'" | "\"str\"");
            let ty = self.ty(ty.node);
            let value = self.expr(value.node);
            if texts {
                self.module.asserted.push(value);
            }
            return self.add(ExprKind::Cast { value, ty }, span);
        }
        if callee == "super" && nodes.len() != 1 {
            for node in nodes {
                self.expr(node.node);
            }
            return self.add(ExprKind::Super(self.at.class), span);
        }
        let args: Vec<Arg> = list.map(|list| self.arguments(list)).unwrap_or_default();
        let text = |it: &Self, at: usize| match args.get(at).map(|arg| it.module.kind(arg.value)) {
            Some(ExprKind::Text(text)) => Some(*text),
            _ => None,
        };
        let value = |at: usize| args.get(at).map(|arg| arg.value);
        match (callee, value(0), value(1)) {
            ("getattr", Some(object), Some(key)) => {
                let kind = match text(self, 1) {
                    Some(name) => ExprKind::Member { object, name },
                    None => ExprKind::Index { object, key },
                };
                let read = self.add(kind, span);
                match value(2) {
                    Some(default) => self.either(read, default, Choice::Default, span),
                    None => read,
                }
            }
            ("setattr", Some(object), Some(key)) if args.len() == 3 => {
                let kind = match text(self, 1) {
                    Some(name) => ExprKind::Member { object, name },
                    None => ExprKind::Index { object, key },
                };
                let target = self.add(kind, span);
                let value = args[2].value;
                self.add(ExprKind::Assign { target, value, kind: AssignKind::Set }, span)
            }
            ("delattr", Some(object), Some(_)) if text(self, 1).is_some() => {
                let name = text(self, 1).unwrap_or_else(|| Name::new(""));
                let target = self.add(ExprKind::Member { object, name }, span);
                self.add(ExprKind::Delete { target }, span)
            }
            ("hasattr", Some(haystack), Some(needle)) => self.add(ExprKind::Contains { haystack, needle }, span),
            ("isinstance", Some(left), Some(right)) => {
                let operator = Name::new("instanceof");
                self.add(ExprKind::Compare { operator, left, right }, span)
            }
            ("import_module", Some(_), None) if text(self, 0).is_some() => {
                let name = text(self, 0).unwrap_or_else(|| Name::new(""));
                self.add(ExprKind::Require(name), span)
            }
            _ => {
                let callee = self.field(node, F::Function);
                let callee = self.expr_or_nothing(callee, span);
                self.add(ExprKind::Call { callee, args }, span)
            }
        }
    }
}

/// What the first parameter of a method is.
#[derive(Clone, Copy)]
pub(super) enum First {
    /// The instance.
    Instance(ClassId),
    /// The class, by the symbol that names it.
    Class(SymbolId),
}
