//! Types that are written as text: `"Context | None"`.

use super::Lowerer;
use super::types::Generic;
use crate::model::facts::TypeId;

/// Nesting that a written type may have.
const DEPTH: u32 = 16;

/// A reader over the text of a type.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, token: char) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn path(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }
}

impl Lowerer<'_> {
    /// A type given as text.
    pub(super) fn written_type(&mut self, text: &str) -> TypeId {
        let mut reader = Reader { rest: text };
        self.read_union(&mut reader, 0)
    }

    fn read_union(&mut self, reader: &mut Reader<'_>, depth: u32) -> TypeId {
        let mut arms = Vec::new();
        loop {
            arms.extend(self.read_one(reader, depth));
            if !reader.eat('|') {
                break;
            }
        }
        self.union_of(arms)
    }

    /// One arm; `None` is none.
    fn read_one(&mut self, reader: &mut Reader<'_>, depth: u32) -> Option<TypeId> {
        let path = reader.path().to_owned();
        let mut args = Vec::new();
        if depth < DEPTH && reader.eat('[') {
            while !reader.rest.trim_start().is_empty() && !reader.eat(']') {
                let before = reader.rest.len();
                args.push(self.read_union(reader, depth + 1));
                // Quotes, nested lists and whatever else is no type: passed over.
                if !reader.eat(',') && reader.rest.len() == before {
                    let next = reader.rest.trim_start().chars().next().map_or(0, char::len_utf8);
                    let rest = reader.rest.trim_start();
                    reader.rest = &rest[next..];
                }
            }
        }
        (path != "None").then(|| self.generic(Generic { path, args }))
    }
}
