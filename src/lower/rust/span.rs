//! Byte ranges of syntax, computed from the outermost tokens: no tree is printed to find out where it stands.

use std::ops::Range;

use syn::{Expr, GenericArgument, Pat, Path, PathArguments, ReturnType, Type};

type Bytes = Range<usize>;

fn over(start: Bytes, end: Bytes) -> Bytes {
    start.start..end.end.max(start.start)
}

fn bytes(span: proc_macro2::Span) -> Bytes {
    span.byte_range()
}

fn group(span: &proc_macro2::extra::DelimSpan) -> Bytes {
    bytes(span.join())
}

/// Where an expression stands.
pub(super) fn expr(e: &Expr) -> Bytes {
    match e {
        Expr::Array(e) => group(&e.bracket_token.span),
        Expr::Assign(e) => over(expr(&e.left), expr(&e.right)),
        Expr::Async(e) => over(bytes(e.async_token.span), group(&e.block.brace_token.span)),
        Expr::Await(e) => over(expr(&e.base), bytes(e.await_token.span)),
        Expr::Binary(e) => over(expr(&e.left), expr(&e.right)),
        Expr::Block(e) => group(&e.block.brace_token.span),
        Expr::Break(e) => match (&e.expr, &e.label) {
            (Some(value), _) => over(bytes(e.break_token.span), expr(value)),
            (None, Some(label)) => over(bytes(e.break_token.span), bytes(label.span())),
            (None, None) => bytes(e.break_token.span),
        },
        Expr::Call(e) => over(expr(&e.func), group(&e.paren_token.span)),
        Expr::Cast(e) => over(expr(&e.expr), ty(&e.ty)),
        Expr::Closure(e) => {
            let first = e.asyncness.map(|token| bytes(token.span));
            let first = first.or(e.capture.map(|token| bytes(token.span)));
            over(first.unwrap_or_else(|| bytes(e.inputs_begin.span)), expr(&e.body))
        }
        Expr::Const(e) => over(bytes(e.const_token.span), group(&e.block.brace_token.span)),
        Expr::Continue(e) => bytes(e.continue_token.span),
        Expr::Field(e) => over(expr(&e.base), member(&e.member)),
        Expr::ForLoop(e) => over(bytes(e.for_token.span), group(&e.body.brace_token.span)),
        Expr::Group(e) => expr(&e.expr),
        Expr::If(e) => {
            let mut end = group(&e.then_branch.brace_token.span);
            let mut next = e.else_branch.as_ref();
            while let Some((_, otherwise)) = next {
                match &**otherwise {
                    Expr::If(inner) => {
                        end = group(&inner.then_branch.brace_token.span);
                        next = inner.else_branch.as_ref();
                    }
                    other => {
                        end = expr(other);
                        next = None;
                    }
                }
            }
            over(bytes(e.if_token.span), end)
        }
        Expr::Index(e) => over(expr(&e.expr), group(&e.bracket_token.span)),
        Expr::Infer(e) => bytes(e.underscore_token.span),
        Expr::Let(e) => over(bytes(e.let_token.span), expr(&e.expr)),
        Expr::Lit(e) => bytes(e.lit.span()),
        Expr::Loop(e) => over(bytes(e.loop_token.span), group(&e.body.brace_token.span)),
        Expr::Macro(e) => macro_(&e.mac),
        Expr::Match(e) => over(bytes(e.match_token.span), group(&e.brace_token.span)),
        Expr::MethodCall(e) => over(expr(&e.receiver), group(&e.paren_token.span)),
        Expr::Paren(e) => group(&e.paren_token.span),
        Expr::Path(e) => match &e.qself {
            Some(qself) => over(bytes(qself.lt_token.span), path(&e.path)),
            None => path(&e.path),
        },
        Expr::Range(e) => {
            let limits = match &e.limits {
                syn::RangeLimits::HalfOpen(token) => over(bytes(token.spans[0]), bytes(token.spans[1])),
                syn::RangeLimits::Closed(token) => over(bytes(token.spans[0]), bytes(token.spans[2])),
            };
            let start = e.start.as_ref().map_or(limits.clone(), |start| expr(start));
            let end = e.end.as_ref().map_or(limits, |end| expr(end));
            over(start, end)
        }
        Expr::RawAddr(e) => over(bytes(e.and_token.span), expr(&e.expr)),
        Expr::Reference(e) => over(bytes(e.and_token.span), expr(&e.expr)),
        Expr::Repeat(e) => group(&e.bracket_token.span),
        Expr::Return(e) => match &e.expr {
            Some(value) => over(bytes(e.return_token.span), expr(value)),
            None => bytes(e.return_token.span),
        },
        Expr::Struct(e) => over(path(&e.path), group(&e.brace_token.span)),
        Expr::Try(e) => over(expr(&e.expr), bytes(e.question_token.span)),
        Expr::TryBlock(e) => over(bytes(e.try_token.span), group(&e.block.brace_token.span)),
        Expr::Tuple(e) => group(&e.paren_token.span),
        Expr::Unary(e) => {
            let operator = match &e.op {
                syn::UnOp::Deref(token) => bytes(token.span),
                syn::UnOp::Not(token) => bytes(token.span),
                syn::UnOp::Neg(token) => bytes(token.span),
                _ => expr(&e.expr),
            };
            over(operator, expr(&e.expr))
        }
        Expr::Unsafe(e) => over(bytes(e.unsafe_token.span), group(&e.block.brace_token.span)),
        Expr::Verbatim(tokens) => stream(tokens),
        Expr::While(e) => over(bytes(e.while_token.span), group(&e.body.brace_token.span)),
        Expr::Yield(e) => bytes(e.yield_token.span),
        _ => 0..0,
    }
}

