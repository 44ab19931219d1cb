//! Expressions.

use tree_sitter::Node;

use super::grammar::K;
use super::operators::Chain;
use super::{Lowerer, bridge};
use crate::model::facts::{Arg, ExprId, ExprKind, FuncKind, Part, Span, TypeId};

impl<'t> Lowerer<'t> {
    /// One expression.
    pub(super) fn expr(&mut self, node: Node<'t>) -> ExprId {
        if !self.enter() {
            return self.nothing(self.span(node));
        }
        let id = self.spine(node);
        self.leave();
        id
    }

    /// An expression along its left edge: calls, member reads and operators nest to the left, thousands deep where code is
    /// generated, so that this edge is walked and not recursed into.
    fn spine(&mut self, mut node: Node<'t>) -> ExprId {
        let mut edge = Vec::new();
        while let Some(next) = self.left_of(node) {
            edge.push(node);
            node = next;
        }
        let mut value = self.atom(node);
        let mut chain = Chain::None;
        while let Some(node) = edge.pop() {
            (value, chain) = self.extend(node, value, chain);
        }
        value
    }

    /// What a node has at its left edge, if the node is one that continues it.
    fn left_of(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        let f = &self.g.f;
        match self.k(node) {
            K::Call => self.field(node, f.function).filter(|callee| self.k(*callee) != K::Import),
            K::Member | K::Subscript | K::NestedIdentifier => self.field(node, f.object),
            K::Binary => self.field(node, f.left),
            K::NonNull | K::AsExpression | K::Satisfies | K::Await | K::Parenthesized | K::Instantiation => {
                self.inner(node)
            }
            _ => None,
        }
    }

    /// The node around a value that is already lowered.
    fn extend(&mut self, node: Node<'t>, value: ExprId, chain: Chain) -> (ExprId, Chain) {
        let f = &self.g.f;
        let span = self.span(node);
        let id = match self.k(node) {
            K::Call => self.call(node, value, span),
            K::Member | K::NestedIdentifier => match self.field(node, f.property) {
                Some(property) => {
                    let name = self.name(property);
                    self.add(ExprKind::Member { object: value, name }, span)
                }
                None => value,
            },
            K::Subscript => {
                let key = match self.field(node, f.index) {
                    Some(index) => self.expr(index),
                    None => self.nothing(span),
                };
                self.add(ExprKind::Index { object: value, key }, span)
            }
            K::Binary => return self.binary(node, value, chain),
            K::AsExpression => self.cast(node, value),
            K::Instantiation => {
                self.note_type_args(value, node);
                value
            }
            K::NonNull => {
                self.module.asserted.push(value);
                value
            }
            _ => value,
        };
        (id, Chain::None)
    }

    /// An expression that does not continue a left edge.
    fn atom(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        match self.k(node) {
            K::Identifier | K::Shorthand | K::ShorthandPattern | K::Undefined | K::PredefinedType => {
                let written = self.slice(node);
                if let Some(specifier) = bridge::specifier(written) {
                    let specifier = self.name_of(specifier);
                    return self.add(ExprKind::Require(specifier), span);
                }
                if written.is_empty() {
                    return self.nothing(span);
                }
                let name = self.name_of(written);
                self.reference(name, span)
            }
            K::This => self.add(ExprKind::This(self.at.class), span),
            K::Super => self.add(ExprKind::Super(self.at.class), span),
            K::String => self.string(node),
            K::TemplateString => self.template(node),
            K::Null => self.add(ExprKind::Absent, span),
            K::Number | K::True | K::False | K::Regex => self.add(ExprKind::Literal, span),
            K::PrivateIdentifier => {
                let name = self.name(node);
                self.add(ExprKind::Text(name), span)
            }
            K::Object => self.object(node),
            K::Array => self.array(node),
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => {
                let function = self.function(node, FuncKind::Anonymous, None, None);
                self.add(ExprKind::Function(function), span)
            }
            K::Class => {
                let class = self.class(node, Vec::new(), None);
                self.add(ExprKind::Class(class), span)
            }
            K::New => self.construction(node, span),
            K::Call => self.dynamic_import(node, span),
            K::AssignmentExpression => self.assignment(node),
            K::AugmentedAssignment => self.augmented(node),
            K::Update => self.update(node),
            K::Unary => self.unary(node),
            K::Ternary => self.ternary(node),
            K::Yield => self.yielded(node, span),
            K::Sequence => self.sequence(node),
            K::TypeAssertion => self.type_assertion(node),
            K::SpreadElement | K::Decorator => match self.operand(node) {
                Some(value) => value,
                None => self.nothing(span),
            },
            K::ObjectPattern | K::ArrayPattern => {
                // A pattern without a value, in code that does not parse.
                self.nothing(span)
            }
            k if k.is_statement() => {
                self.statement(node);
                self.nothing(span)
            }
            k if k.is_token() || k.is_silent() => self.nothing(span),
            _ => {
                let children = self.contained(node);
                self.add(ExprKind::Opaque(children), span)
            }
        }
    }

