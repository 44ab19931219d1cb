//! Functions, methods and closures.

use syn::{Block, Expr, FnArg, Pat, Signature};

use super::control::Use;
use super::{At, Lowerer, name, span};
use crate::model::facts::{ClassId, ExprKind, FuncId, FuncKind, Function, Param, Span, SymbolId, SymbolKind, Type};
use crate::model::name::Name;

impl Lowerer<'_> {
    /// A function without its content yet.
    pub(super) fn declare_function(
        &mut self,
        sig: &Signature,
        kind: FuncKind,
        class: Option<ClassId>,
        end: usize,
    ) -> FuncId {
        let start = sig.asyncness.map_or(sig.fn_token.span, |token| token.span).byte_range().start;
        let whole = self.span(start..end.max(start));
        let function = Function {
            kind,
            class,
            is_static: class.is_some() && sig.receiver().is_none(),
            ..self.blank(Some(name(&sig.ident)), whole, self.ident_span(&sig.ident))
        };
        self.add_function(function)
    }

    /// A function's parameters, types and body.
    pub(super) fn function(&mut self, id: FuncId, sig: &Signature, body: Option<&Block>, attrs: &[syn::Attribute]) {
        let decorators = self.decorators(attrs);
        let scope = self.scopes.open(self.at.scope);
        let class = self.module.function(id).class;
        let floor = std::mem::replace(&mut self.floor, self.locals.len());
        let mark = self.locals.len();
        self.within(At { func: id, class, scope }, |it| {
            it.generics(&sig.generics, scope);
            let ret = it.output(&sig.output);
            it.module.functions[id.index()].ret = ret;
            it.module.functions[id.index()].decorators.extend(decorators);
            let mut patterns = Vec::new();
            for arg in &sig.inputs {
                if let FnArg::Typed(arg) = arg {
                    let ty = if arg.attrs.iter().any(|attr| attr.path().is_ident("tool")) {
                        let path = Name::new("Parameters");
                        it.add_type(Type::Named { path, head: None, decl: None, args: Vec::new() })
                    } else {
                        it.ty(&arg.ty)
                    };
                    let symbol = it.parameter(&arg.pat, &mut patterns);
                    it.module.symbols[symbol.index()].ty = Some(ty);
                }
            }
            for (pat, symbol) in patterns {
                it.destructure(pat, symbol);
            }
            if let Some(body) = body {
                it.block(body, Use::Tail);
            }
        });
        self.locals.truncate(mark);
        self.floor = floor;
    }

    /// A parameter; a pattern is taken apart when all of them are there.
    fn parameter<'p>(&mut self, pat: &'p Pat, patterns: &mut Vec<(&'p Pat, SymbolId)>) -> SymbolId {
        let at = self.span(span::pattern(pat));
        let func = self.at.func;
        let own = match pat {
            Pat::Ident(p) if p.subpat.is_none() => name(&p.ident),
            _ => Name::new(&format!("#{}", self.module.function(func).params.len())),
        };
        let symbol = self.add_symbol(own, SymbolKind::Parameter, at);
        match pat {
            Pat::Ident(p) if p.subpat.is_none() => self.locals.push((own, symbol)),
            _ => patterns.push((pat, symbol)),
        }
        self.module.functions[func.index()].params.push(Param { symbol, rest: false, optional: false });
        symbol
    }

    fn destructure(&mut self, pat: &Pat, symbol: SymbolId) {
        let at = self.span(span::pattern(pat));
        let value = self.add(ExprKind::Symbol(symbol), at);
        self.bind(pat, value, None);
    }

    /// `|a, b| body`.
    pub(super) fn closure(&mut self, e: &syn::ExprClosure, at: Span) -> crate::model::facts::ExprId {
        let name_span = Span { start: at.start, end: at.start + 1 };
        let function = Function { kind: FuncKind::Anonymous, class: self.at.class, ..self.blank(None, at, name_span) };
        let id = self.add_function(function);
        let scope = self.at.scope;
        self.in_block(|it| {
            it.within(At { func: id, class: it.at.class, scope }, |it| {
                let ret = it.output(&e.output);
                it.module.functions[id.index()].ret = ret;
                let mut patterns = Vec::new();
                for input in &e.inputs {
                    let (pat, ty) = match input {
                        Pat::Type(typed) => (&*typed.pat, Some(it.ty(&typed.ty))),
                        pat => (pat, None),
                    };
                    let symbol = it.parameter(pat, &mut patterns);
                    it.module.symbols[symbol.index()].ty = ty;
                }
                for (pat, symbol) in patterns {
                    it.destructure(pat, symbol);
                }
                it.tail(&e.body);
            });
        });
        self.add(ExprKind::Function(id), at)
    }

    /// The value of a body: what the function returns.
    pub(super) fn tail(&mut self, e: &Expr) {
        self.used(e, Use::Tail);
    }
}
