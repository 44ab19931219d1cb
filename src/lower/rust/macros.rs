//! Macro calls: what their tokens say without expanding them.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::{Expr, Macro};

use super::control::Use;
use super::scope::ScopeId;
use super::{Lowerer, name, span};
use crate::model::facts::{Arg, ExprId, ExprKind, Span};
use crate::model::name::Name;

/// Macros that put a text together.
const FORMATS: &[&str] = &["format", "format_args", "concat", "formatcp", "eformat"];
/// Macros that leave.
const LEAVES: &[&str] = &["bail", "panic", "unreachable", "todo", "unimplemented"];
/// How deep tokens are looked into.
const DEEPEST: u32 = 40;

impl Lowerer<'_> {
    /// A macro call as a value.
    pub(super) fn macro_call(&mut self, mac: &Macro) -> ExprId {
        let at = self.span(span::macro_(mac));
        let Some(last) = mac.path.segments.last() else { return self.nothing(at) };
        let own = name(&last.ident).text();
        match own {
            "vec" | "smallvec" | "array" | "hashset" | "btreeset" | "params" | "named_params" => {
                let items = self.pieces(&mac.tokens);
                self.add(ExprKind::Sequence(items), at)
            }
            "matches" | "assert_matches" => {
                let mut items = split(&mac.tokens, ',');
                items.truncate(1);
                let children = items.iter().flat_map(|item| self.piece(item, 0)).collect();
                self.add(ExprKind::Opaque(children), at)
            }
            "anyhow" | "eyre" => self.text_of(&mac.tokens, at),
            _ if FORMATS.contains(&own) => self.text_of(&mac.tokens, at),
            _ if LEAVES.contains(&own) => {
                let value = self.text_of(&mac.tokens, at);
                self.add_throw(Some(value), at)
            }
            "ensure" => {
                let children = self.pieces(&mac.tokens);
                let Some(&condition) = children.first() else { return self.nothing(at) };
                self.missing_leaves(condition, at, at, children.get(1).copied());
                condition
            }
            _ => {
                // Log lines and the like: a call of the macro with what it is given.
                let callee = self.add(ExprKind::Global(Name::new(&format!("{own}!"))), at);
                let values = self.text_parts(&mac.tokens, at);
                let args = values.into_iter().map(|value| Arg { value, name: None, spread: false }).collect();
                self.add(ExprKind::Call { callee, args }, at)
            }
        }
    }

    /// The text that a macro puts together.
    fn text_of(&mut self, tokens: &TokenStream, at: Span) -> ExprId {
        match self.text_parts(tokens, at).as_slice() {
            &[only] if matches!(self.module.kind(only), ExprKind::Text(_)) => only,
            parts => self.add(ExprKind::Template(parts.to_vec()), at),
        }
    }

    /// Tokens that are not understood, with the names in them.
    pub(super) fn unseen(&mut self, tokens: &TokenStream, at: Span) -> ExprId {
        let children = self.scan(tokens, 0);
        self.add(ExprKind::Opaque(children), at)
    }

    /// The arguments of an attribute: `key = value, path, "text"`.
    pub(super) fn named_arguments(&mut self, tokens: &TokenStream) -> Vec<Arg> {
        let mut out = Vec::new();
        for piece in split(tokens, ',') {
            let (key, rest) = key_of(&piece);
            for value in self.piece(&rest, 0) {
                out.push(Arg { value, name: key, spread: false });
            }
        }
        out
    }

    /// The values between commas.
    fn pieces(&mut self, tokens: &TokenStream) -> Vec<ExprId> {
        split(tokens, ',').iter().flat_map(|piece| self.piece(piece, 0)).collect()
    }

    /// The values between commas, where a first text may name variables in braces.
    fn text_parts(&mut self, tokens: &TokenStream, at: Span) -> Vec<ExprId> {
        let pieces = split(tokens, ',');
        let mut out = Vec::new();
        for piece in &pieces {
            if let [TokenTree::Literal(literal)] = piece.as_slice()
                && let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
            {
                let literal_at = self.span(literal.span().byte_range());
                out.extend(self.template(&text.value(), literal_at));
                continue;
            }
            let (_, rest) = key_of(piece);
            out.extend(self.piece(&rest, 0));
        }
        if out.is_empty() {
            out.push(self.nothing(at));
        }
        out
    }

    /// The literal parts of a format text, and the variables that it names in braces.
    fn template(&mut self, text: &str, at: Span) -> Vec<ExprId> {
        let mut out = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{', '}']) {
            literal.push_str(&rest[..open]);
            let tail = &rest[open..];
            if tail.starts_with("{{") || tail.starts_with("}}") {
                literal.push_str(&tail[..1]);
                rest = &tail[2..];
                continue;
            }
            let Some(close) = tail.find('}').filter(|_| tail.starts_with('{')) else {
                rest = &tail[1..];
                continue;
            };
            if !literal.is_empty() {
                out.push(self.add(ExprKind::Text(Name::new(&literal)), at));
                literal.clear();
            }
            let named = tail[1..close].split(':').next().unwrap_or_default().trim();
            let named = named.strip_prefix("r#").unwrap_or(named);
            let is_name = named.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
                && named.chars().all(|c| c.is_alphanumeric() || c == '_');
            if is_name {
                out.push(self.path_of(&[Name::new(named)], at));
            }
            rest = &tail[close + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            out.push(self.add(ExprKind::Text(Name::new(&literal)), at));
        }
        out
    }

    /// One piece: an expression, else whatever is found in it.
    fn piece(&mut self, tokens: &[TokenTree], depth: u32) -> Vec<ExprId> {
        let tokens = without_sigil(tokens);
        if tokens.is_empty() {
            return Vec::new();
        }
        let stream: TokenStream = tokens.iter().cloned().collect();
        if let Ok(e) = syn::parse2::<Expr>(stream.clone())
            && !matches!(e, Expr::Verbatim(_))
        {
            return vec![self.expr(&e)];
        }
        if depth > DEEPEST {
            return Vec::new();
        }
        self.scan(&stream, depth + 1)
    }

    /// Looks through tokens that are no expression: groups as statements or pieces, names as references.
    fn scan(&mut self, tokens: &TokenStream, depth: u32) -> Vec<ExprId> {
        if depth > DEEPEST || !self.enter() {
            return Vec::new();
        }
        let mut out = Vec::new();
        for piece in split_any(tokens) {
            let stream: TokenStream = piece.iter().cloned().collect();
            if let Ok(e) = syn::parse2::<Expr>(stream)
                && !matches!(e, Expr::Verbatim(_))
            {
                out.push(self.expr(&e));
                continue;
            }
            for token in piece {
                match token {
                    TokenTree::Group(group) => {
                        let parsed = (group.delimiter() == Delimiter::Brace)
                            .then(|| syn::Block::parse_within.parse2(group.stream()).ok())
                            .flatten();
                        match parsed {
                            Some(statements) => {
                                out.extend(self.in_block(|it| it.statements(&statements, Use::Value)));
                            }
                            None => out.extend(self.scan(&group.stream(), depth + 1)),
                        }
                    }
                    TokenTree::Ident(ident) => {
                        if let Some(symbol) = self.local(name(&ident)) {
                            let at = self.ident_span(&ident);
                            out.push(self.add(ExprKind::Symbol(symbol), at));
                        }
                    }
                    _ => {}
                }
            }
        }
        self.leave();
        out
    }

    // Statics that a macro declares: `lazy_static! { static ref NAME: Type = value; }`.

    /// Brings the statics of a macro into a scope.
    pub(super) fn declare_macro_statics(&mut self, mac: &Macro, scope: ScopeId) {
        for item in statics(mac) {
            self.declare_variable(&item.ident, scope);
        }
        for ident in task_locals(mac) {
            self.declare_variable(&ident, scope);
        }
    }

    /// Fills them in.
    pub(super) fn define_macro_statics(&mut self, mac: &Macro, scope: ScopeId) {
        for ident in task_locals(mac) {
            if let Some(symbol) = self.macro_static(scope, name(&ident)) {
                let at = self.ident_span(&ident);
                let callee = self.add(ExprKind::Global(Name::new("task_local!")), at);
                let made = self.add(ExprKind::Call { callee, args: Vec::new() }, at);
                self.give(symbol, None, made, at);
            }
        }
        let found = statics(mac);
        if found.is_empty() {
            let at = self.span(span::macro_(mac));
            // A macro's own definition is a pattern, not code.
            if !mac.path.is_ident("macro_rules") {
                self.unseen(&mac.tokens, at);
            }
        }
        for item in found {
            if self.macro_static(scope, name(&item.ident)).is_some() {
                self.define_variable(&item.ident, &item.ty, &item.expr, scope);
            }
        }
    }
}