    /// The expressions found in a node that has no form of its own.
    pub(super) fn contained(&mut self, node: Node<'t>) -> Vec<ExprId> {
        let f = &self.g.f;
        let mut children = Vec::new();
        for kid in self.kids(node) {
            if kid.k.is_token() || kid.k.is_silent() {
                continue;
            }
            // `<div>` names no value, `<Panel>` does.
            if kid.field == f.name
                && kid.k == K::Identifier
                && self.slice(kid.node).starts_with(|c: char| c.is_ascii_lowercase())
            {
                continue;
            }
            if kid.k.is_statement() {
                self.statement(kid.node);
            } else {
                children.push(self.expr(kid.node));
            }
        }
        children
    }

    fn array(&mut self, node: Node<'t>) -> ExprId {
        let mut items = Vec::new();
        for kid in self.kids(node) {
            if kid.k.is_token() {
                continue;
            }
            let item = self.expr(kid.node);
            items.push(if kid.k == K::SpreadElement {
                let part = Part::Item;
                self.add(ExprKind::Element { of: item, part }, self.span(kid.node))
            } else {
                item
            });
        }
        self.add(ExprKind::Sequence(items), self.span(node))
    }

    // Calls.

    fn arguments(&mut self, node: Node<'t>) -> Vec<Arg> {
        let mut args = Vec::new();
        for kid in self.kids(node) {
            if !kid.k.is_token() {
                args.push(Arg { value: self.expr(kid.node), name: None, spread: kid.k == K::SpreadElement });
            }
        }
        args
    }

    fn call(&mut self, node: Node<'t>, callee: ExprId, span: Span) -> ExprId {
        let args = match self.field(node, self.g.f.arguments) {
            Some(template) if self.k(template) == K::TemplateString => {
                self.tag_arguments(template).into_iter().map(|value| Arg { value, name: None, spread: false }).collect()
            }
            Some(list) => self.arguments(list),
            None => Vec::new(),
        };
        let id = self.add(ExprKind::Call { callee, args }, span);
        self.note_type_args(id, node);
        self.note_require(id);
        id
    }

    fn construction(&mut self, node: Node<'t>, span: Span) -> ExprId {
        let f = &self.g.f;
        let callee = match self.field(node, f.constructor) {
            Some(callee) => self.expr(callee),
            None => self.nothing(span),
        };
        let args = match self.field(node, f.arguments) {
            Some(list) => self.arguments(list),
            None => Vec::new(),
        };
        let id = self.add(ExprKind::New { callee, args }, span);
        self.note_type_args(id, node);
        id
    }

    fn note_type_args(&mut self, id: ExprId, node: Node<'t>) {
        if let Some(list) = self.field(node, self.g.f.type_arguments) {
            let types = self.type_list(list);
            self.module.type_args.push((id, types));
        }
    }

    /// `import(…)`.
    fn dynamic_import(&mut self, node: Node<'t>, span: Span) -> ExprId {
        let args = match self.field(node, self.g.f.arguments) {
            Some(list) => self.arguments(list),
            None => Vec::new(),
        };
        let values = args.iter().map(|arg| arg.value).collect();
        let id = self.add(ExprKind::Opaque(values), span);
        if let Some(ExprKind::Text(specifier)) = args.first().map(|arg| self.module.kind(arg.value)) {
            self.module.exprs[id.index()].kind = ExprKind::Require(*specifier);
        }
        id
    }

    // Types written at values.

    fn cast(&mut self, node: Node<'t>, value: ExprId) -> ExprId {
        let kids = self.kids(node);
        let ty = kids.iter().filter(|kid| !kid.k.is_token()).nth(1);
        match ty {
            Some(ty) => self.cast_to(value, ty.node, self.span(node)),
            // `as const`
            None => value,
        }
    }

    fn type_assertion(&mut self, node: Node<'t>) -> ExprId {
        let kids = self.kids(node);
        let (ty, value) = (
            kids.iter().find(|kid| kid.k == K::TypeArguments),
            kids.iter().find(|kid| !kid.k.is_token() && kid.k != K::TypeArguments),
        );
        let value = match value {
            Some(value) => self.expr(value.node),
            None => self.nothing(self.span(node)),
        };
        let ty = ty.and_then(|list| {
            let kids = self.kids(list.node);
            kids.into_iter().find(|kid| !kid.k.is_token())
        });
        match ty {
            Some(ty) => self.cast_to(value, ty.node, self.span(node)),
            None => value,
        }
    }

    fn cast_to(&mut self, value: ExprId, ty: Node<'t>, span: Span) -> ExprId {
        if matches!(self.slice(ty), "any" | "unknown" | "const") {
            return value;
        }
        if self.slice(ty) == "string" {
            self.module.asserted.push(value);
        }
        let ty: TypeId = self.ty(ty);
        self.add(ExprKind::Cast { value, ty }, span)
    }
}
