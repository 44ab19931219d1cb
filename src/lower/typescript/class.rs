//! Classes. Field initialisers run in the constructor, static ones where the class is declared.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::grammar::K;
use super::{Kid, Lowerer, Place};
use crate::model::facts::{
    AssignKind, Class, ClassField, ClassId, ExprId, ExprKind, FuncKind, Span, SymbolId, SymbolKind,
};
use crate::model::name::Name;
use crate::syntax::tree::first_token;

impl<'t> Lowerer<'t> {
    /// `class Name {}`.
    pub(super) fn class_declaration(&mut self, node: Node<'t>, decorators: Vec<ExprId>) -> ClassId {
        let id = ClassId(self.module.classes.len() as u32);
        let name = self.field(node, self.g.f.name);
        let symbol = name.map(|name| {
            let span = self.span(name);
            let name = self.name(name);
            let at = self.at;
            self.declare(at.scope, at.func, name, SymbolKind::Class(id), span)
        });
        self.class(node, decorators, symbol)
    }

    /// A class. `symbol` is what its declaration declares; a class expression declares its name for itself alone.
    pub(super) fn class(&mut self, node: Node<'t>, mut decorators: Vec<ExprId>, symbol: Option<SymbolId>) -> ClassId {
        let f = &self.g.f;
        let id = ClassId(self.module.classes.len() as u32);
        let span = self.span(node);
        let name_node = self.field(node, f.name);
        let name = name_node.map(|name| self.name(name));
        let name_span = self.span(name_node.unwrap_or_else(|| first_token(node)));
        let constructor_name = (Name::new("constructor"), name_span);
        let constructor = self.new_function(FuncKind::Constructor, Some(constructor_name), Some(id), span, name_span);
        self.module.classes.push(Class {
            name,
            bases: Vec::new(),
            implements: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            constructor,
            decorators: Vec::new(),
            func: self.at.func,
            span,
            name_span,
        });
        self.in_block(|it| {
            let mut symbol = symbol;
            if let (None, Some(name)) = (symbol, name) {
                let kind = SymbolKind::Class(id);
                symbol = Some(it.declare(it.at.scope, it.at.func, name, kind, name_span));
            }
            it.type_parameters(node);
            let kids = it.kids(node);
            for kid in kids.iter().filter(|kid| kid.k == K::Decorator) {
                decorators.push(it.expr(kid.node));
            }
            for kid in kids.iter().filter(|kid| kid.k == K::ClassHeritage) {
                it.heritage(id, kid.node);
            }
            if let Some(body) = it.field(node, f.body) {
                it.class_body(id, symbol, body);
            }
        });
        self.module.classes[id.index()].decorators = decorators;
        id
    }

    fn heritage(&mut self, id: ClassId, node: Node<'t>) {
        for clause in self.kids(node) {
            let kids = self.kids(clause.node);
            match clause.k {
                K::ExtendsClause => {
                    for kid in kids {
                        if kid.k == K::TypeArguments {
                            let types = self.type_list(kid.node);
                            let base = self.module.class(id).bases.last();
                            if let Some(&base) = base {
                                self.module.type_args.push((base, types));
                            }
                        } else if !kid.k.is_token() {
                            let base = self.expr(kid.node);
                            self.module.classes[id.index()].bases.push(base);
                        }
                    }
                }
                K::ImplementsClause => {
                    for kid in kids.iter().filter(|kid| !kid.k.is_token()) {
                        let ty = self.ty(kid.node);
                        self.module.classes[id.index()].implements.push(ty);
                    }
                }
                _ => {}
            }
        }
    }

