//! From ruff's tree, in the shape that tree-sitter would give the same code.
//!
//! Ruff's tree lacks parentheses and most tokens. Both are found again in the text between two nodes, where nothing else
//! stands but blanks, comments and the tokens of the node around them. Where the two grammars part ways in a manner that is
//! not worth imitating, the builder gives up and leaves the file to the other road.

mod arguments;
mod block;
mod compound;
mod expr;
mod guard;
mod import;
mod operators;
mod pattern;
mod statement;
mod string;
mod target;
mod types;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Mod, ModModule};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::Ranged;

use super::Tree;
use crate::lower::python::grammar::{F, K};
use crate::model::facts::Span;
use crate::syntax::comments::DIRECTIVE;

/// Nesting that is built; deeper code takes the other road.
const DEPTH: u32 = 150;

/// The file is not for this road.
struct Bail;

/// The answer is the end of what was built.
type Built = Result<u32, Bail>;

struct Builder<'t> {
    bytes: &'t [u8],
    tree: Tree,
    depth: u32,
}

/// Reads a text that has no errors; `None` where it has some, or something else that the other road must look at.
pub(super) fn read(text: &str) -> Option<Tree> {
    if !guard::admits(text) {
        return None;
    }
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let mut builder = Builder { bytes: text.as_bytes(), tree: Tree::new(text.len()), depth: 0 };
    let built = match parsed.syntax() {
        Mod::Module(module) if parsed.errors().is_empty() => builder.module(module),
        _ => Err(Bail),
    };
    if built.is_ok() {
        builder.tree.comments = comments(&parsed, text);
    }
    guard::discard(parsed, text.len(), built.is_ok());
    built.is_ok().then_some(builder.tree)
}

/// The comments with a directive.
fn comments(parsed: &Parsed<Mod>, text: &str) -> Vec<Span> {
    if memchr::memmem::find(text.as_bytes(), DIRECTIVE.as_bytes()).is_none() {
        return Vec::new();
    }
    let comments = parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Comment);
    comments
        .map(|token| (token.start().to_u32(), comment_end(text.as_bytes(), token.start().to_u32())))
        .filter(|&(start, end)| text.get(start as usize..end as usize).is_some_and(|it| it.contains(DIRECTIVE)))
        .map(|(start, end)| Span { start, end })
        .collect()
}

/// The end of the comment that starts at an offset; a carriage return belongs to it.
fn comment_end(bytes: &[u8], start: u32) -> u32 {
    let rest = bytes.get(start as usize..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len() as u32, |length| start + length as u32)
}

impl Builder<'_> {
    fn module(&mut self, module: &ModModule) -> Built {
        let root = self.tree.open(K::Module, F::None, 0);
        let mut at = 0;
        for statement in &module.body {
            self.uncontinued(at, statement.start().to_u32())?;
            at = self.statement(statement)?;
        }
        let end = self.bytes.len() as u32;
        self.tree.close(root, end);
        Ok(end)
    }

    /// Enters one level of nesting.
    fn enter(&mut self) -> Result<(), Bail> {
        self.depth += 1;
        if self.depth > DEPTH { Err(Bail) } else { Ok(()) }
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn byte(&self, at: u32) -> u8 {
        self.bytes.get(at as usize).copied().unwrap_or(0)
    }

    /// The next token at or behind an offset: past blanks, comments and continued lines.
    fn skip(&self, mut at: u32) -> u32 {
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'\\' => at += 1,
                b'#' => at = comment_end(self.bytes, at),
                _ => return at,
            }
        }
    }

    fn skip_blanks(&self, mut at: u32) -> u32 {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    /// The end of a token that must come next.
    fn token(&self, at: u32, token: &str) -> Built {
        let start = self.skip(at);
        let found = self.bytes.get(start as usize..).is_some_and(|rest| rest.starts_with(token.as_bytes()));
        if found { Ok(start + token.len() as u32) } else { Err(Bail) }
    }

    /// The first byte `wanted` behind an offset, before `limit`; comments are passed over.
    fn find(&self, from: u32, limit: u32, wanted: u8) -> Option<u32> {
        let mut at = from;
        loop {
            at = self.skip(at);
            if at >= limit {
                return None;
            }
            if self.byte(at) == wanted {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Gives up where a line is continued between two children that the lowering reads in a row: tree-sitter has a node for that.
    fn uncontinued(&self, from: u32, to: u32) -> Result<(), Bail> {
        let mut at = from;
        while at < to {
            match self.byte(at) {
                b'\\' => return Err(Bail),
                b'#' => at = comment_end(self.bytes, at),
                _ => at += 1,
            }
        }
        Ok(())
    }

    /// Where a node begins whose own parentheses, if it has any, stand behind `from`.
    fn outer_start(&self, node: &impl Ranged, from: u32) -> u32 {
        let start = node.start().to_u32();
        if from >= start { start } else { self.find(from, start, b'(').unwrap_or(start) }
    }
}
