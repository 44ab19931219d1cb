//! `match` and its patterns.

use ruff_python_ast::{Expr, MatchCase, Pattern, PatternMatchMapping, Singleton, StmtMatch, UnaryOp};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    pub(super) fn match_statement(&mut self, it: &StmtMatch) -> Built {
        let start = it.start().to_u32();
        let node = self.tree.open(K::Match, F::None, start);
        let mut at = start + 5;
        match &*it.subject {
            Expr::Tuple(tuple) if !tuple.parenthesized => {
                for element in &tuple.elts {
                    at = self.element(element, F::Subject, at)?;
                }
            }
            subject => {
                self.element(subject, F::Subject, at)?;
            }
        }
        let Some(first) = it.cases.first() else { return Err(Bail) };
        let indent = self.indent(first.start().to_u32())?.ok_or(Bail)?;
        let body = self.tree.open(K::Block, F::Body, first.start().to_u32());
        let mut end = start;
        for case in &it.cases {
            end = self.case_clause(case)?;
        }
        end = self.dedent(end, indent);
        self.tree.close(body, end);
        self.tree.close(node, end);
        Ok(end)
    }

    fn case_clause(&mut self, it: &MatchCase) -> Built {
        let start = it.start().to_u32();
        let node = self.tree.open(K::CaseClause, F::None, start);
        let mut at = start + 4;
        match &it.pattern {
            Pattern::MatchSequence(list) if !self.in_brackets(list.start().to_u32(), list.end().to_u32())? => {
                for pattern in &list.patterns {
                    at = self.case(pattern, F::None, at)?;
                }
            }
            pattern => at = self.case(pattern, F::None, at)?,
        }
        if let Some(guard) = &it.guard {
            let start = self.find(at, guard.start().to_u32(), b'i').ok_or(Bail)?;
            let clause = self.tree.open(K::IfClause, F::Guard, start);
            let end = self.expr(guard, F::None, start + 2)?;
            self.tree.close(clause, end);
        }
        let end = self.block(&it.body, F::Consequence)?;
        self.tree.close(node, end);
        Ok(end)
    }

    /// Whether the bracket at the start of a sequence is closed at its end alone.
    fn in_brackets(&self, start: u32, end: u32) -> Result<bool, Bail> {
        let mut depth = 0u32;
        let mut at = start;
        while at < end {
            match self.byte(at) {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.checked_sub(1).ok_or(Bail)?,
                // Brackets in texts are none.
                b'\'' | b'"' => {
                    let rest = &self.bytes[at as usize + 1..end as usize];
                    let quote = self.byte(at);
                    let length = memchr::memchr2(quote, b'\\', rest).ok_or(Bail)?;
                    if rest[length] == b'\\' {
                        return Err(Bail);
                    }
                    at += 1 + length as u32;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            at = self.skip(at + 1);
        }
        Ok(at + 1 == end && start + 1 < end)
    }

    /// A whole pattern.
    fn case(&mut self, pattern: &Pattern, field: F, from: u32) -> Built {
        let start = self.outer_start(pattern, from);
        self.uncontinued(from, start)?;
        let node = self.tree.open(K::CasePattern, field, start);
        let end = match pattern {
            Pattern::MatchAs(it) if start == pattern.start().to_u32() && it.pattern.is_some() => {
                let (Some(inner), Some(name)) = (&it.pattern, &it.name) else { return Err(Bail) };
                let end = name.end().to_u32();
                let node = self.tree.open(K::AsPattern, F::None, start);
                self.case(inner, F::None, start)?;
                self.tree.leaf(K::Identifier, F::None, name.start().to_u32(), end);
                self.tree.close(node, end);
                end
            }
            _ => self.simple(pattern, F::None, from)?,
        };
        self.tree.close(node, end);
        Ok(end)
    }

    /// A pattern without `as`; one in parentheses is a sequence of one.
    fn simple(&mut self, pattern: &Pattern, field: F, from: u32) -> Built {
        self.enter()?;
        let start = self.outer_start(pattern, from);
        let end = if start < pattern.start().to_u32() {
            let node = self.tree.open(K::TuplePattern, field, start);
            let at = self.case(pattern, F::None, start + 1)?;
            let end = self.token(at, ")")?;
            self.tree.close(node, end);
            end
        } else {
            self.bare_pattern(pattern, field, start)?
        };
        self.leave();
        Ok(end)
    }

    fn bare_pattern(&mut self, pattern: &Pattern, field: F, start: u32) -> Built {
        let end = pattern.end().to_u32();
        let name = |it: &mut Self, name: &ruff_python_ast::Identifier| {
            it.tree.leaf(K::Identifier, F::None, name.start().to_u32(), name.end().to_u32());
        };
        match pattern {
            Pattern::MatchValue(it) => return self.pattern_value(&it.value, field),
            Pattern::MatchSingleton(it) => {
                let kind = match it.value {
                    Singleton::None => K::None,
                    Singleton::True => K::True,
                    Singleton::False => K::False,
                };
                self.tree.leaf(kind, field, start, end);
            }
            Pattern::MatchSequence(it) => {
                let kind = match self.byte(start) {
                    b'[' => K::ListPattern,
                    b'(' => K::TuplePattern,
                    _ => return Err(Bail),
                };
                let node = self.tree.open(kind, field, start);
                let mut at = start + 1;
                for pattern in &it.patterns {
                    at = self.case(pattern, F::None, at)?;
                }
                self.tree.close(node, end);
            }
            Pattern::MatchMapping(it) => self.mapping(it, field)?,
            Pattern::MatchClass(it) => {
                let node = self.tree.open(K::ClassPattern, field, start);
                self.path(&it.cls, F::None)?;
                let mut at = it.arguments.start().to_u32() + 1;
                for pattern in &it.arguments.patterns {
                    at = self.case(pattern, F::None, at)?;
                }
                for keyword in &it.arguments.keywords {
                    let from = keyword.start().to_u32();
                    let case = self.tree.open(K::CasePattern, F::None, from);
                    let inner = self.tree.open(K::KeywordPattern, F::None, from);
                    name(self, &keyword.attr);
                    let end = self.simple(&keyword.pattern, F::None, keyword.attr.end().to_u32())?;
                    self.tree.close(inner, end);
                    self.tree.close(case, end);
                }
                self.tree.close(node, end);
            }
            Pattern::MatchStar(it) => {
                let node = self.tree.open(K::SplatPattern, field, start);
                if let Some(rest) = &it.name {
                    name(self, rest);
                }
                self.tree.close(node, end);
            }
            Pattern::MatchAs(it) => match (&it.pattern, &it.name) {
                (None, None) => self.tree.leaf(K::OtherToken, field, start, end),
                (None, Some(bound)) => {
                    let node = self.tree.open(K::DottedName, field, start);
                    name(self, bound);
                    self.tree.close(node, end);
                }
                _ => return Err(Bail),
            },
            Pattern::MatchOr(it) => {
                let node = self.tree.open(K::UnionPattern, field, start);
                let mut at = start;
                for pattern in &it.patterns {
                    at = self.simple(pattern, F::None, at)?;
                }
                self.tree.close(node, end);
            }
        }
        Ok(end)
    }

    fn mapping(&mut self, it: &PatternMatchMapping, field: F) -> Result<(), Bail> {
        let node = self.tree.open(K::DictPattern, field, it.start().to_u32());
        for (key, pattern) in it.keys.iter().zip(&it.patterns) {
            let at = self.pattern_value(key, F::Key)?;
            self.case(pattern, F::Value, at)?;
        }
        if let Some(rest) = &it.rest {
            let (start, end) = (rest.start().to_u32(), rest.end().to_u32());
            let splat = self.tree.open(K::SplatPattern, F::None, start);
            self.tree.leaf(K::Identifier, F::None, start, end);
            self.tree.close(splat, end);
        }
        self.tree.close(node, it.end().to_u32());
        Ok(())
    }

    /// A value that is compared with.
    fn pattern_value(&mut self, value: &Expr, field: F) -> Built {
        let (start, end) = (value.start().to_u32(), value.end().to_u32());
        match value {
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::BooleanLiteral(_) => self.expr(value, field, start),
            Expr::UnaryOp(it) if it.op == UnaryOp::USub && it.operand.is_number_literal_expr() => {
                self.tree.leaf(K::OtherToken, field, start, start + 1);
                self.expr(&it.operand, field, start + 1)
            }
            Expr::Attribute(_) => self.path(value, field),
            // A complex number, which is compared with nothing.
            Expr::BinOp(_) if field == F::None => {
                self.tree.leaf(K::OtherNamed, field, start, end);
                Ok(end)
            }
            _ => Err(Bail),
        }
    }

    /// A name with dots.
    fn path(&mut self, path: &Expr, field: F) -> Built {
        let end = path.end().to_u32();
        let node = self.tree.open(K::DottedName, field, path.start().to_u32());
        self.segments(path)?;
        self.tree.close(node, end);
        Ok(end)
    }

    fn segments(&mut self, path: &Expr) -> Result<(), Bail> {
        let mut names = Vec::new();
        let mut at = path;
        while let Expr::Attribute(it) = at {
            names.push(it.attr.range());
            at = &it.value;
        }
        let Expr::Name(first) = at else { return Err(Bail) };
        names.push(first.range());
        for name in names.into_iter().rev() {
            self.tree.leaf(K::Identifier, F::None, name.start().to_u32(), name.end().to_u32());
        }
        Ok(())
    }
}
