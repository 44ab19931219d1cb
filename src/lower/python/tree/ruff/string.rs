//! Strings, formatted ones too.

use ruff_python_ast::{ExprFString, FString, FStringPart};
use ruff_text_size::{Ranged, TextRange};

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    /// Strings without substitutions: one, or several in a row.
    pub(super) fn strings(
        &mut self,
        parts: impl ExactSizeIterator<Item = TextRange>,
        field: F,
        start: u32,
        end: u32,
    ) -> Built {
        let several = parts.len() > 1;
        let node = several.then(|| self.tree.open(K::ConcatenatedString, field, start));
        let mut at = start;
        for part in parts {
            self.uncontinued(at, part.start().to_u32())?;
            at = self.plain(part, if several { F::None } else { field })?;
        }
        if let Some(node) = node {
            self.tree.close(node, end);
        }
        Ok(end)
    }

    pub(super) fn f_strings(&mut self, it: &ExprFString, field: F) -> Built {
        let (start, end) = (it.start().to_u32(), it.end().to_u32());
        let parts = it.value.as_slice();
        let several = parts.len() > 1;
        let node = several.then(|| self.tree.open(K::ConcatenatedString, field, start));
        let mut at = start;
        for part in parts {
            self.uncontinued(at, part.start().to_u32())?;
            let field = if several { F::None } else { field };
            at = match part {
                FStringPart::Literal(literal) => self.plain(literal.range(), field)?,
                FStringPart::FString(formatted) => self.formatted(formatted, field)?,
            };
        }
        if let Some(node) = node {
            self.tree.close(node, end);
        }
        Ok(end)
    }

    fn plain(&mut self, range: TextRange, field: F) -> Built {
        let (start, end) = (range.start().to_u32(), range.end().to_u32());
        let (inside, closing) = self.quotes(start, end)?;
        let node = self.tree.open(K::String, field, start);
        self.tree.leaf(K::StringStart, F::None, start, inside);
        self.tree.leaf(K::StringEnd, F::None, closing, end);
        self.tree.close(node, end);
        Ok(end)
    }

    fn formatted(&mut self, it: &FString, field: F) -> Built {
        let (start, end) = (it.start().to_u32(), it.end().to_u32());
        let (inside, closing) = self.quotes(start, end)?;
        let node = self.tree.open(K::String, field, start);
        self.tree.leaf(K::StringStart, F::None, start, inside);
        for element in it.elements.interpolations() {
            let (from, to) = (element.start().to_u32(), element.end().to_u32());
            let interpolation = self.tree.open(K::Interpolation, F::None, from);
            let at = self.starred_or(&element.expression, F::Expression, from + 1)?;
            // Tree-sitter takes `:=` for the operator.
            let next = self.skip(at);
            if self.byte(next) == b':' && self.byte(next + 1) == b'=' {
                return Err(Bail);
            }
            self.tree.close(interpolation, to);
        }
        self.tree.leaf(K::StringEnd, F::None, closing, end);
        self.tree.close(node, end);
        Ok(end)
    }

    /// Where the inside of a string begins and ends.
    fn quotes(&self, start: u32, end: u32) -> Result<(u32, u32), Bail> {
        let mut at = start;
        while self.byte(at).is_ascii_alphabetic() {
            at += 1;
        }
        let quote = self.byte(at);
        let triple = end >= at + 6 && self.byte(at + 1) == quote && self.byte(at + 2) == quote;
        let length = if triple { 3 } else { 1 };
        if end < at + 2 * length {
            return Err(Bail);
        }
        let (inside, closing) = (at + length, end - length);
        let prefix = &self.bytes[start as usize..at as usize];
        if prefix.iter().any(|letter| letter.eq_ignore_ascii_case(&b'r')) {
            let content = &self.bytes[inside as usize..closing as usize];
            let plain = length == 1 && prefix.len() == 1;
            return Ok((inside, if is_swallowed(content, quote, plain)? { inside } else { closing }));
        }
        Ok((inside, closing))
    }
}

/// Whether tree-sitter takes the inside of a raw string for a part of its closing quote: where it is nothing but escaped quotes,
/// backslashes and line ends. Of others than the plain ones, those are left to it that end like that.
fn is_swallowed(content: &[u8], quote: u8, plain: bool) -> Result<bool, Bail> {
    let escaped = |byte: u8| byte == quote || matches!(byte, b'\\' | b'\n' | b'\r');
    match content {
        [.., b'\\', last] if !plain && escaped(*last) => Err(Bail),
        [.., b'\\', b'\r', b'\n'] => Err(Bail),
        _ if content.is_empty() || !content.len().is_multiple_of(2) => Ok(false),
        _ => Ok(content.chunks(2).all(|pair| pair[0] == b'\\' && escaped(pair[1]))),
    }
}
