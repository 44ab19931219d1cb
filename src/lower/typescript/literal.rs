//! Strings, templates, object literals and their keys.

use tree_sitter::Node;

use super::Lowerer;
use super::grammar::K;
use crate::model::facts::{ExprId, ExprKind, Field, FuncKind, Key, Span};
use crate::model::name::Name;

/// Texts beyond this (embedded pages, encoded data) are nobody's key or header, and names are kept for ever.
const LONGEST_TEXT: usize = 16 << 10;

impl<'t> Lowerer<'t> {
    /// A string literal.
    pub(super) fn string(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let kind = match self.string_value(node) {
            Some(name) => ExprKind::Text(name),
            None => ExprKind::Literal,
        };
        self.add(kind, span)
    }

    /// The value of a string literal; `None` where it is too long to be of interest.
    pub(super) fn string_value(&mut self, node: Node<'t>) -> Option<Name> {
        let written = self.slice(node);
        let written = written.strip_prefix(['"', '\'']).unwrap_or(written);
        let written = written.strip_suffix(['"', '\'']).unwrap_or(written);
        if written.len() > LONGEST_TEXT {
            return None;
        }
        Some(if written.contains('\\') { Name::new(&cook(written)) } else { self.name_of(written) })
    }

    fn text(&mut self, value: &str, span: Span) -> ExprId {
        let kind = if value.len() > LONGEST_TEXT { ExprKind::Literal } else { ExprKind::Text(Name::new(value)) };
        self.add(kind, span)
    }

    /// The parts of a template: its literal texts where they are not empty, and the substitutions.
    fn template_parts(&mut self, node: Node<'t>) -> (Vec<ExprId>, Vec<ExprId>) {
        let (mut parts, mut substitutions) = (Vec::new(), Vec::new());
        // Between substitutions the text runs without a gap, whatever nodes it is cut into.
        let mut from = node.start_byte() + 1;
        let literal = |it: &mut Self, parts: &mut Vec<ExprId>, from: usize, to: usize| {
            let written = it.text.get(from..to).unwrap_or_default();
            if !written.is_empty() {
                parts.push(it.text(&cook(written), Span::new(from, to)));
            }
        };
        for part in self.kids(node) {
            if part.k == K::TemplateSubstitution {
                literal(self, &mut parts, from, part.node.start_byte());
                from = part.node.end_byte();
                let value = match self.operand(part.node) {
                    Some(value) => value,
                    None => self.nothing(self.span(part.node)),
                };
                parts.push(value);
                substitutions.push(value);
            }
        }
        let end = node.end_byte();
        let closed = self.text.get(..end).is_some_and(|text| text.ends_with('`'));
        let to = if closed && end > from { end - 1 } else { end };
        literal(self, &mut parts, from, to);
        (parts, substitutions)
    }

    /// A template literal.
    pub(super) fn template(&mut self, node: Node<'t>) -> ExprId {
        let span = self.span(node);
        let (parts, substitutions) = self.template_parts(node);
        if !substitutions.is_empty() {
            return self.add(ExprKind::Template(parts), span);
        }
        match parts.first() {
            // The text is the literal: one expression, quotes included.
            Some(&id) => {
                self.module.exprs[id.index()].span = span;
                id
            }
            None => self.add(ExprKind::Text(Name::new("")), span),
        }
    }

    /// The arguments of a tag: the texts, then every substitution.
    pub(super) fn tag_arguments(&mut self, node: Node<'t>) -> Vec<ExprId> {
        let (parts, substitutions) = self.template_parts(node);
        // Both lists are in source order.
        let mut others = substitutions.iter().peekable();
        let texts = parts.into_iter().filter(|part| others.next_if_eq(&part).is_none()).collect();
        let texts = self.add(ExprKind::Sequence(texts), self.span(node));
        std::iter::once(texts).chain(substitutions).collect()
    }

    /// A key that says its name.
    pub(super) fn literal_key(&mut self, key: Node<'t>) -> Option<Name> {
        match self.k(key) {
            K::String => self.string_value(key),
            K::ComputedPropertyName => {
                let inner = self.kids(key).into_iter().find(|kid| kid.k == K::String)?;
                self.string_value(inner.node)
            }
            _ => Some(self.name(key)),
        }
    }

    /// A key as an expression.
    pub(super) fn key_expr(&mut self, key: Node<'t>) -> ExprId {
        let span = self.span(key);
        match self.k(key) {
            K::String => self.string(key),
            K::ComputedPropertyName => match self.operand(key) {
                Some(value) => value,
                None => self.nothing(span),
            },
            _ => {
                let name = self.name(key);
                self.add(ExprKind::Text(name), span)
            }
        }
    }