/// Where a run of tokens stands.
pub(super) fn stream(tokens: &proc_macro2::TokenStream) -> Bytes {
    let mut out: Option<Bytes> = None;
    for token in tokens.clone() {
        let at = bytes(token.span());
        out = Some(out.map_or(at.clone(), |known| over(known, at)));
    }
    out.unwrap_or(0..0)
}

/// Where a macro call stands.
pub(super) fn macro_(mac: &syn::Macro) -> Bytes {
    let end = match &mac.delimiter {
        syn::MacroDelimiter::Paren(token) => group(&token.span),
        syn::MacroDelimiter::Brace(token) => group(&token.span),
        syn::MacroDelimiter::Bracket(token) => group(&token.span),
    };
    over(path(&mac.path), end)
}

/// Where a block stands.
pub(super) fn block(block: &syn::Block) -> Bytes {
    group(&block.brace_token.span)
}

fn member(member: &syn::Member) -> Bytes {
    match member {
        syn::Member::Named(ident) => bytes(ident.span()),
        syn::Member::Unnamed(index) => bytes(index.span),
    }
}

/// Where a path stands.
pub(super) fn path(path: &Path) -> Bytes {
    let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else { return 0..0 };
    let start = path.leading_colon.map_or_else(|| bytes(first.ident.span()), |token| bytes(token.spans[0]));
    let end = match &last.arguments {
        PathArguments::None => bytes(last.ident.span()),
        PathArguments::AngleBracketed(args) => bytes(args.gt_token.span),
        PathArguments::Parenthesized(args) => match &args.output {
            ReturnType::Default => group(&args.paren_token.span),
            ReturnType::Type(_, output) => ty(output),
        },
    };
    over(start, end)
}

/// Where a type stands.
pub(super) fn ty(t: &Type) -> Bytes {
    match t {
        Type::Array(t) => group(&t.bracket_token.span),
        Type::FnPtr(t) => match &t.output {
            ReturnType::Default => over(bytes(t.fn_token.span), group(&t.paren_token.span)),
            ReturnType::Type(_, output) => over(bytes(t.fn_token.span), ty(output)),
        },
        Type::Group(t) => ty(&t.elem),
        Type::Infer(t) => bytes(t.underscore_token.span),
        Type::Macro(t) => macro_(&t.mac),
        Type::Never(t) => bytes(t.bang_token.span),
        Type::Paren(t) => group(&t.paren_token.span),
        Type::Path(t) => match &t.qself {
            Some(qself) => over(bytes(qself.lt_token.span), path(&t.path)),
            None => path(&t.path),
        },
        Type::Ptr(t) => over(bytes(t.star_token.span), ty(&t.elem)),
        Type::Reference(t) => over(bytes(t.and_token.span), ty(&t.elem)),
        Type::Slice(t) => group(&t.bracket_token.span),
        Type::Tuple(t) => group(&t.paren_token.span),
        Type::ImplTrait(t) => over(bytes(t.impl_token.span), bounds(&t.bounds)),
        Type::TraitObject(t) => {
            let end = bounds(&t.bounds);
            t.dyn_token.map_or(end.clone(), |token| over(bytes(token.span), end))
        }
        Type::Verbatim(tokens) => stream(tokens),
        _ => 0..0,
    }
}

fn bounds(list: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>) -> Bytes {
    let at = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => path(&bound.path),
        syn::TypeParamBound::Lifetime(lifetime) => bytes(lifetime.span()),
        _ => 0..0,
    };
    match (list.first(), list.last()) {
        (Some(first), Some(last)) => over(at(first), at(last)),
        _ => 0..0,
    }
}

/// Where the name (or else the first token) of a pattern stands.
pub(super) fn pattern(p: &Pat) -> Bytes {
    match p {
        Pat::Ident(p) => bytes(p.ident.span()),
        Pat::Tuple(p) => group(&p.paren_token.span),
        Pat::TupleStruct(p) => over(path(&p.path), group(&p.paren_token.span)),
        Pat::Struct(p) => over(path(&p.path), group(&p.brace_token.span)),
        Pat::Paren(p) => group(&p.paren_token.span),
        Pat::Reference(p) => over(bytes(p.and_token.span), pattern(&p.pat)),
        Pat::Slice(p) => group(&p.bracket_token.span),
        Pat::Type(p) => over(pattern(&p.pat), ty(&p.ty)),
        Pat::Or(p) => p.cases.first().map_or(0..0, pattern),
        Pat::Path(p) => path(&p.path),
        Pat::Lit(p) => bytes(p.lit.span()),
        Pat::Wild(p) => bytes(p.underscore_token.span),
        Pat::Guard(p) => pattern(&p.pat),
        _ => 0..0,
    }
}

/// The type arguments of a path segment.
pub(super) fn type_arguments(arguments: &PathArguments) -> Vec<&Type> {
    match arguments {
        PathArguments::AngleBracketed(args) => generic_types(&args.args),
        _ => Vec::new(),
    }
}

/// The types among generic arguments.
pub(super) fn generic_types<P>(args: &syn::punctuated::Punctuated<GenericArgument, P>) -> Vec<&Type> {
    args.iter()
        .filter_map(|arg| match arg {
            GenericArgument::Type(ty) => Some(ty),
            GenericArgument::AssocType(assoc) => Some(&assoc.ty),
            _ => None,
        })
        .collect()
}
