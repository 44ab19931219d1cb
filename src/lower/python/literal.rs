//! Strings, formatted strings and displays.

use super::Lowerer;
use super::grammar::{F, K};
use super::text::{Prefix, cook};
use super::tree::Node;
use crate::model::facts::{ExprId, ExprKind, Field, Key, Part, Span};
use crate::model::name::Name;

/// Texts beyond this (embedded pages, encoded data) are nobody's key or header, and names are kept for ever.
const LONGEST_TEXT: usize = 16 << 10;

impl<'t> Lowerer<'t> {
    /// A string, also a formatted one.
    pub(super) fn string(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let mut parts = self.string_parts(node);
        match parts[..] {
            [] => self.add(ExprKind::Text(Name::new("")), span),
            [only] if matches!(self.module.kind(only), ExprKind::Text(_) | ExprKind::Literal) => {
                self.module.exprs[only.index()].span = span;
                only
            }
            _ => {
                parts.shrink_to_fit();
                self.add(ExprKind::Template(parts), span)
            }
        }
    }

    /// The value of a string without substitutions; `None` where it has some or is too long to be of interest.
    pub(super) fn string_text(&mut self, node: Node<'t>) -> Option<Name> {
        let parts = self.parts(node);
        if parts.clone().any(|part| part.k == K::Interpolation) {
            return None;
        }
        let (prefix, from, to) = self.string_inside(node)?;
        let written = self.text.get(from..to)?;
        (written.len() <= LONGEST_TEXT).then(|| Name::new(&cook(written, prefix)))
    }

    /// The prefix of a string and where its inside starts and ends.
    fn string_inside(&mut self, node: Node<'t>) -> Option<(Prefix, usize, usize)> {
        let kids = self.kids(node);
        let opening = kids.clone().find(|kid| kid.k == K::StringStart)?.node;
        let closing = kids.filter(|kid| kid.k == K::StringEnd).last();
        let to = closing.map_or(node.end_byte(), |closing| closing.node.start_byte());
        Some((Prefix::of(self.slice(opening)), opening.end_byte(), to.max(opening.end_byte())))
    }

    /// The literal texts (where they are not empty) and the substitutions of a string.
    fn string_parts(&mut self, node: Node<'t>) -> Vec<ExprId> {
        let Some((prefix, mut from, to)) = self.string_inside(node) else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        for part in self.parts(node) {
            if part.k == K::Interpolation {
                self.literal_part(&mut parts, prefix, from, part.node.start_byte());
                from = part.node.end_byte();
                let value = self.field(part.node, F::Expression);
                parts.push(self.expr_or_nothing(value, self.span(part.node)));
            }
        }
        self.literal_part(&mut parts, prefix, from, to);
        parts
    }

    fn literal_part(&mut self, parts: &mut Vec<ExprId>, prefix: Prefix, from: usize, to: usize) {
        let written = self.text.get(from..to).unwrap_or_default();
        if !written.is_empty() {
            let long = written.len() > LONGEST_TEXT;
            let kind = if long { ExprKind::Literal } else { ExprKind::Text(Name::new(&cook(written, prefix))) };
            parts.push(self.add(kind, Span::new(from, to)));
        }
    }

    /// `"a" "b"`.
    pub(super) fn concatenated(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let mut parts = Vec::new();
        for kid in self.parts(node) {
            if kid.k == K::String {
                parts.extend(self.string_parts(kid.node));
            } else {
                parts.push(self.expr(kid.node));
            }
        }
        let texts: Option<Vec<&str>> = parts
            .iter()
            .map(|part| match self.module.kind(*part) {
                ExprKind::Text(text) => Some(text.text()),
                _ => None,
            })
            .collect();
        let kind = match texts {
            Some(texts) => ExprKind::Text(Name::new(&texts.concat())),
            None => ExprKind::Template(parts),
        };
        self.add(kind, span)
    }

    /// A text with placeholders and what is put in: `"a:%s" % x`, `"a:{}".format(x)`.
    pub(super) fn filled(&mut self, text: ExprId, placeholder: char, values: Vec<ExprId>, span: Span) -> ExprId {
        let ExprKind::Text(written) = *self.module.kind(text) else {
            return self.nothing(span);
        };
        let written = written.text();
        let (before, after) = written.split_once(placeholder).unwrap_or((written, ""));
        let text_span = self.module.expr(text).span;
        let mut parts = Vec::new();
        if !before.is_empty() {
            parts.push(self.add(ExprKind::Text(Name::new(before)), text_span));
        }
        parts.extend(values);
        // What stands between and behind the placeholders is kept as one text.
        let after = after.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '}' | '_' | '(' | ')'));
        if !after.is_empty() {
            parts.push(self.add(ExprKind::Text(Name::new(after)), text_span));
        }
        self.add(ExprKind::Template(parts), span)
    }

    /// A list, tuple or set.
    pub(super) fn sequence(&mut self, node: Node<'t>) -> ExprId {
        let mut items = Vec::new();
        for kid in self.parts(node) {
            items.push(self.expr(kid.node));
        }
        self.add(ExprKind::Sequence(items), self.span(node))
    }

    /// `*value` where elements are listed.
    pub(super) fn spread(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let of = self.inner(node);
        let of = self.expr_or_nothing(of, span);
        self.add(ExprKind::Element { of, part: Part::Iterated }, span)
    }

    /// A dictionary.
    pub(super) fn dictionary(&mut self, node: Node<'t>) -> ExprId {
        let mut fields = Vec::new();
        for part in self.parts(node) {
            let span = self.span(part.node);
            let (key, value) = match part.k {
                K::Pair => {
                    let (key, value) = (self.field(part.node, F::Key), self.field(part.node, F::Value));
                    let (Some(key), Some(value)) = (key, value) else { continue };
                    self.pair(key, value)
                }
                K::DictionarySplat => {
                    let of = self.inner(part.node);
                    (Key::Spread, self.expr_or_nothing(of, span))
                }
                // What stands here by mistake is still evaluated.
                _ => (Key::Spread, self.expr(part.node)),
            };
            fields.push(Field { key, value, span });
        }
        self.add(ExprKind::Object(fields), self.span(node))
    }

    /// A key with its value.
    pub(super) fn pair(&mut self, key: Node<'t>, value: Node<'t>) -> (Key, ExprId) {
        let name = if self.k(key) == K::String { self.string_text(key) } else { None };
        let name_span = self.span(key);
        let key = match name {
            Some(name) => Key::Name(name),
            None => Key::Computed(self.expr(key)),
        };
        let value = self.expr(value);
        if let Some(name) = name {
            self.christen(value, name, name_span);
        }
        (key, value)
    }
}
