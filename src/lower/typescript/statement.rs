//! Statements: declarations, control flow, and which code runs only where a condition holds.

use tree_sitter::Node;

use super::grammar::K;
use super::pattern::Bind;
use super::{Kid, Lowerer, Place};
use crate::lower::exit::Exit;
use crate::model::facts::{AssignKind, ExprId, ExprKind, Span, SymbolKind, Type, TypeId};

impl<'t> Lowerer<'t> {
    /// The statements directly inside a node.
    pub(super) fn statements(&mut self, node: Node<'t>) -> Exit {
        let kids = self.kids(node);
        self.statement_list(kids.iter().filter(|kid| !kid.k.is_token()))
    }

    pub(super) fn statement_list<'k>(&mut self, list: impl Iterator<Item = &'k Kid<'t>>) -> Exit
    where
        't: 'k,
    {
        let mut exit = Exit::FALLS;
        for kid in list {
            exit = exit.then(self.statement(kid.node));
        }
        exit
    }

    /// One statement, or an expression that stands where one is expected.
    pub(super) fn statement(&mut self, node: Node<'t>) -> Exit {
        if !self.enter() {
            return Exit::FALLS;
        }
        let exit = self.statement_inner(node);
        self.leave();
        exit
    }

    fn statement_inner(&mut self, node: Node<'t>) -> Exit {
        match self.k(node) {
            K::ExpressionStatement => {
                let mut exit = Exit::FALLS;
                for kid in self.kids(node) {
                    if !kid.k.is_token() {
                        let id = self.expr(kid.node);
                        if self.throws_by_name(id) {
                            exit = Exit::RETURNS;
                        }
                    }
                }
                return exit;
            }
            K::LexicalDeclaration | K::VariableDeclaration => self.variables(node),
            K::FunctionDeclaration | K::GeneratorFunctionDeclaration | K::FunctionSignature => {
                self.function_declaration(node);
            }
            K::ClassDeclaration | K::AbstractClassDeclaration => {
                self.class_declaration(node, Vec::new());
            }
            K::InterfaceDeclaration => self.interface(node),
            K::TypeAlias => self.type_alias(node),
            K::EnumDeclaration => self.enumeration(node),
            K::InternalModule | K::Module => self.namespace(node),
            K::AmbientDeclaration => self.ambient(node),
            K::ImportStatement => self.import_statement(node),
            K::ImportAlias => self.import_alias(node),
            K::ExportStatement => self.export_statement(node),
            K::StatementBlock => return self.in_block(|it| it.statements(node)),
            K::If => return self.if_statement(node),
            K::For => return self.in_block(|it| it.for_statement(node)),
            K::ForIn => return self.in_block(|it| it.for_in(node)),
            K::While => return self.while_statement(node),
            K::Do => return self.do_statement(node),
            K::Switch => return self.switch_statement(node),
            K::Try => return self.try_statement(node),
            K::Labeled => {
                let body = self.field(node, self.g.f.body);
                let exit = body.map_or(Exit::FALLS, |body| self.statement(body));
                return exit.contained(Exit::LOOP);
            }
            K::With => {
                if let Some(object) = self.field(node, self.g.f.object) {
                    self.expr(object);
                }
                let body = self.field(node, self.g.f.body);
                return body.map_or(Exit::FALLS, |body| self.statement(body));
            }
            K::Return => {
                let value = self.operand(node);
                self.add_return(value, self.span(node));
                return Exit::RETURNS;
            }
            K::Throw => {
                let value = self.operand(node);
                let id = self.add(ExprKind::Throw(value), self.span(node));
                self.module.functions[self.at.func.index()].throws.push(id);
                return Exit::RETURNS;
            }
            K::Break => return Exit::BREAKS,
            K::Continue => return Exit::CONTINUES,
            K::Empty | K::Debugger | K::HashBang => {}
            K::Error | K::Program => return self.statements(node),
            K::SwitchCase | K::SwitchDefault | K::ElseClause | K::FinallyClause => {
                return self.statements(node);
            }
            k if k.is_token() || k.is_silent() => {}
            _ => {
                self.expr(node);
            }
        }
        Exit::FALLS
    }

    /// `ctx.throw(404)`: a method of that name throws.
    fn throws_by_name(&self, id: ExprId) -> bool {
        let ExprKind::Call { callee, .. } = &self.module.expr(id).kind else { return false };
        matches!(&self.module.expr(*callee).kind, ExprKind::Member { name, .. } if name.text() == "throw")
    }

    pub(super) fn add_return(&mut self, value: Option<ExprId>, span: Span) {
        self.add(ExprKind::Return(value), span);
        if let Some(value) = value {
            self.module.functions[self.at.func.index()].returns.push(value);
        }
    }

    /// The expression that a keyword takes.
    pub(super) fn operand(&mut self, node: Node<'t>) -> Option<ExprId> {
        let inner = self.inner(node)?;
        Some(self.expr(inner))
    }

