//! From text to items: what stands before the first token, how deep the code may be nested, and going on after a broken item.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Item};

use super::LowerError;
use crate::model::facts::Span;

/// Delimiters within delimiters.
const DEEPEST: usize = 250;
/// Tokens of one expression, its nested groups not counted: operators and calls nest in the tree as the chain grows.
const LONGEST: usize = 6_000;

/// A file, parsed.
pub(super) struct Source {
    /// Bytes before what was given to the parser.
    pub(super) base: usize,
    /// The items that could be read.
    pub(super) items: Vec<Item>,
    /// What could not.
    pub(super) errors: Vec<Span>,
}

/// The bytes that are no code: a byte order mark, a `#!` line.
pub(super) fn preamble(text: &str) -> usize {
    let mark = text.strip_prefix('\u{feff}').map_or(0, |_| '\u{feff}'.len_utf8());
    let rest = &text[mark..];
    // `#![attribute]` is code.
    let Some(line) = rest.strip_prefix("#!") else { return mark };
    if line.trim_start().starts_with('[') {
        return mark;
    }
    mark + rest.find('\n').unwrap_or(rest.len())
}

/// Parses a file. What the lexer refuses is one error from there to the end.
pub(super) fn parse(text: &str) -> Result<Source, LowerError> {
    let base = preamble(text);
    let tokens = match TokenStream::from_str(&text[base..]) {
        Ok(tokens) => tokens,
        Err(error) => {
            let start = (base + error.span().byte_range().start).min(text.len());
            return Ok(Source { base, items: Vec::new(), errors: vec![Span::new(start, text.len())] });
        }
    };
    measure(&tokens)?;
    let parsed = items.parse2(tokens);
    let Ok((items, errors)) = parsed else {
        return Ok(Source { base, items: Vec::new(), errors: vec![Span::new(base, text.len())] });
    };
    let errors = errors.into_iter().map(|range| Span::new(base + range.start, base + range.end)).collect();
    Ok(Source { base, items, errors })
}

type Items = (Vec<Item>, Vec<std::ops::Range<usize>>);

fn items(input: ParseStream<'_>) -> syn::Result<Items> {
    let _ = input.call(Attribute::parse_inner);
    let (mut items, mut errors) = (Vec::new(), Vec::new());
    while !input.is_empty() {
        let attempt = input.fork();
        match attempt.parse::<Item>() {
            Ok(item) => {
                input.advance_to(&attempt);
                items.push(item);
            }
            Err(_) => errors.push(skip(input)),
        }
    }
    Ok((items, errors))
}

/// Goes behind what cannot be an item: past the next `;` or block.
fn skip(input: ParseStream<'_>) -> std::ops::Range<usize> {
    let start = input.span().byte_range().start;
    let mut end = start;
    while let Ok(token) = input.parse::<TokenTree>() {
        end = token.span().byte_range().end;
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            _ => {}
        }
    }
    start..end.max(start)
}

/// Refuses code that is nested deeper than any written by hand: parser, walk and clean-up all recurse with it.
pub(super) fn measure(tokens: &TokenStream) -> Result<(), LowerError> {
    let mut open = vec![(tokens.clone().into_iter().peekable(), 0usize)];
    while let Some((level, length)) = open.last_mut() {
        let Some(token) = level.next() else {
            open.pop();
            continue;
        };
        *length += 1;
        match &token {
            TokenTree::Punct(punct) if matches!(punct.as_char(), ';' | ',') => *length = 0,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let goes_on = match level.peek() {
                    Some(TokenTree::Ident(word)) => word == "else",
                    Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '.' | '?'),
                    _ => false,
                };
                if !goes_on {
                    *length = 0;
                }
            }
            _ => {}
        }
        if *length > LONGEST {
            return Err(LowerError::TooDeep);
        }
        if let TokenTree::Group(group) = token {
            if open.len() >= DEEPEST {
                return Err(LowerError::TooDeep);
            }
            open.push((group.stream().into_iter().peekable(), 0));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_the_code() {
        for (text, expected) in [
            ("fn f() {}", 0),
            ("\u{feff}fn f() {}", 3),
            ("#!/usr/bin/env cargo\nfn f() {}", 20),
            ("\u{feff}#!/bin/x\nfn f() {}", 11),
            ("#![allow(x)]\nfn f() {}", 0),
            ("#! [allow(x)]", 0),
            ("#!", 2),
        ] {
            assert_eq!(preamble(text), expected, "{text:?}");
        }
    }

    #[test]
    fn goes_on_after_a_broken_item() {
        let source =
            parse("fn a() {}\nfn b( { }\nstruct C;\nwhat is this;\nfn d() {}").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(source.errors.len(), 1, "unbalanced delimiters end the lexing");
        let source = parse("fn a() {}\nstruct 9;\nwhat is this;\nfn d() {}").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((source.items.len(), source.errors.len()), (2, 2));
    }

    #[test]
    fn depth_is_bounded() {
        let nested = format!("fn f() {{ {}1{} }}", "(".repeat(1000), ")".repeat(1000));
        assert!(matches!(parse(&nested), Err(LowerError::TooDeep)));
        let chained = format!("fn f() {{ x{} }}", ".y()".repeat(100_000));
        assert!(matches!(parse(&chained), Err(LowerError::TooDeep)));
        let many = "fn f() { g(1, 2); }\n".repeat(20_000);
        assert!(parse(&many).is_ok());
    }
}
