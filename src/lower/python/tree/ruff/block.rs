//! Blocks, and where they end: behind the comments that are as far to the right as the block.

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built, comment_end};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    /// The statements of a block.
    pub(super) fn block(&mut self, body: &[Stmt], field: F) -> Built {
        let (Some(first), Some(last)) = (body.first(), body.last()) else { return Err(Bail) };
        self.enter()?;
        let start = first.start().to_u32();
        let node = self.tree.open(K::Block, field, start);
        let mut end = start;
        for statement in body {
            self.uncontinued(end, statement.start().to_u32())?;
            end = self.statement(statement)?;
        }
        if !is_compound(last) {
            end = self.line_end(end);
        }
        if let Some(indent) = self.indent(start)? {
            end = self.dedent(end, indent);
        }
        self.tree.close(node, end);
        self.leave();
        Ok(end)
    }

    /// The indentation of a line that starts with the given token; none where something stands before it.
    pub(super) fn indent(&self, start: u32) -> Result<Option<u32>, Bail> {
        let before = &self.bytes[..start as usize];
        let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let mut indent = 0;
        for byte in &before[line..] {
            match byte {
                b' ' => indent += 1,
                b'\t' => indent += 8,
                b'\x0c' => indent = 0,
                _ => return Ok(None),
            }
        }
        // A continued line is no line of its own.
        let above = before[..line].trim_ascii_end();
        if above.ends_with(b"\\") { Err(Bail) } else { Ok(Some(indent)) }
    }

    /// The end of a simple statement's line: behind a semicolon and a comment.
    pub(super) fn line_end(&self, from: u32) -> u32 {
        let mut end = from;
        let mut at = from;
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\x0c' | b'\r' => at += 1,
                b';' if end == from => {
                    at += 1;
                    end = at;
                }
                b'#' => return comment_end(self.bytes, at),
                _ => return end,
            }
        }
    }

    /// The end of a block behind its last line.
    pub(super) fn dedent(&self, from: u32, indent: u32) -> u32 {
        let mut end = from;
        let mut at = from;
        let mut column = 0;
        loop {
            match self.byte(at) {
                b'\n' | b'\r' | b'\x0c' => column = 0,
                b' ' => column += 1,
                b'\t' => column += 8,
                b'#' if column >= indent => {
                    end = comment_end(self.bytes, at);
                    at = end;
                    column = 0;
                    continue;
                }
                _ => return end,
            }
            at += 1;
        }
    }
}

fn is_compound(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::For(_)
            | Stmt::While(_)
            | Stmt::If(_)
            | Stmt::With(_)
            | Stmt::Match(_)
            | Stmt::Try(_)
    )
}
