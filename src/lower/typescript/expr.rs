//! Expressions.

use tree_sitter::Node;

use super::Lowerer;
use super::grammar::K;
use super::pattern::Bind;
use crate::model::facts::{
    Arg, AssignKind, Branch, Choice, ExprId, ExprKind, FuncKind, Part, Span, SymbolKind, TypeId,
};
use crate::model::name::Name;

/// The operator chain that the value at hand is the end of: `a + b + c` is one list of operands, not a tower of pairs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    None,
    Plus,
    Coalesce,
    Opaque,
}

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
            K::Call => self
                .field(node, f.function)
                .filter(|callee| self.k(*callee) != K::Import),
            K::Member | K::Subscript | K::NestedIdentifier => self.field(node, f.object),
            K::Binary => self.field(node, f.left),
            K::NonNull
            | K::AsExpression
            | K::Satisfies
            | K::Await
            | K::Parenthesized
            | K::Instantiation => self.inner(node),
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
                    self.add(
                        ExprKind::Member {
                            object: value,
                            name,
                        },
                        span,
                    )
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
            _ => value,
        };
        (id, Chain::None)
    }

    /// An expression that does not continue a left edge.
    fn atom(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        match self.k(node) {
            K::Identifier
            | K::Shorthand
            | K::ShorthandPattern
            | K::Undefined
            | K::PredefinedType => {
                let name = self.name(node);
                if name == "" {
                    return self.nothing(span);
                }
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
    fn contained(&mut self, node: Node<'t>) -> Vec<ExprId> {
        let f = &self.g.f;
        let mut children = Vec::new();
        for kid in self.kids(node) {
            if kid.k.is_token() || kid.k.is_silent() {
                continue;
            }
            // `<div>` names no value, `<Panel>` does.
            if kid.field == f.name
                && kid.k == K::Identifier
                && self
                    .slice(kid.node)
                    .starts_with(|c: char| c.is_ascii_lowercase())
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
                args.push(Arg {
                    value: self.expr(kid.node),
                    name: None,
                    spread: kid.k == K::SpreadElement,
                });
            }
        }
        args
    }

    fn call(&mut self, node: Node<'t>, callee: ExprId, span: Span) -> ExprId {
        let args = match self.field(node, self.g.f.arguments) {
            Some(template) if self.k(template) == K::TemplateString => self
                .tag_arguments(template)
                .into_iter()
                .map(|value| Arg {
                    value,
                    name: None,
                    spread: false,
                })
                .collect(),
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
        if let Some(ExprKind::Text(specifier)) = args.first().map(|arg| self.module.kind(arg.value))
        {
            self.module.exprs[id.index()].kind = ExprKind::Require(*specifier);
        }
        id
    }

    // Operators.

    fn binary(&mut self, node: Node<'t>, left: ExprId, chain: Chain) -> (ExprId, Chain) {
        let f = &self.g.f;
        let span = self.span(node);
        let operator = self
            .field(node, f.operator)
            .map_or("", |operator| self.slice(operator));
        let right = match self.field(node, f.right) {
            Some(right) => self.expr(right),
            None => self.nothing(Span::new(node.end_byte(), node.end_byte())),
        };
        match operator {
            "??" | "||" => {
                if chain == Chain::Coalesce {
                    self.append(left, right, span);
                    return (left, Chain::Coalesce);
                }
                let either = ExprKind::Either {
                    condition: None,
                    arms: vec![left, right],
                    choice: Choice::Coalesce,
                };
                (self.add(either, span), Chain::Coalesce)
            }
            "&&" => {
                let either = ExprKind::Either {
                    condition: Some(left),
                    arms: vec![right],
                    choice: Choice::And,
                };
                (self.add(either, span), Chain::None)
            }
            "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "instanceof" => {
                let operator = self.name_of(operator);
                let compare = ExprKind::Compare {
                    operator,
                    left,
                    right,
                };
                (self.add(compare, span), Chain::None)
            }
            "in" => {
                let contains = ExprKind::Contains {
                    haystack: right,
                    needle: left,
                };
                (self.add(contains, span), Chain::None)
            }
            "+" => (self.plus(left, right, chain, span), Chain::Plus),
            _ => {
                if chain == Chain::Opaque {
                    self.append(left, right, span);
                    return (left, chain);
                }
                (
                    self.add(ExprKind::Opaque(vec![left, right]), span),
                    Chain::Opaque,
                )
            }
        }
    }

    fn plus(&mut self, left: ExprId, right: ExprId, chain: Chain, span: Span) -> ExprId {
        let textual = |it: &Self, id: ExprId| {
            matches!(
                it.module.kind(id),
                ExprKind::Text(_) | ExprKind::Template(_)
            )
        };
        let (left_textual, right_textual) = (textual(self, left), textual(self, right));
        // A sum becomes a text with its first textual operand and stays one.
        if chain == Chain::Plus && (left_textual || !right_textual) {
            self.append(left, right, span);
            return left;
        }
        let parts = vec![left, right];
        if left_textual || right_textual {
            self.add(ExprKind::Template(parts), span)
        } else {
            self.add(ExprKind::Opaque(parts), span)
        }
    }

    /// Adds an operand to the chain that `list` is.
    fn append(&mut self, list: ExprId, operand: ExprId, span: Span) {
        let expr = &mut self.module.exprs[list.index()];
        expr.span = span;
        if let ExprKind::Template(parts)
        | ExprKind::Opaque(parts)
        | ExprKind::Either { arms: parts, .. } = &mut expr.kind
        {
            parts.push(operand);
            self.adopt(list, operand);
        }
    }

    fn unary(&mut self, node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let span = self.span(node);
        let operator = self
            .field(node, f.operator)
            .map_or("", |operator| self.slice(operator));
        let value = match self.field(node, f.argument) {
            Some(argument) => self.expr(argument),
            None => self.nothing(span),
        };
        match operator {
            "delete" => self.add(ExprKind::Delete { target: value }, span),
            "void" => value,
            _ => self.add(ExprKind::Opaque(vec![value]), span),
        }
    }

    /// A conditional along its chain of alternatives.
    fn ternary(&mut self, mut node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let mut links = Vec::new();
        let last = loop {
            let span = self.span(node);
            let mut part = |field| {
                let part = self.field(node, field);
                match part {
                    Some(part) => (self.expr(part), self.span(part)),
                    None => (self.nothing(span), span),
                }
            };
            let (condition, _) = part(f.condition);
            let (then, then_span) = part(f.consequence);
            let alternative = self.field(node, f.alternative);
            self.module.branches.push(Branch {
                condition,
                then: then_span,
                otherwise: alternative.map(|alternative| self.span(alternative)),
                then_leaves: false,
                otherwise_leaves: false,
                span,
                func: self.at.func,
            });
            links.push((condition, then, span));
            match alternative {
                Some(alternative) if self.k(alternative) == K::Ternary => node = alternative,
                Some(alternative) => break self.expr(alternative),
                None => break self.nothing(span),
            }
        };
        links
            .into_iter()
            .rev()
            .fold(last, |otherwise, (condition, then, span)| {
                self.add(
                    ExprKind::Either {
                        condition: Some(condition),
                        arms: vec![then, otherwise],
                        choice: Choice::Branch,
                    },
                    span,
                )
            })
    }

    fn yielded(&mut self, node: Node<'t>, span: Span) -> ExprId {
        let delegates = self.kids(node).iter().any(|kid| kid.k == K::StarToken);
        let mut value = self.operand(node);
        if delegates && let Some(of) = value {
            let part = Part::Item;
            value = Some(self.add(ExprKind::Element { of, part }, span));
        }
        self.add(ExprKind::Yield(value), span)
    }

    /// `a, b`: the last is the value, the others are evaluated.
    fn sequence(&mut self, node: Node<'t>) -> ExprId {
        let mut last = None;
        for kid in self.kids(node) {
            if !kid.k.is_token() {
                last = Some(self.expr(kid.node));
            }
        }
        match last {
            Some(last) => last,
            None => self.nothing(self.span(node)),
        }
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
            kids.iter()
                .find(|kid| !kid.k.is_token() && kid.k != K::TypeArguments),
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
        let ty: TypeId = self.ty(ty);
        self.add(ExprKind::Cast { value, ty }, span)
    }

    // Assignments.

    fn assignment(&mut self, node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let span = self.span(node);
        let (Some(left), Some(right)) = (self.field(node, f.left), self.field(node, f.right))
        else {
            let children = self.contained(node);
            return self.add(ExprKind::Opaque(children), span);
        };
        if self.kids(node).iter().any(|kid| kid.k == K::UsingToken) {
            let bind = Bind::Declare {
                scope: self.at.scope,
                kind: SymbolKind::Variable { mutable: false },
            };
            self.declare_variable(left, None, Some(right), bind, span);
            return self.nothing(span);
        }
        if matches!(self.k(left), K::ObjectPattern | K::ArrayPattern) {
            let value = self.expr(right);
            self.assign_pattern(left, value, Bind::Assign, AssignKind::Set);
            return value;
        }
        let target = self.expr(left);
        let value = self.expr(right);
        match *self.module.kind(target) {
            ExprKind::Member { name, .. } | ExprKind::Global(name) => {
                let end = left.end_byte();
                self.christen(
                    value,
                    name,
                    Span::new(end.saturating_sub(name.text().len()), end),
                );
            }
            _ => {}
        }
        self.note_export(target, value);
        let kind = AssignKind::Set;
        self.add(
            ExprKind::Assign {
                target,
                value,
                kind,
            },
            span,
        )
    }

    fn augmented(&mut self, node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let span = self.span(node);
        let mut part = |field| {
            let part = self.field(node, field);
            match part {
                Some(part) => self.expr(part),
                None => self.nothing(span),
            }
        };
        let (target, value) = (part(f.left), part(f.right));
        let operator = self.field(node, f.operator);
        let kind = match operator.map_or("", |operator| self.slice(operator)) {
            "??=" | "||=" => AssignKind::IfAbsent,
            "&&=" => AssignKind::Set,
            _ => AssignKind::Update,
        };
        self.add(
            ExprKind::Assign {
                target,
                value,
                kind,
            },
            span,
        )
    }

    fn update(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let target = match self.field(node, self.g.f.argument) {
            Some(argument) => self.expr(argument),
            None => self.nothing(span),
        };
        let value = self.add(ExprKind::Literal, span);
        let kind = AssignKind::Update;
        self.add(
            ExprKind::Assign {
                target,
                value,
                kind,
            },
            span,
        )
    }

    /// A synthesised use of a symbol.
    pub(super) fn symbol_use(
        &mut self,
        symbol: crate::model::facts::SymbolId,
        span: Span,
    ) -> ExprId {
        self.add(ExprKind::Symbol(symbol), span)
    }

    /// `object.name = value`, the first value of a field.
    pub(super) fn init_member(&mut self, object: ExprId, name: Name, value: ExprId, span: Span) {
        let target = self.add(ExprKind::Member { object, name }, span);
        let kind = AssignKind::Init;
        self.add(
            ExprKind::Assign {
                target,
                value,
                kind,
            },
            span,
        );
    }
}