    // Variables.

    fn variables(&mut self, node: Node<'t>) {
        let kids = self.kids(node);
        let keyword = kids.first().map_or("", |kid| self.slice(kid.node));
        let bind = self.binding(keyword);
        for kid in &kids {
            match kid.k {
                K::VariableDeclarator => self.declarator(kid.node, bind),
                K::Error => {
                    self.statement(kid.node);
                }
                _ => {}
            }
        }
    }

    /// How a declaration's keyword binds names here.
    pub(super) fn binding(&self, keyword: &str) -> Bind {
        let mutable = matches!(keyword, "let" | "var");
        Bind::Declare {
            scope: if keyword == "var" { self.at.function_scope } else { self.at.scope },
            kind: SymbolKind::Variable { mutable },
        }
    }

    fn declarator(&mut self, node: Node<'t>, bind: Bind) {
        let f = &self.g.f;
        let Some(target) = self.field(node, f.name) else {
            return;
        };
        let ty = self.field(node, f.ty);
        let value = self.field(node, f.value);
        let ty = ty.map(|ty| self.annotation(ty));
        self.declare_variable(target, ty, value, bind, self.span(node));
    }

    /// `target: ty = value`.
    pub(super) fn declare_variable(
        &mut self,
        target: Node<'t>,
        ty: Option<TypeId>,
        value: Option<Node<'t>>,
        bind: Bind,
        span: Span,
    ) {
        let Bind::Declare { scope, kind } = bind else {
            return;
        };
        if self.k(target) != K::Identifier {
            let value = match value {
                Some(value) => self.expr(value),
                // An annotated pattern without a value stands in ambient code and in loops.
                None => self.nothing(self.span(target)),
            };
            let value = match ty {
                Some(ty) => self.add(ExprKind::Cast { value, ty }, self.span(target)),
                None => value,
            };
            self.assign_pattern(target, value, bind, AssignKind::Init);
            return;
        }
        let name_span = self.span(target);
        let name = self.name(target);
        let symbol = self.declare(scope, self.at.func, name, kind, name_span);
        if ty.is_some() {
            self.module.symbols[symbol.index()].ty = ty;
        }
        let Some(value) = value else { return };
        let value = self.expr(value);
        self.christen(value, name, name_span);
        let known = &mut self.module.symbols[symbol.index()];
        if known.init.is_none() {
            known.init = Some(value);
        }
        let target = self.add(ExprKind::Symbol(symbol), name_span);
        self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, span);
    }

    // Declarations that hold others.

    fn namespace(&mut self, node: Node<'t>) {
        let f = &self.g.f;
        if let Some(name) = self.field(node, f.name) {
            // `namespace A.B` declares `A`.
            let head = self.leftmost_identifier(name);
            if let Some(head) = head {
                let name = self.name(head);
                self.declare(self.at.scope, self.at.func, name, SymbolKind::Other, self.span(head));
            }
        }
        if let Some(body) = self.field(node, f.body) {
            let scope = self.scopes.open(self.at.scope);
            let place = Place { scope, function_scope: scope, ..self.at };
            self.within(place, |it| it.statements(body));
        }
    }

    /// `declare …`: what it declares is declared, and has no code.
    fn ambient(&mut self, node: Node<'t>) {
        for kid in self.kids(node) {
            if kid.k.is_statement() {
                self.statement(kid.node);
            }
        }
    }

    fn enumeration(&mut self, node: Node<'t>) {
        let f = &self.g.f;
        let Some(name_node) = self.field(node, f.name) else {
            return;
        };
        let name = self.name(name_node);
        let span = self.span(name_node);
        let symbol = self.declare(self.at.scope, self.at.func, name, SymbolKind::Other, span);
        let ty = self.add_type(Type::Unknown);
        self.declare_type(name, ty, Vec::new(), span);
        let Some(body) = self.field(node, f.body) else {
            return;
        };
        for member in self.kids(body) {
            if member.k != K::EnumAssignment {
                continue;
            }
            let (Some(name), Some(value)) = (self.field(member.node, f.name), self.field(member.node, f.value)) else {
                continue;
            };
            // Constants of an enum are looked up as members; their values flow like those of an object's fields.
            let value = self.expr(value);
            let Some(name_text) = self.literal_key(name) else {
                continue;
            };
            let object = self.add(ExprKind::Symbol(symbol), self.span(name));
            let target = self.add(ExprKind::Member { object, name: name_text }, self.span(name));
            self.add(ExprKind::Assign { target, value, kind: AssignKind::Init }, self.span(member.node));
        }
    }

    /// The first segment of a dotted name.
    pub(super) fn leftmost_identifier(&self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            match self.k(node) {
                K::Identifier | K::TypeIdentifier => return Some(node),
                K::NestedIdentifier | K::NestedTypeIdentifier | K::Member => node = node.child(0)?,
                _ => return None,
            }
        }
    }
}
