//! The tree that the lowering reads: the shape of tree-sitter's grammar, in one flat vector.
//!
//! There are two ways to it. Code without errors is read by ruff's parser, which is several times faster, and brought into
//! shape ([`ruff`]); everything else is read by tree-sitter, which recovers from errors ([`sitter`]). Comments are left out of
//! both, and the former leaves out the tokens that the lowering never asks for.

mod ruff;
mod sitter;

use super::grammar::{F, K};
use crate::lower::LowerError;
use crate::model::facts::Span;

/// A node's record. Nodes stand in the order of the text, each before its children.
#[derive(Clone, Copy)]
struct Record {
    start: u32,
    end: u32,
    /// The index behind the node's last descendant.
    after: u32,
    kind: K,
    field: F,
}

/// The nodes of one file; the first is the root.
pub(super) struct Tree {
    records: Vec<Record>,
    /// What the parser could not make sense of, in source order.
    pub(super) errors: Vec<Span>,
    /// The comments with a directive, in source order.
    pub(super) comments: Vec<Span>,
}

impl Tree {
    fn new(bytes: usize) -> Self {
        // About one node for 7 bytes of source.
        Self { records: Vec::with_capacity(bytes / 6), errors: Vec::new(), comments: Vec::new() }
    }

    /// Reads a file: with ruff's parser where that makes sense of all of it.
    pub(super) fn read(text: &str) -> Result<Self, LowerError> {
        match ruff::read(text) {
            Some(tree) => Ok(tree),
            None => sitter::read(text),
        }
    }

    /// Reads a file by the one road alone (`None`: it is not for this road), or by the other.
    pub(super) fn read_by(road: super::Road, text: &str) -> Result<Option<Self>, LowerError> {
        match road {
            super::Road::Fast => Ok(ruff::read(text)),
            super::Road::Recovering => sitter::read(text).map(Some),
        }
    }

    pub(super) fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0 }
    }

    /// Begins a node; what is added until it is closed lies inside.
    fn open(&mut self, kind: K, field: F, start: u32) -> usize {
        let at = self.records.len();
        self.records.push(Record { start, end: start, after: at as u32 + 1, kind, field });
        at
    }

    fn close(&mut self, at: usize, end: u32) {
        let after = self.records.len() as u32;
        let record = &mut self.records[at];
        record.end = end;
        record.after = after;
    }

    /// A node without children.
    fn leaf(&mut self, kind: K, field: F, start: u32, end: u32) {
        let after = self.records.len() as u32 + 1;
        self.records.push(Record { start, end, after, kind, field });
    }
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'t> {
    tree: &'t Tree,
    at: u32,
}

impl<'t> Node<'t> {
    fn record(self) -> &'t Record {
        &self.tree.records[self.at as usize]
    }

    pub(super) fn kind(self) -> K {
        self.record().kind
    }

    /// What it is to its parent.
    pub(super) fn role(self) -> F {
        self.record().field
    }

    pub(super) fn start_byte(self) -> usize {
        self.record().start as usize
    }

    pub(super) fn end_byte(self) -> usize {
        self.record().end as usize
    }

    pub(super) fn span(self) -> Span {
        Span { start: self.record().start, end: self.record().end }
    }

    pub(super) fn children(self) -> Children<'t> {
        Children { tree: self.tree, at: self.at + 1, after: self.record().after }
    }

    /// The first child that carries a field.
    pub(super) fn child(self, field: F) -> Option<Node<'t>> {
        self.children().find(|child| child.role() == field)
    }
}

/// The children of a node.
#[derive(Clone)]
pub(super) struct Children<'t> {
    tree: &'t Tree,
    at: u32,
    after: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.at >= self.after {
            return None;
        }
        let node = Node { tree: self.tree, at: self.at };
        self.at = node.record().after;
        Some(node)
    }
}
