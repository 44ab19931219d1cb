//! Arguments and parameters.

use ruff_python_ast::{AnyParameterRef, ArgOrKeyword, Arguments, Expr, Parameter, Parameters};
use ruff_text_size::Ranged;

use super::{Bail, Builder, Built};
use crate::lower::python::grammar::{F, K};

impl Builder<'_> {
    /// The arguments of a call, or the bases of a class.
    pub(super) fn arguments(&mut self, it: &Arguments, field: F) -> Built {
        let (start, end) = (it.start().to_u32(), it.end().to_u32());
        // A generator takes the call's parentheses for its own.
        if let ([Expr::Generator(generator)], true) = (&*it.args, it.keywords.is_empty())
            && !generator.parenthesized
        {
            let node = self.tree.open(K::GeneratorExpression, field, start);
            let at = self.expr(&generator.elt, F::Body, start + 1)?;
            let at = self.clauses(&generator.generators, at)?;
            self.token(at, ")")?;
            self.tree.close(node, end);
            return Ok(end);
        }
        let node = self.tree.open(K::ArgumentList, field, start);
        let mut at = start + 1;
        for argument in it.iter_source_order() {
            at = match argument {
                ArgOrKeyword::Arg(value) => self.element(value, F::None, at)?,
                ArgOrKeyword::Keyword(keyword) => match &keyword.arg {
                    Some(name) => {
                        let (from, to) = (name.start().to_u32(), name.end().to_u32());
                        self.uncontinued(at, from)?;
                        let node = self.tree.open(K::KeywordArgument, F::None, from);
                        self.tree.leaf(K::Identifier, F::Name, from, to);
                        let end = self.expr(&keyword.value, F::Value, to)?;
                        self.tree.close(node, end);
                        end
                    }
                    None => self.splat(K::DictionarySplat, &keyword.value, at)?,
                },
            };
        }
        self.uncontinued(at, end)?;
        self.tree.close(node, end);
        Ok(end)
    }

    /// The parameters of a function; the answer is the end of the last.
    pub(super) fn parameters(&mut self, it: &Parameters, kind: K) -> Built {
        let (start, end) = (it.start().to_u32(), it.end().to_u32());
        if memchr::memchr(b'\\', &self.bytes[start as usize..end as usize]).is_some() {
            // A continued line, or an escape in a default; both are rare.
            return Err(Bail);
        }
        let node = self.tree.open(kind, F::Parameters, start);
        let mut last = start;
        for parameter in it.iter_source_order() {
            last = match parameter {
                AnyParameterRef::Variadic(parameter) => self.variadic(parameter)?,
                AnyParameterRef::NonVariadic(it) => {
                    let parameter = &it.parameter;
                    let name = parameter.name.range();
                    let (from, to) = (name.start().to_u32(), name.end().to_u32());
                    let (annotation, default) = (parameter.annotation.as_deref(), it.default.as_deref());
                    let kind = match (annotation, default) {
                        (None, None) => {
                            self.tree.leaf(K::Identifier, F::None, from, to);
                            last = to;
                            continue;
                        }
                        (Some(_), None) => K::TypedParameter,
                        (None, Some(_)) => K::DefaultParameter,
                        (Some(_), Some(_)) => K::TypedDefaultParameter,
                    };
                    let node = self.tree.open(kind, F::None, from);
                    self.tree.leaf(K::Identifier, if default.is_some() { F::Name } else { F::None }, from, to);
                    let mut at = to;
                    if let Some(annotation) = annotation {
                        at = self.ty(annotation, F::Ty, at)?;
                    }
                    if let Some(default) = default {
                        at = self.expr(default, F::Value, at)?;
                    }
                    self.tree.close(node, at);
                    at
                }
            };
        }
        self.tree.close(node, end);
        Ok(last)
    }

    /// `*args`, `**kwargs`
    fn variadic(&mut self, it: &Parameter) -> Built {
        let start = it.start().to_u32();
        let (from, to) = (it.name.start().to_u32(), it.name.end().to_u32());
        let kind = match (self.byte(start), self.byte(start + 1)) {
            (b'*', b'*') => K::DictionarySplatPattern,
            (b'*', _) => K::ListSplatPattern,
            _ => return Err(Bail),
        };
        let typed =
            it.annotation.as_deref().map(|annotation| (self.tree.open(K::TypedParameter, F::None, start), annotation));
        let node = self.tree.open(kind, F::None, start);
        self.tree.leaf(K::Identifier, F::None, from, to);
        self.tree.close(node, to);
        let Some((typed, annotation)) = typed else { return Ok(to) };
        let end = self.ty(annotation, F::Ty, to)?;
        self.tree.close(typed, end);
        Ok(end)
    }
}
