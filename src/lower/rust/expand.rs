//! Items that a file's own macros make: what a macro writes is read once, as it stands in the macro's definition, with its parameters
//! under their own names. How often it is written, and with what, is not looked at.

use proc_macro2::{Delimiter, Group, Ident, Literal, Spacing, TokenStream, TokenTree};
use syn::Item;

/// How deep groups are nested within a macro.
const DEEPEST: u32 = 40;

/// The items that macros write which a file both defines and calls where items stand.
pub(super) fn items(items: &[Item]) -> Vec<Item> {
    let macros = || {
        items.iter().filter_map(|item| match item {
            Item::Macro(item) => Some(item),
            _ => None,
        })
    };
    let called = |name: &Ident| macros().any(|item| item.ident.is_none() && item.mac.path.is_ident(name));
    macros()
        .filter(|item| item.mac.path.is_ident("macro_rules") && item.ident.as_ref().is_some_and(called))
        .flat_map(|item| written(&item.mac.tokens))
        .collect()
}

/// The items that the arms of a macro write, as far as an arm writes whole items.
fn written(definition: &TokenStream) -> Vec<Item> {
    let mut out = Vec::new();
    let mut pattern: Option<TokenStream> = None;
    for token in definition.clone() {
        let TokenTree::Group(group) = token else { continue };
        match pattern.take() {
            None => pattern = Some(group.stream()),
            Some(pattern) => {
                let once = once(&group.stream(), &parameters(&pattern, 0), 0);
                if let Ok(file) = syn::parse2::<syn::File>(once) {
                    out.extend(file.items);
                }
            }
        }
    }
    out.retain(|item| matches!(item, Item::Impl(_) | Item::Fn(_) | Item::Struct(_)));
    out
}

/// The parameters of a macro's arm with what they stand for: `$name:kind`.
fn parameters(pattern: &TokenStream, depth: u32) -> Vec<(Ident, Ident)> {
    let tokens: Vec<TokenTree> = pattern.clone().into_iter().collect();
    let mut out = Vec::new();
    for window in tokens.windows(4) {
        if let [TokenTree::Punct(dollar), TokenTree::Ident(name), TokenTree::Punct(colon), TokenTree::Ident(kind)] =
            window
            && dollar.as_char() == '$'
            && colon.as_char() == ':'
        {
            out.push((name.clone(), kind.clone()));
        }
    }
    for token in &tokens {
        if let TokenTree::Group(group) = token
            && depth < DEEPEST
        {
            out.extend(parameters(&group.stream(), depth + 1));
        }
    }
    out
}

/// What an arm writes, each repetition once.
fn once(body: &TokenStream, parameters: &[(Ident, Ident)], depth: u32) -> TokenStream {
    if depth > DEEPEST {
        return TokenStream::new();
    }
    let tokens: Vec<TokenTree> = body.clone().into_iter().collect();
    let mut out: Vec<TokenTree> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match (token, tokens.get(at)) {
            (TokenTree::Punct(mark), Some(TokenTree::Group(group)))
                if mark.as_char() == '$' && group.delimiter() == Delimiter::Parenthesis =>
            {
                out.extend(once(&group.stream(), parameters, depth + 1));
                at = after_repetition(&tokens, at + 1);
            }
            (TokenTree::Punct(mark), Some(TokenTree::Ident(name))) if mark.as_char() == '$' => {
                out.extend(stands_for(name, parameters));
                at += 1;
            }
            (TokenTree::Group(group), _) => {
                let mut inner = Group::new(group.delimiter(), once(&group.stream(), parameters, depth + 1));
                inner.set_span(group.span());
                out.push(TokenTree::Group(inner));
            }
            _ => out.push(token.clone()),
        }
    }
    out.into_iter().collect()
}

/// Where the code goes on after `$( … )` and the separator and the sign behind it.
fn after_repetition(tokens: &[TokenTree], at: usize) -> usize {
    let sign = |index: usize| matches!(tokens.get(index), Some(TokenTree::Punct(mark)) if matches!(mark.as_char(), '*' | '+' | '?'));
    match (sign(at), sign(at + 1)) {
        (true, _) => at + 1,
        (false, true) => at + 2,
        // A separator of two signs: `=>`.
        _ if matches!(tokens.get(at), Some(TokenTree::Punct(mark)) if mark.spacing() == Spacing::Joint)
            && sign(at + 2) =>
        {
            at + 3
        }
        _ => at,
    }
}

/// A parameter as something of its kind.
fn stands_for(name: &Ident, parameters: &[(Ident, Ident)]) -> Option<TokenTree> {
    let kind = parameters.iter().find(|(known, _)| known == name).map(|(_, kind)| kind.to_string());
    match kind.as_deref() {
        Some("vis" | "lifetime") => None,
        Some("literal") => {
            let mut text = Literal::string(&name.to_string());
            text.set_span(name.span());
            Some(TokenTree::Literal(text))
        }
        Some("block") => Some(TokenTree::Group(Group::new(Delimiter::Brace, TokenStream::new()))),
        _ => Some(TokenTree::Ident(name.clone())),
    }
}