    fn class_body(&mut self, id: ClassId, symbol: Option<SymbolId>, body: Node<'t>) {
        let f = &self.g.f;
        let members = self.kids(body);
        // Overload signatures stand before the method that they describe.
        let mut written = FxHashSet::default();
        for member in members.iter().filter(|kid| kid.k == K::MethodDefinition) {
            if let Some(name) = self.field(member.node, f.name) {
                written.insert(self.slice(name));
            }
        }
        let mut decorators = Vec::new();
        for member in &members {
            match member.k {
                K::Decorator => decorators.push(self.expr(member.node)),
                K::MethodDefinition => {
                    let decorators = std::mem::take(&mut decorators);
                    self.method(id, member.node, decorators);
                }
                K::MethodSignature | K::AbstractMethodSignature => {
                    let decorators = std::mem::take(&mut decorators);
                    let name = self.field(member.node, f.name);
                    let name = name.map_or("", |name| self.slice(name));
                    if !written.contains(name) {
                        self.method(id, member.node, decorators);
                    }
                }
                K::PublicField => self.class_field(id, symbol, member.node),
                K::ClassStaticBlock => {
                    let place = Place { class: Some(id), ..self.at };
                    if let Some(body) = self.field(member.node, f.body) {
                        self.within(place, |it| it.statement(body));
                    }
                }
                K::Error => {
                    self.statement(member.node);
                }
                _ => {}
            }
        }
    }

    fn method(&mut self, class: ClassId, node: Node<'t>, decorators: Vec<ExprId>) {
        let Some(key) = self.field(node, self.g.f.name) else {
            return;
        };
        let name_span = self.span(key);
        let name = self.literal_key(key).map(|name| (name, name_span));
        let span = self.span(node);
        let kind = self.method_kind(node);
        let id = if kind == FuncKind::Constructor {
            let id = self.module.class(class).constructor;
            let constructor = &mut self.module.functions[id.index()];
            constructor.span = span;
            constructor.name_span = name_span;
            id
        } else {
            let id = self.new_function(kind, name, Some(class), span, name_span);
            self.module.classes[class.index()].methods.push(id);
            id
        };
        let is_static = self.is_static(node);
        let function = &mut self.module.functions[id.index()];
        function.is_static = is_static;
        function.decorators = decorators;
        self.function_parts(id, node);
    }

    fn is_static(&mut self, node: Node<'t>) -> bool {
        let name = self.field(node, self.g.f.name);
        let kids = self.kids(node);
        kids.iter().take_while(|kid| Some(kid.node) != name).any(|kid| kid.k == K::StaticToken)
    }

    fn class_field(&mut self, class: ClassId, symbol: Option<SymbolId>, node: Node<'t>) {
        let f = &self.g.f;
        let kids = self.kids(node);
        let part = |field: u16| kids.iter().find(|kid: &&Kid<'t>| kid.field == field);
        for decorator in kids.iter().filter(|kid| kid.k == K::Decorator) {
            self.expr(decorator.node);
        }
        let Some(key) = part(f.name).map(|key| key.node) else {
            return;
        };
        let span = self.span(key);
        let name = self.literal_key(key);
        let ty = part(f.ty).map(|ty| ty.node);
        let ty = ty.map(|ty| self.annotation(ty));
        let is_static = self.is_static(node);
        let readonly = kids.iter().any(|kid| kid.k == K::ReadonlyToken);
        let func = if is_static { self.at.func } else { self.module.class(class).constructor };
        let place = Place { func, class: Some(class), ..self.at };
        let value = part(f.value).map(|value| value.node);
        let init =
            value.map(|value| self.within(place, |it| it.initialiser(class, symbol.filter(|_| is_static), key, value)));
        if let Some(name) = name {
            self.module.classes[class.index()].fields.push(ClassField { name, ty, init, is_static, readonly, span });
        }
    }

    /// The value of a field, and its assignment to `this` or, where it is static, to the class.
    fn initialiser(&mut self, class: ClassId, symbol: Option<SymbolId>, key: Node<'t>, value: Node<'t>) -> ExprId {
        let span = self.span(key);
        let whole = Span::new(key.start_byte(), value.end_byte());
        let value = self.expr(value);
        let object = match symbol {
            Some(symbol) => self.symbol_use(symbol, span),
            None => self.add(ExprKind::This(Some(class)), span),
        };
        match self.literal_key(key) {
            Some(name) => {
                self.christen(value, name, span);
                self.init_member(object, name, value, whole);
            }
            None => {
                let key = self.key_expr(key);
                let target = self.add(ExprKind::Index { object, key }, span);
                let kind = AssignKind::Init;
                self.add(ExprKind::Assign { target, value, kind }, whole);
            }
        }
        value
    }
}
