//! Statements: declarations, control flow, and which code runs only where a condition holds.

use tree_sitter::Node;

use super::grammar::K;
use super::pattern::Bind;
use super::{Kid, Lowerer, Place};
use crate::lower::exit::Exit;
use crate::model::facts::{AssignKind, Branch, ExprId, ExprKind, Part, Span, SymbolKind, Type, TypeId};
use crate::model::name::Name;

impl<'t> Lowerer<'t> {
    /// The statements directly inside a node.
    pub(super) fn statements(&mut self, node: Node<'t>) -> Exit {
        let kids = self.kids(node);
        self.statement_list(kids.iter().filter(|kid| !kid.k.is_token()))
    }

    fn statement_list<'k>(&mut self, list: impl Iterator<Item = &'k Kid<'t>>) -> Exit
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
                for kid in self.kids(node) {
                    if !kid.k.is_token() {
                        self.expr(kid.node);
                    }
                }
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
    fn binding(&self, keyword: &str) -> Bind {
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

    // Control flow.

    fn add_branch(&mut self, condition: ExprId, then: Span, span: Span) -> usize {
        self.module.branches.push(Branch {
            condition,
            then,
            otherwise: None,
            then_leaves: false,
            otherwise_leaves: false,
            span,
            func: self.at.func,
        });
        self.module.branches.len() - 1
    }

    /// `if`, along its `else if`s.
    fn if_statement(&mut self, mut node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let mut links = Vec::new();
        let mut last = Exit::FALLS;
        loop {
            let condition = self.field(node, f.condition);
            let condition = match condition {
                Some(condition) => self.expr(condition),
                None => self.nothing(self.span(node)),
            };
            let then = self.field(node, f.consequence);
            let then_span = then.map_or(Span::default(), |then| self.span(then));
            let branch = self.add_branch(condition, then_span, self.span(node));
            let exit = then.map_or(Exit::FALLS, |then| self.statement(then));
            self.module.branches[branch].then_leaves = exit.leaves();
            links.push((branch, exit));
            let Some(clause) = self.field(node, f.alternative) else {
                break;
            };
            let kids = self.kids(clause);
            let Some(alternative) = kids.iter().find(|kid| !kid.k.is_token()) else {
                break;
            };
            self.module.branches[branch].otherwise = Some(self.span(alternative.node));
            if alternative.k == K::If {
                node = alternative.node;
            } else {
                last = self.statement(alternative.node);
                break;
            }
        }
        for (branch, exit) in links.into_iter().rev() {
            let branch = &mut self.module.branches[branch];
            branch.otherwise_leaves = branch.otherwise.is_some() && last.leaves();
            last = exit.or(last);
        }
        last
    }

    /// A loop's body under its condition.
    fn guarded_body(&mut self, node: Node<'t>, condition: Option<ExprId>) -> Exit {
        let Some(body) = self.field(node, self.g.f.body) else {
            return Exit::FALLS;
        };
        let branch = condition.map(|condition| self.add_branch(condition, self.span(body), self.span(node)));
        let exit = self.statement(body).contained(Exit::LOOP);
        if let Some(branch) = branch {
            self.module.branches[branch].then_leaves = exit.leaves();
        }
        // The body may not run at all.
        exit.or(Exit::FALLS)
    }

    fn while_statement(&mut self, node: Node<'t>) -> Exit {
        let condition = self.field(node, self.g.f.condition);
        let condition = condition.map(|condition| self.expr(condition));
        self.guarded_body(node, condition)
    }

    fn do_statement(&mut self, node: Node<'t>) -> Exit {
        let exit = match self.field(node, self.g.f.body) {
            Some(body) => self.statement(body).contained(Exit::LOOP),
            None => Exit::FALLS,
        };
        if let Some(condition) = self.field(node, self.g.f.condition) {
            self.expr(condition);
        }
        exit
    }

    fn for_statement(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let kids = self.kids(node);
        let part = |field: u16| {
            kids.iter().find(|kid| kid.field == field && !kid.k.is_token() && kid.k != K::Empty).map(|kid| kid.node)
        };
        let (initializer, condition, increment) = (part(f.initializer), part(f.condition), part(f.increment));
        if let Some(initializer) = initializer {
            self.statement(initializer);
        }
        let condition = condition.map(|condition| self.expr(condition));
        let exit = self.guarded_body(node, condition);
        if let Some(increment) = increment {
            self.expr(increment);
        }
        exit
    }

    /// `for … of` and `for … in`.
    fn for_in(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let kids = self.kids(node);
        let part = |field: u16| kids.iter().find(|kid| kid.field == field).map(|kid| kid.node);
        let (keyword, left, operator, right) = (part(f.kind), part(f.left), part(f.operator), part(f.right));
        let (Some(left), Some(right)) = (left, right) else {
            return self.guarded_body(node, None);
        };
        let of = self.expr(right);
        let part = match operator {
            Some(operator) if self.slice(operator) == "in" => Part::Key,
            _ => Part::Item,
        };
        let value = self.add(ExprKind::Element { of, part }, self.span(left));
        match keyword {
            Some(keyword) => {
                let bind = self.binding(self.slice(keyword));
                self.assign_pattern(left, value, bind, AssignKind::Init);
            }
            None => self.assign_pattern(left, value, Bind::Assign, AssignKind::Set),
        }
        self.guarded_body(node, None)
    }

    fn switch_statement(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let subject = match self.field(node, f.value) {
            Some(value) => self.expr(value),
            None => self.nothing(self.span(node)),
        };
        let Some(body) = self.field(node, f.body) else {
            return Exit::FALLS;
        };
        let span = self.span(node);
        self.in_block(|it| it.switch_body(body, subject, span))
    }

    fn switch_body(&mut self, body: Node<'t>, subject: ExprId, span: Span) -> Exit {
        let f = &self.g.f;
        let operator = Name::new("===");
        let mut exit = Exit::NONE;
        let mut default = false;
        let mut falls = Exit::FALLS;
        // Cases without a body of their own share the next one.
        let mut open = Vec::new();
        for case in self.kids(body) {
            if case.k.is_token() {
                continue;
            }
            default |= case.k == K::SwitchDefault;
            let kids = self.kids(case.node);
            if let Some(value) = kids.iter().find(|kid| kid.field == f.value) {
                let right = self.expr(value.node);
                let compare = ExprKind::Compare { operator, left: subject, right };
                let condition = self.add(compare, self.span(value.node));
                open.push(self.add_branch(condition, Span::default(), span));
            }
            let statements: Vec<Kid<'t>> = kids
                .into_iter()
                .filter(|kid| kid.field == f.body || kid.k == K::Error)
                .filter(|kid| !kid.k.is_token())
                .collect();
            let (Some(first), Some(last)) = (statements.first(), statements.last()) else {
                continue;
            };
            let then = Span::new(first.node.start_byte(), last.node.end_byte());
            falls = self.statement_list(statements.iter());
            exit = exit.or(falls.without(Exit::FALLS));
            for branch in open.drain(..) {
                let branch = &mut self.module.branches[branch];
                branch.then = then;
                branch.then_leaves = !falls.may(Exit::FALLS.or(Exit::BREAKS));
            }
        }
        for branch in open {
            // Nothing follows: nothing runs there.
            let end = body.end_byte();
            self.module.branches[branch].then = Span::new(end, end);
        }
        if !default || falls.may(Exit::FALLS) {
            exit = exit.or(Exit::FALLS);
        }
        exit.contained(Exit::BREAKS)
    }

    fn try_statement(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        let (body, handler, finalizer) =
            (self.field(node, f.body), self.field(node, f.handler), self.field(node, f.finalizer));
        let mut exit = body.map_or(Exit::FALLS, |body| self.statement(body));
        if let Some(handler) = handler {
            exit = exit.or(self.in_block(|it| it.catch_clause(handler)));
        }
        if let Some(body) = finalizer.and_then(|finalizer| self.field(finalizer, f.body)) {
            let last = self.statement(body);
            exit = if last.leaves() { last } else { exit };
        }
        exit
    }

    fn catch_clause(&mut self, node: Node<'t>) -> Exit {
        let f = &self.g.f;
        if let Some(parameter) = self.field(node, f.parameter) {
            let ty = self.field(node, f.ty);
            let ty = ty.map(|ty| self.annotation(ty));
            let bind = self.binding("let");
            self.declare_variable(parameter, ty, None, bind, self.span(parameter));
        }
        let body = self.field(node, f.body);
        body.map_or(Exit::FALLS, |body| self.statement(body))
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
