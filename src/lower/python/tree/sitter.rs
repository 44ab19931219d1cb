//! From a tree of tree-sitter.

use super::Tree;
use crate::lower::LowerError;
use crate::lower::python::grammar::{Grammar, K};
use crate::model::facts::Span;
use crate::syntax::comments;
use crate::syntax::tree::{self, Budget};

/// Reads any text, as far as it can be read.
pub(super) fn read(text: &str) -> Result<Tree, LowerError> {
    let grammar = Grammar::get();
    let parsed = tree::parse(&grammar.language, text, Budget::default())?;
    let mut tree = Tree::new(text.len());
    copy(&parsed, grammar, &mut tree);
    let spans = |ranges: Vec<(usize, usize)>| ranges.into_iter().map(|(start, end)| Span::new(start, end)).collect();
    tree.errors = spans(tree::errors(&parsed));
    tree.comments = spans(comments::in_tree(&parsed, text));
    Ok(tree)
}

fn copy(parsed: &tree_sitter::Tree, grammar: &Grammar, tree: &mut Tree) {
    let mut cursor = parsed.walk();
    let mut open: Vec<usize> = Vec::new();
    loop {
        let node = cursor.node();
        let kind = grammar.kind(node.kind_id());
        if kind != K::Comment {
            let (field, start, end) = (grammar.field(cursor.field_id()), node.start_byte(), node.end_byte());
            let at = tree.open(kind, field, start as u32);
            tree.close(at, end as u32);
            if cursor.goto_first_child() {
                open.push(at);
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            let Some(at) = open.pop().filter(|_| cursor.goto_parent()) else { return };
            let end = tree.records[at].end;
            tree.close(at, end);
        }
    }
}
