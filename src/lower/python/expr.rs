//! Expressions.

use super::Lowerer;
use super::grammar::{F, K};
use super::tree::Node;
use crate::model::facts::{Arg, Choice, ExprId, ExprKind, Span};
use crate::model::name::Name;

/// The operator chain that the value at hand is the end of: `a + b + c` is one list of operands, not a tower of pairs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chain {
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
            // What is called is at the left edge of its call.
            let called = edge.last().is_some_and(|next| self.k(*next) == K::Call);
            (value, chain) = self.extend(node, value, chain, called);
        }
        value
    }

    /// What a node has at its left edge, if the node is one that continues it.
    fn left_of(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        match self.k(node) {
            K::Call if self.is_built_in(node) => None,
            K::Call => self.field(node, F::Function),
            K::Attribute => self.field(node, F::Object),
            K::Subscript => self.field(node, F::Value),
            K::Binary | K::Boolean => self.field(node, F::Left),
            K::Await | K::Parenthesized | K::Type => self.inner(node),
            _ => None,
        }
    }

    /// The node around a value that is already lowered.
    fn extend(&mut self, node: Node<'t>, value: ExprId, chain: Chain, called: bool) -> (ExprId, Chain) {
        let span = self.span(node);
        let id = match self.k(node) {
            K::Call => self.call(node, value, span),
            K::Attribute => match self.field(node, F::Attribute) {
                Some(attribute) => {
                    let name = self.name(attribute);
                    self.add(ExprKind::Member { object: value, name }, span)
                }
                None => value,
            },
            K::Subscript => self.subscript(node, value, span, called),
            K::Binary => return self.binary(node, value, chain),
            K::Boolean => return self.boolean(node, value, chain),
            _ => value,
        };
        (id, Chain::None)
    }

    /// An expression that does not continue a left edge.
    fn atom(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        match self.k(node) {
            K::Identifier => {
                let name = self.name(node);
                if name == "" {
                    return self.nothing(span);
                }
                self.reference(name, span)
            }
            K::String => self.string(node),
            K::ConcatenatedString => self.concatenated(node),
            K::None => self.add(ExprKind::Absent, span),
            K::True => self.add(ExprKind::Global(Name::new("True")), span),
            K::False => self.add(ExprKind::Global(Name::new("False")), span),
            K::Integer | K::Float | K::Ellipsis => self.add(ExprKind::Literal, span),
            K::Dictionary => self.dictionary(node),
            K::List | K::Tuple | K::Set | K::ExpressionList | K::PatternList | K::TuplePattern | K::ListPattern => {
                self.sequence(node)
            }
            K::ListComprehension | K::SetComprehension | K::DictionaryComprehension | K::GeneratorExpression => {
                self.comprehension(node)
            }
            K::ListSplat | K::ListSplatPattern => self.spread(node),
            K::Lambda => self.lambda(node),
            K::Call => self.built_in(node),
            K::Comparison => self.comparison(node),
            K::Not | K::Unary => {
                let argument = self.field(node, F::Argument);
                let value = self.expr_or_nothing(argument, span);
                self.add(ExprKind::Opaque(vec![value]), span)
            }
            K::Conditional => self.conditional(node),
            K::NamedExpression => self.walrus(node),
            K::Yield => self.yielded(node),
            K::AsPattern => {
                // `x as y` outside a `with`: in code that does not parse.
                let inner = self.inner(node);
                self.expr_or_nothing(inner, span)
            }
            K::Assignment => self.assignment(node),
            K::AugmentedAssignment => self.augmented(node),
            k if k.is_statement() => {
                self.statement(node);
                self.nothing(span)
            }
            k if k.is_token() => self.nothing(span),
            _ => {
                let mut children = Vec::new();
                for kid in self.parts(node) {
                    if kid.k.is_statement() {
                        self.statement(kid.node);
                    } else if !matches!(kid.k, K::StringStart | K::StringEnd | K::TypeParameter) {
                        children.push(self.expr(kid.node));
                    }
                }
                self.add(ExprKind::Opaque(children), span)
            }
        }
    }

    // Calls and reads.

    /// The arguments of a call.
    pub(super) fn arguments(&mut self, node: Node<'t>) -> Vec<Arg> {
        if self.k(node) == K::GeneratorExpression {
            return vec![Arg { value: self.comprehension(node), name: None, spread: false }];
        }
        let mut args = Vec::new();
        for kid in self.parts(node) {
            match kid.k {
                K::KeywordArgument => {
                    let name = self.field(kid.node, F::Name).map(|name| self.name(name));
                    let value = self.field(kid.node, F::Value);
                    let value = self.expr_or_nothing(value, self.span(kid.node));
                    args.push(Arg { value, name, spread: false });
                }
                K::ListSplat | K::DictionarySplat => {
                    let inner = self.inner(kid.node);
                    let value = self.expr_or_nothing(inner, self.span(kid.node));
                    // `**kwargs` is told from `*args` by its empty name.
                    let name = (kid.k == K::DictionarySplat).then(|| Name::new(""));
                    args.push(Arg { value, name, spread: true });
                }
                _ => args.push(Arg { value: self.expr(kid.node), name: None, spread: false }),
            }
        }
        args
    }

    fn call(&mut self, node: Node<'t>, callee: ExprId, span: Span) -> ExprId {
        let args = match self.field(node, F::Arguments) {
            Some(list) => self.arguments(list),
            None => Vec::new(),
        };
        let plain = |count: usize| args.len() == count && args.iter().all(|arg| arg.name.is_none() && !arg.spread);
        if let ExprKind::Member { object, name } = *self.module.kind(callee) {
            match name.text() {
                // `get(key, default)`
                "get" if plain(2) => {
                    let (key, default) = (args[0].value, args[1].value);
                    let args = vec![Arg { value: key, name: None, spread: false }];
                    let read = self.add(ExprKind::Call { callee, args }, span);
                    return self.either(read, default, Choice::Default, span);
                }
                "format" if matches!(self.module.kind(object), ExprKind::Text(_)) => {
                    let values = args.iter().map(|arg| arg.value).collect();
                    return self.filled(object, '{', values, span);
                }
                "join" if plain(1) && matches!(self.module.kind(object), ExprKind::Text(_)) => {
                    if let ExprKind::Sequence(items) = self.module.kind(args[0].value).clone() {
                        return self.add(ExprKind::Template(items), span);
                    }
                }
                _ => {}
            }
        }
        if let (ExprKind::Super(_), true) = (self.module.kind(callee), args.is_empty()) {
            return callee;
        }
        // `super().__init__(…)` runs the base's constructor.
        let callee = match *self.module.kind(callee) {
            ExprKind::Member { object, name }
                if name == "__init__" && matches!(self.module.kind(object), ExprKind::Super(_)) =>
            {
                object
            }
            _ => callee,
        };
        let id = self.add(ExprKind::Call { callee, args }, span);
        if let Some((noted, _)) = self.module.type_args.last_mut()
            && *noted == callee
        {
            *noted = id;
        }
        id
    }

    pub(super) fn either(&mut self, first: ExprId, second: ExprId, choice: Choice, span: Span) -> ExprId {
        self.add(ExprKind::Either { condition: None, arms: vec![first, second], choice }, span)
    }

    fn subscript(&mut self, node: Node<'t>, object: ExprId, span: Span, called: bool) -> ExprId {
        let keys: Vec<Node<'t>> =
            self.kids(node).filter(|kid| kid.field == F::Subscript && !kid.k.is_token()).map(|kid| kid.node).collect();
        // `Store[str, Basket](…)`: the arguments are types.
        if called && self.names_a_type(object) {
            let types = keys.iter().map(|key| self.ty(*key)).collect();
            // Noted at the object until the call is there.
            self.module.type_args.push((object, types));
            return object;
        }
        let key = match keys[..] {
            [] => self.nothing(span),
            [only] if self.k(only) == K::Slice => {
                let children = self.parts(only);
                let children = children.into_iter().map(|kid| self.expr(kid.node)).collect();
                self.add(ExprKind::Opaque(children), self.span(only))
            }
            [only] => self.expr(only),
            _ => {
                let items = keys.iter().map(|key| self.expr(*key)).collect();
                self.add(ExprKind::Sequence(items), span)
            }
        };
        self.add(ExprKind::Index { object, key }, span)
    }

    /// Whether a value is written like a class.
    fn names_a_type(&self, value: ExprId) -> bool {
        match self.module.kind(value) {
            ExprKind::Global(name) | ExprKind::Member { name, .. } => {
                let name = name.text().trim_start_matches('_');
                // Constants are written in capitals throughout.
                let capital = name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase);
                capital || matches!(name, "dict" | "list" | "set" | "tuple" | "defaultdict" | "deque" | "frozenset")
            }
            _ => false,
        }
    }
}