/// The names of values that a task carries: `task_local! { static NAME: Type; }`.
fn task_locals(mac: &Macro) -> Vec<syn::Ident> {
    if mac.path.segments.last().is_none_or(|last| last.ident != "task_local") {
        return Vec::new();
    }
    let tokens: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
    tokens
        .windows(2)
        .filter_map(|pair| match pair {
            [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "static" => Some(name.clone()),
            _ => None,
        })
        .collect()
}

/// The statics in the tokens of a macro.
fn statics(mac: &Macro) -> Vec<syn::ItemStatic> {
    let known = mac
        .path
        .segments
        .last()
        .is_some_and(|last| matches!(last.ident.to_string().as_str(), "lazy_static" | "thread_local"));
    if !known {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut item: Vec<TokenTree> = Vec::new();
    for token in mac.tokens.clone() {
        let ends = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
        // `static ref`: the word says only that it is lazy.
        let word = matches!(&token, TokenTree::Ident(ident) if ident == "ref" || ident == "const");
        if !word {
            item.push(token);
        }
        if ends {
            let stream: TokenStream = item.drain(..).collect();
            out.extend(syn::parse2::<syn::ItemStatic>(stream));
        }
    }
    out
}

/// Tokens between separators.
fn split(tokens: &TokenStream, separator: char) -> Vec<Vec<TokenTree>> {
    let mut out = vec![Vec::new()];
    for token in tokens.clone() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == separator || punct.as_char() == ';' => out.push(Vec::new()),
            _ => out.last_mut().expect("never empty").push(token),
        }
    }
    out.retain(|piece| !piece.is_empty());
    out
}