    /// A key of an object literal.
    fn field_key(&mut self, key: Node<'t>) -> Key {
        match self.k(key) {
            K::ComputedPropertyName => Key::Computed(self.key_expr(key)),
            K::String => match self.string_value(key) {
                Some(name) => Key::Name(name),
                None => Key::Computed(self.key_expr(key)),
            },
            _ => Key::Name(self.name(key)),
        }
    }

    /// An object literal.
    pub(super) fn object(&mut self, node: Node<'t>) -> ExprId {
        let f = &self.g.f;
        let mut fields = Vec::new();
        for part in self.kids(node) {
            let node = part.node;
            let span = self.span(node);
            let (key, value) = match part.k {
                K::Pair => {
                    let (Some(key_node), Some(value)) = (self.field(node, f.key), self.field(node, f.value)) else {
                        continue;
                    };
                    let key = self.field_key(key_node);
                    let value = self.expr(value);
                    if let Key::Name(name) = key {
                        self.christen(value, name, self.span(key_node));
                    }
                    (key, value)
                }
                K::Shorthand | K::Identifier => {
                    let name = self.name(node);
                    (Key::Name(name), self.reference(name, span))
                }
                K::MethodDefinition => {
                    let Some(key) = self.field(node, f.name) else {
                        continue;
                    };
                    let name_span = self.span(key);
                    let key = self.field_key(key);
                    let name = match key {
                        Key::Name(name) => Some((name, name_span)),
                        _ => None,
                    };
                    let kind = self.method_kind(node);
                    let kind = if kind == FuncKind::Constructor { FuncKind::Method } else { kind };
                    let function = self.function(node, kind, name, None);
                    (key, self.add(ExprKind::Function(function), span))
                }
                K::SpreadElement => {
                    let Some(value) = self.operand(node) else {
                        continue;
                    };
                    (Key::Spread, value)
                }
                k if k.is_token() || k.is_silent() => continue,
                // What stands here by mistake is still evaluated.
                _ => (Key::Spread, self.expr(node)),
            };
            fields.push(Field { key, value, span });
        }
        self.add(ExprKind::Object(fields), self.span(node))
    }
}

/// The value of the inside of a string literal or template.
fn cook(written: &str) -> String {
    let mut cooked = String::with_capacity(written.len());
    let mut rest = written.chars();
    while let Some(char) = rest.next() {
        if char != '\\' {
            cooked.push(char);
            continue;
        }
        match rest.next() {
            Some('n') => cooked.push('\n'),
            Some('t') => cooked.push('\t'),
            Some('r') => cooked.push('\r'),
            Some('b') => cooked.push('\u{8}'),
            Some('f') => cooked.push('\u{c}'),
            Some('v') => cooked.push('\u{b}'),
            Some('0') => cooked.push('\0'),
            Some('\n') => {}
            Some('\r') if rest.as_str().starts_with('\n') => {
                rest.next();
            }
            Some('\r') => {}
            Some('x') => push_code(&mut cooked, hex(&mut rest, 2)),
            Some('u') => {
                let mut code = unicode(&mut rest);
                // Characters beyond the first plane are written as two halves.
                if let Some(high @ 0xd800..0xdc00) = code
                    && let Some(after) = rest.as_str().strip_prefix("\\u")
                {
                    let mut ahead = after.chars();
                    if let Some(low @ 0xdc00..0xe000) = unicode(&mut ahead) {
                        rest = ahead;
                        code = Some(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                    }
                }
                push_code(&mut cooked, code);
            }
            Some(other) => cooked.push(other),
            None => {}
        }
    }
    cooked
}

fn push_code(text: &mut String, code: Option<u32>) {
    text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
}

fn hex(rest: &mut std::str::Chars<'_>, digits: usize) -> Option<u32> {
    let written = rest.as_str().get(..digits)?;
    if !written.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    *rest = rest.as_str()[digits..].chars();
    u32::from_str_radix(written, 16).ok()
}

/// What follows `\u`.
fn unicode(rest: &mut std::str::Chars<'_>) -> Option<u32> {
    let Some(braced) = rest.as_str().strip_prefix('{') else {
        return hex(rest, 4);
    };
    let (written, after) = braced.split_once('}')?;
    let code = u32::from_str_radix(written, 16).ok();
    *rest = after.chars();
    code
}

#[cfg(test)]
mod tests {
    use super::cook;

    #[test]
    fn escapes_are_cooked() {
        for (written, value) in [
            ("plain", "plain"),
            (r"a\nb\t\'\\", "a\nb\t'\\"),
            (r"\x41\u0042\u{43}", "ABC"),
            (r"\ud83d\ude00", "\u{1f600}"),
            (r"\ud83d!", "\u{fffd}!"),
            (r"\xZZ", "\u{fffd}ZZ"),
            ("a\\\r\nb", "ab"),
            (r"trailing\", "trailing"),
            (r"\u{zz}é", "\u{fffd}é"),
        ] {
            assert_eq!(cook(written), value, "{written}");
        }
    }
}
