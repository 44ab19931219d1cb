//! Attributes: decorators, and what decides whether an item counts at all.

use syn::Attribute;

use super::{Lowerer, name};
use crate::model::facts::{Arg, ExprId, ExprKind};
use crate::model::name::Name;

impl Lowerer<'_> {
    /// Attributes as decorators.
    pub(super) fn decorators(&mut self, attrs: &[Attribute]) -> Vec<ExprId> {
        attrs.iter().filter(|attr| !is_builtin(attr)).map(|attr| self.decorator(attr)).collect()
    }

    fn decorator(&mut self, attr: &Attribute) -> ExprId {
        let at = self.span(attr.bracket_token.span.join().byte_range());
        let callee = self.path(attr.path());
        let args: Vec<Arg> = match &attr.meta {
            syn::Meta::List(list) => self.named_arguments(&list.tokens),
            _ => Vec::new(),
        };
        self.add(ExprKind::Call { callee, args }, at)
    }

    /// `#[attribute(key = "text")]` or `(key = path)`.
    pub(super) fn attribute_text(&self, attr: &Attribute, key: &str) -> Option<Name> {
        let mut found = None;
        let _ = attr.parse_nested_meta(|meta| {
            let value = match meta.value() {
                Ok(value) => value.parse::<syn::Expr>()?,
                Err(_) => return Ok(()),
            };
            if meta.path.is_ident(key) {
                found = match value {
                    syn::Expr::Path(path) => path.path.get_ident().map(name),
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(Name::new(&text.value())),
                    _ => None,
                };
            }
            Ok(())
        });
        found
    }
}

/// Attributes of the language and of derives, that say nothing here.
fn is_builtin(attr: &Attribute) -> bool {
    const BUILTIN: &[&str] = &[
        "doc",
        "allow",
        "warn",
        "deny",
        "expect",
        "forbid",
        "cfg",
        "cfg_attr",
        "inline",
        "must_use",
        "derive",
        "serde",
        "schemars",
        "repr",
        "non_exhaustive",
        "default",
        "error",
        "from",
        "source",
        "arg",
        "command",
        "clap",
        "instrument",
        "deprecated",
        "rustfmt",
        "clippy",
        "track_caller",
        "cold",
        "async_trait",
        "test",
        "bench",
        "ignore",
        "path",
        "global_allocator",
        "macro_use",
        "macro_export",
        "no_mangle",
        "unsafe",
        "main",
    ];
    attr.path().segments.last().is_none_or(|last| BUILTIN.iter().any(|name| last.ident == name))
}

/// Whether a `derive` names a trait.
pub(super) fn derives(attrs: &[Attribute], wanted: &str) -> bool {
    attrs.iter().any(|attr| {
        let mut found = false;
        if attr.path().is_ident("derive") {
            let _ = attr.parse_nested_meta(|meta| {
                found |= meta.path.segments.last().is_some_and(|last| last.ident == wanted);
                Ok(())
            });
        }
        found
    })
}

/// Whether an item is compiled for tests alone.
pub(super) fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let last = attr.path().segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        match last.as_str() {
            "test" | "bench" | "rstest" | "test_case" => true,
            "cfg" => match &attr.meta {
                syn::Meta::List(list) => {
                    let text = list.tokens.to_string();
                    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '_');
                    words().any(|word| word == "test") && !words().any(|word| word == "not" || word == "any")
                }
                _ => false,
            },
            _ => false,
        }
    })
}