/// Tokens between anything that separates: `,`, `;`, `:`, `=>`, `=`.
fn split_any(tokens: &TokenStream) -> Vec<Vec<TokenTree>> {
    let mut out = vec![Vec::new()];
    let mut path = false;
    let mut previous = ' ';
    for token in tokens.clone() {
        let mark = match &token {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        let joint = matches!(&token, TokenTree::Punct(punct) if punct.spacing() == proc_macro2::Spacing::Joint);
        let separates = match mark {
            ',' | ';' => true,
            ':' => {
                let double = joint || path;
                path = joint && !path;
                !double
            }
            '=' => !joint && !matches!(previous, '=' | '!' | '<' | '>'),
            '>' => previous == '=',
            _ => false,
        };
        previous = mark;
        if separates {
            // The first half of `=>`.
            if mark == '>'
                && let Some(last) = out.last_mut()
            {
                last.pop();
            }
            out.push(Vec::new());
        } else if let Some(last) = out.last_mut() {
            last.push(token);
        }
    }
    out.retain(|piece| !piece.is_empty());
    out
}

/// `key = value` taken apart.
fn key_of(tokens: &[TokenTree]) -> (Option<Name>, Vec<TokenTree>) {
    match tokens {
        [TokenTree::Ident(key), TokenTree::Punct(mark), rest @ ..]
            if (mark.as_char() == '=' && mark.spacing() == proc_macro2::Spacing::Alone)
                || (mark.as_char() == ':' && mark.spacing() == proc_macro2::Spacing::Alone) =>
        {
            (Some(name(key)), rest.to_vec())
        }
        _ => (None, tokens.to_vec()),
    }
}

/// `%value`, `?value`: how a log line shows it.
fn without_sigil(tokens: &[TokenTree]) -> &[TokenTree] {
    match tokens {
        [TokenTree::Punct(mark), rest @ ..] if matches!(mark.as_char(), '%' | '?') => rest,
        _ => tokens,
    }
}
