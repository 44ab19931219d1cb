//! A thin wrapper around tree-sitter: one parser per thread, a budget for the parse, and the list of what was not understood.

use std::cell::RefCell;
use std::fmt;
use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Parsing took more work than a text of this size deserves.
    Budget,
    /// The text is larger than byte offsets of 32 bits reach.
    TooLarge,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Budget => "parsing took too long",
            Self::TooLarge => "the file is too large",
        })
    }
}

impl std::error::Error for ParseError {}

/// How much work a parse may take. It counts the parser's own steps, not time: the answer must not depend on how busy the machine is.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Calls of the progress callback that any text may use.
    pub base: u64,
    /// Calls that it may use on top for every kilobyte.
    pub per_kilobyte: u64,
}

impl Default for Budget {
    /// Sources use about 15 calls a kilobyte, minified and broken ones up to 50: only runaway error recovery is cut off.
    fn default() -> Self {
        Self { base: 2_000, per_kilobyte: 250 }
    }
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses `text`.
pub fn parse(language: &Language, text: &str, budget: Budget) -> Result<Tree, ParseError> {
    if text.len() >= i32::MAX as usize {
        return Err(ParseError::TooLarge);
    }
    let mut left = budget.base + budget.per_kilobyte * (text.len() as u64 / 1024);
    let mut progress = |_: &ParseState| match left.checked_sub(1) {
        Some(rest) => {
            left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let bytes = text.as_bytes();
    PARSER.with_borrow_mut(|parser| {
        // A grammar of another ABI is a build mistake, not an input: answering "no tree" keeps the promise not to panic.
        parser.set_language(language).map_err(|_| ParseError::Budget)?;
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree =
            parser.parse_with_options(&mut |offset, _| bytes.get(offset..).unwrap_or_default(), None, Some(options));
        if tree.is_none() {
            // A cancelled parse would be resumed by the next call.
            parser.reset();
        }
        tree.ok_or(ParseError::Budget)
    })
}

/// The byte ranges that the parser could not make sense of, in source order; a missing token is an empty range.
pub fn errors(tree: &Tree) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let root = tree.root_node();
    if !root.has_error() {
        return found;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            found.push((node.start_byte(), node.end_byte()));
        }
        // Nothing below an error adds to the report, and a sound subtree has none.
        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// The first token of a node.
pub fn first_token(mut node: Node<'_>) -> Node<'_> {
    while let Some(child) = node.child(0) {
        node = child;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::{Budget, ParseError, errors, parse};

    #[test]
    fn a_parse_beyond_its_budget_is_given_up_and_the_next_one_starts_afresh() {
        let language = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
        let text = "f(a, b);".repeat(10_000);
        let none = Budget { base: 0, per_kilobyte: 0 };
        assert_eq!(parse(&language, &text, none).err(), Some(ParseError::Budget));
        let tree = parse(&language, "let x = 1;", Budget::default()).expect("a tree");
        assert!(errors(&tree).is_empty());
        assert_eq!(tree.root_node().end_byte(), 10);
    }

    #[test]
    fn errors_are_found_wherever_they_are() {
        let language = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
        let tree = parse(&language, "f(() => { let = ; });\nif (a { b }", Budget::default());
        let errors = errors(&tree.expect("a tree"));
        assert!(!errors.is_empty());
        assert!(errors.is_sorted());
    }
}
